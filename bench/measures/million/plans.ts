import { withClient } from '../../../test/postgres/databases.ts'
import { costlyPlans, WATCHING_PLANS } from '../../../test/postgres/index-watch.ts'
import type { Installation } from '../../on-postgres.ts'
import type { Server } from '../../server.ts'

/** As tests watch plans, but PostgreSQL may read a whole table. */
const LOGGED = WATCHING_PLANS.filter((setting) => /^(auto_explain|log_line)/.test(setting)).map((s) => s.split('='))

/** Below that, PostgreSQL reads a whole table because it is faster. */
const LARGE_ROWS = 100_000

/** The large tables that PostgreSQL's plans for these requests read from end to end. */
export async function tablesReadWhole(
  { cluster, url, start }: Pick<Installation, 'cluster' | 'url' | 'start'>,
  ask: (server: Server) => Promise<void>,
): Promise<readonly string[]> {
  const large = await withClient(url, async (client) => {
    await client.query("load 'auto_explain'")
    await client.query(`alter system set session_preload_libraries = 'auto_explain'`)
    for (const [name, value] of LOGGED) await client.query(`alter system set ${name} = '${value}'`)
    await client.query('select pg_reload_conf()')
    const large = `select relname from pg_class where reltuples >= ${LARGE_ROWS}`
    const { rows } = await client.query<{ relname: string }>(large)
    return new Set(rows.map(({ relname }) => relname))
  })
  const before = cluster.primary.logBytes()
  await using server = await start('million')
  await ask(server)
  const logged = () => cluster.primary.logLines(before)
  if (!(await hasPlan(logged()))) throw new Error('PostgreSQL has logged no plan')
  const { wholeTables } = await costlyPlans(logged())
  return [...new Set(wholeTables.values())].filter((table) => large.has(table)).toSorted()
}

async function hasPlan(log: AsyncIterable<string>): Promise<boolean> {
  for await (const line of log) if (line.endsWith(' plan:')) return true
  return false
}
