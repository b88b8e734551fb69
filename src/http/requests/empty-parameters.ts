import { Refusal } from '../../rules/refusal.ts'
import type { Exchange } from '../exchange.ts'

type Sent = Readonly<Record<string, string | undefined>>

/** RFC 6749 section 3.1: a parameter without a value counts as omitted. */
export function withoutEmpty(parameters: Sent): Readonly<Record<string, string>> {
  const sent: Record<string, string> = {}
  for (const [name, value] of Object.entries(parameters)) if (value) sent[name] = value
  return sent
}

export const SENT_TWICE = 'A parameter was sent more than once.'

/** RFC 6749 section 3.1. */
export function repeatedIn({ parameters }: Exchange, known: object): readonly string[] {
  const names = [...parameters.keys()].filter((name) => Object.hasOwn(known, name))
  return names.filter((name, i) => names.indexOf(name) < i)
}

/** Used where the redirect address for an error is unknown. */
export function refuseRepeated(repeated: readonly string[]): void {
  if (repeated.length > 0) throw new Refusal('INVALID_REQUEST', SENT_TWICE)
}
