import { currentSenderLeaving } from '../current-request.ts'
import { TookTooLong } from '../store.ts'
import { isCancelled } from './errors.ts'
import type { ConnectionWork, PgConnection } from './pg-connection.ts'
import { ReservedConnections } from './reserved-connections.ts'

const AT_ONCE = 2

/** Each long read has a connection to itself, so that cancelling it affects no other statement. */
export class LongReads {
  readonly #connections: ReservedConnections
  readonly #another: () => Promise<PgConnection>

  constructor(url: string, now: () => number, another: () => Promise<PgConnection>) {
    this.#connections = new ReservedConnections({ url, connections: AT_ONCE, now })
    this.#another = another
  }

  async read<T>(work: ConnectionWork<T>): Promise<T> {
    const leaving = currentSenderLeaving()
    const connection = await this.#connections.take()
    if (leaving?.aborted) {
      this.#connections.give(connection)
      throw new TookTooLong()
    }
    const cancel = () => this.#cancel(connection)
    leaving?.addEventListener('abort', cancel)
    try {
      const result = await work(connection)
      if (leaving?.aborted) throw new TookTooLong()
      this.#connections.give(connection)
      return result
    } catch (error) {
      // A cancellation that is still on its way would end the next read on this connection.
      this.#connections.drop(connection)
      throw isCancelled(error) ? new TookTooLong() : error
    } finally {
      leaving?.removeEventListener('abort', cancel)
    }
  }

  close(): Promise<void> {
    return this.#connections.close()
  }

  /** If the server cannot be reached for this, the read ends at the time limit. */
  #cancel({ processId }: PgConnection): void {
    if (processId === undefined) return
    const statement = { text: 'select pg_cancel_backend($1)', values: [processId], isRead: true }
    this.#another()
      .then((connection) => connection.run(statement))
      .catch(() => undefined)
  }
}
