import type { CompiledQuery, QueryResult } from 'kysely'
import type { Work } from '../decision.ts'
import { StoreUnavailable } from '../store.ts'
import { translated } from './errors.ts'
import type { Handle } from './handle.ts'

/** One write, or one batch of them, that waits for the commit it shares with others. */
export interface Job {
  readonly queries: readonly CompiledQuery[]
  readonly since: number
  readonly resolve: (results: readonly QueryResult<unknown>[]) => void
  readonly reject: (error: unknown) => void
  /** Replaces the queries. */
  readonly work?: Work
}

/** Returns how to settle the job once the shared commit is durable. */
export function runJob(store: string, writer: Handle, { queries, resolve, reject }: Job): () => void {
  writer.exec('savepoint job')
  try {
    const results = queries.map((query) => writer.run(query))
    writer.exec('release job')
    return () => resolve(results)
  } catch (error) {
    return undone(store, writer, error, reject)
  }
}

/** The work ends before the event loop goes on: its statements answer at once, and it waits for nothing else. */
export async function runDecision(
  store: string,
  writer: Handle,
  { work, resolve, reject }: Job & { readonly work: Work },
): Promise<() => void> {
  writer.exec('savepoint job')
  try {
    const writes = await work(async (queries) => queries.map((query) => writer.run(query)))
    const results = writes.map((query) => writer.run(query))
    writer.exec('release job')
    return () => resolve(results)
  } catch (error) {
    return undone(store, writer, error, reject)
  }
}

function undone(store: string, writer: Handle, error: unknown, reject: Job['reject']): () => void {
  const known = translated(store, error)
  // A full disk may have ended the whole transaction; then none of its writes is kept. A refusal of the work's own has not.
  if (known instanceof StoreUnavailable && known !== error) throw error
  writer.exec('rollback to job')
  writer.exec('release job')
  return () => reject(known)
}
