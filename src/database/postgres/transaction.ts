import { isInAbortedTransaction } from './errors.ts'
import type { Statement } from './statements.ts'

export const BEGIN: Statement = { name: 'begin', text: 'begin', values: [], isRead: false }
export const COMMIT: Statement = { name: 'commit', text: 'commit', values: [], isRead: false }
export const ROLLBACK: Statement = { name: 'rollback', text: 'rollback', values: [], isRead: false }
export const BEGIN_SNAPSHOT: Statement = {
  name: 'beginSnapshot',
  text: 'begin isolation level repeatable read read only',
  values: [],
  isRead: true,
}
export const END_SNAPSHOT: Statement = { name: 'endSnapshot', text: 'commit', values: [], isRead: true }

/** The first failure is the cause; later statements of the transaction are refused because of it. */
export function allOf<T>(outcomes: readonly PromiseSettledResult<T>[]): T[] {
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  const cause = failures.find((failure) => !isInAbortedTransaction(failure)) ?? failures[0]
  if (cause) throw cause
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
}
