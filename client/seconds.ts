import { usage } from './terminal/failure.ts'

/** The value of `--timeout`. */
export function parseSeconds(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text)
  throw usage('--timeout is a number of seconds, from 1 to 9999')
}
