import { OperatorError } from '../../../rules/operator-error.ts'
import { type Connection, quoted } from '../../named-database/connection.ts'
import { connected, NO_LIMITS } from './connecting.ts'

export const WHOSE = 'the scratch database'
/** The schema of each store has a name that begins so, as nobody else's does. */
const PREFIX = 'gatehouse_rehearsal_'

/** The empty database that a rehearsal fills and empties again. It is locked, so that no other gets it. */
export class Scratch implements AsyncDisposable {
  readonly #address: string
  readonly #guard: Connection

  private constructor(address: string, guard: Connection) {
    this.#address = address
    this.#guard = guard
  }

  /** Refuses a database that is not empty. What a killed rehearsal has left there does not count, and is removed. */
  static async take(address: string): Promise<Scratch> {
    const guard = await connected(WHOSE, [address])
    const scratch = new Scratch(address, guard)
    try {
      await guard.query(NO_LIMITS, [false])
      await guard.query(`select pg_catalog.set_config('search_path', '', false)`)
      await scratch.#refuseTaken()
      await scratch.#refuseFilled()
      await scratch.#remove()
      return scratch
    } catch (error) {
      await guard.end()
      throw error
    }
  }

  /** Makes a schema; by the address that it returns, a store finds its tables there as in a database of its own. */
  async place(store: number): Promise<string> {
    const schema = `${PREFIX}${store}`
    await this.#guard.query(`create schema ${schema}`)
    const url = new URL(this.#address)
    const own = url.searchParams.get('options')
    url.searchParams.set('options', `${own === null ? '' : `${own} `}-c search_path=${schema}`)
    return url.href
  }

  /** True if nobody is in a transaction. */
  async isQuiet(): Promise<boolean> {
    const { rows } = await this.#guard.query(`${OTHERS} and state is distinct from 'idle'`)
    return rows.length === 0
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.#remove()
    } finally {
      await this.#guard.end()
    }
  }

  async #refuseTaken(): Promise<void> {
    const { rows } = await this.#guard.query(
      `select pg_catalog.pg_try_advisory_lock(pg_catalog.hashtextextended('gatehouse rehearse', 0)) as is_free`,
    )
    if (rows[0]?.is_free !== true) throw new OperatorError('another rehearsal is in the scratch database; wait for it')
  }

  async #refuseFilled(): Promise<void> {
    const { rows } = await this.#guard.query(
      `select pg_catalog.format('%I.%I', nspname, relname) as found
         from pg_catalog.pg_class join pg_catalog.pg_namespace on pg_namespace.oid = relnamespace
         where not starts_with(nspname, 'pg_') and not starts_with(nspname, $1) and nspname <> 'information_schema'
           and not exists (select from pg_catalog.pg_depend
             where classid = 'pg_catalog.pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
         order by 1 limit 1`,
      [PREFIX],
    )
    const [first] = rows
    if (first)
      throw new OperatorError(
        `the scratch database is not empty: it has ${first.found}; make one for the rehearsal alone`,
      )
  }

  /** Ends the connections that are still at work there first. */
  async #remove(): Promise<void> {
    const { rows } = await this.#guard.query(
      'select nspname as name from pg_catalog.pg_namespace where starts_with(nspname, $1) order by 1',
      [PREFIX],
    )
    if (rows.length > 0) await this.#guard.query(OTHERS.replace('pid', 'pg_catalog.pg_terminate_backend(pid)'))
    for (const { name } of rows) await this.#guard.query(`drop schema ${quoted(String(name))} cascade`)
  }
}

const OTHERS = `select pid from pg_catalog.pg_stat_activity
  where datname = pg_catalog.current_database() and usename = current_user and backend_type = 'client backend'
    and pid <> pg_catalog.pg_backend_pid()`
