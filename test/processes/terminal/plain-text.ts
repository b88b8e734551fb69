/** Everything but lines of the log. */
export function plainOf(stderr: string): string {
  return stderr.replace(/^\{.*\}\n/gm, '')
}
