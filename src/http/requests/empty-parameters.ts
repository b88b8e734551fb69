type Sent = Readonly<Record<string, string | undefined>>

/** RFC 6749 section 3.1: a parameter without a value counts as omitted. */
export function withoutEmpty(parameters: Sent): Readonly<Record<string, string>> {
  const sent: Record<string, string> = {}
  for (const [name, value] of Object.entries(parameters)) if (value) sent[name] = value
  return sent
}
