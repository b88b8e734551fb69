import { currentSenderLeaving } from '../current-request.ts'
import { TookTooLong } from '../store.ts'
import { isCancelled } from './errors.ts'
import type { PgConnection, Work } from './pg-connection.ts'
import { ReservedConnections } from './reserved-connections.ts'

const AT_ONCE = 2

/** Each has a connection to itself, so that it is cancelled without another's statement. */
export class LongReads {
  readonly #connections: ReservedConnections
  readonly #another: () => Promise<PgConnection>

  constructor(url: string, now: () => number, another: () => Promise<PgConnection>) {
    this.#connections = new ReservedConnections({ url, connections: AT_ONCE, now })
    this.#another = another
  }

  async read<T>(work: Work<T>): Promise<T> {
    const leaving = currentSenderLeaving()
    const connection = await this.#connections.take()
    const cancel = () => this.#cancel(connection)
    leaving?.addEventListener('abort', cancel)
    try {
      if (leaving?.aborted) throw new TookTooLong()
      const result = await work(connection)
      this.#connections.give(connection)
      return result
    } catch (error) {
      // The cancellation may still be on its way.
      this.#connections.drop(connection)
      throw isCancelled(error) ? new TookTooLong() : error
    } finally {
      leaving?.removeEventListener('abort', cancel)
    }
  }

  close(): Promise<void> {
    return this.#connections.close()
  }

  /** It ends at the time limit if the server cannot be asked to. */
  #cancel({ processId }: PgConnection): void {
    if (processId === undefined) return
    const statement = { text: 'select pg_cancel_backend($1)', values: [processId], isRead: true }
    this.#another()
      .then((connection) => connection.run(statement))
      .catch(() => undefined)
  }
}
