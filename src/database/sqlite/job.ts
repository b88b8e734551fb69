import type { CompiledQuery, QueryResult } from 'kysely'
import type { Work } from '../decision.ts'
import { isRead } from '../reads.ts'
import { ConstraintViolation, StoreUnavailable } from '../store.ts'
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
  /** Has a savepoint: a job of its commit has failed half done. */
  readonly isApart?: true
}

/** A job without a savepoint has failed after its first write, which only the end of the whole transaction undoes. */
export class HalfDone extends Error {}

/** Returns how to settle the job once the shared commit is durable. */
export function runJob(store: string, writer: Handle, job: Job): () => void {
  const running = new Running(store, writer, job)
  try {
    return running.done(job.queries.map((query) => running.run(query)))
  } catch (error) {
    return running.failed(error)
  }
}

/** The work ends before the event loop goes on: its statements answer at once, and it waits for nothing else. */
export async function runDecision(
  store: string,
  writer: Handle,
  job: Job & { readonly work: Work },
): Promise<() => void> {
  const running = new Running(store, writer, job)
  try {
    const writes = await job.work(async (queries) => queries.map((query) => running.run(query)))
    return running.done(writes.map((query) => running.run(query)))
  } catch (error) {
    return running.failed(error)
  }
}

/** A savepoint copies each page that the job changes, so jobs have none until one of them needs it. */
class Running {
  readonly #store: string
  readonly #writer: Handle
  readonly #job: Job
  #hasWritten = false

  constructor(store: string, writer: Handle, job: Job) {
    this.#store = store
    this.#writer = writer
    this.#job = job
    if (job.isApart) writer.exec('savepoint job')
  }

  run(query: CompiledQuery): QueryResult<unknown> {
    try {
      const result = this.#writer.run(query)
      this.#hasWritten ||= !isRead(query)
      return result
    } catch (error) {
      // A constraint leaves nothing of its statement. A row that cannot be read leaves the change that returned it.
      const hasLeftNothing = isRead(query) || translated(this.#store, error) instanceof ConstraintViolation
      this.#hasWritten ||= !hasLeftNothing
      throw error
    }
  }

  done(results: readonly QueryResult<unknown>[]): () => void {
    if (this.#job.isApart) this.#writer.exec('release job')
    return () => this.#job.resolve(results)
  }

  failed(error: unknown): () => void {
    const known = translated(this.#store, error)
    // A full disk may have ended the whole transaction; then none of its writes is kept. A refusal of the work's own has not.
    if (known instanceof StoreUnavailable && known !== error) throw error
    if (this.#job.isApart) {
      this.#writer.exec('rollback to job')
      this.#writer.exec('release job')
    } else if (this.#hasWritten) {
      throw new HalfDone('a job failed after its first write', { cause: known })
    }
    return () => this.#job.reject(known)
  }
}
