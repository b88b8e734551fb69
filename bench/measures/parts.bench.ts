import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Kysely } from 'kysely'
import pg from 'pg'
import { readConfig } from '../../src/config/config.ts'
import { PreparedQuery, type PreparedStatement } from '../../src/database/postgres/prepared-query.ts'
import { prepared } from '../../src/database/prepared.ts'
import { RecentlyUsed } from '../../src/database/recently-used.ts'
import type { MetaTables } from '../../src/database/schema/tables.ts'
import { openReader } from '../../src/database/sqlite/handle.ts'
import { readSettings } from '../../src/features/ground/settings/current-settings.ts'
import { VersionedCache } from '../../src/platform/caches/versioned-cache.ts'
import { prepare } from '../../src/serve.ts'
import { startCluster } from '../../test/postgres/cluster.ts'
import { type Figure, type Measure, median, round } from '../load/measure.ts'
import { processorTimeOfAll } from '../load/processor-time.ts'
import { insertPeople, preparedFolder, userId } from '../ours.ts'

const ROUNDS = 7
const AT_ONCE = 50

/** Processor time of each optimised part next to the plain way, in turns in one process. */
export const measure: Measure = {
  title: 'Clever parts beside the plain way, µs of processor time for each use',
  async run() {
    return { ratios: [], figures: [...(await onSqlite()), ...(await onPostgres())] }
  },
}

const read = (db: Kysely<MetaTables>, { id }: { readonly id: string }) =>
  db
    .selectFrom('user')
    .innerJoin('session', 'session.user_id', 'user.id')
    .selectAll('user')
    .select(['session.id as session_id', 'session.expires_at', 'session.ip', 'session.user_agent'])
    .where('user.id', '=', id)
const compiledOnce = prepared({ id: '' }, read)

async function onSqlite(): Promise<readonly Figure[]> {
  await using folder = await preparedFolder()
  insertPeople(folder, 1_000)
  const { platform } = await prepare(readConfig({ DATA_DIR: folder.path }))
  const { sql } = read(platform.meta, { id: '' }).compile()
  const file = join(folder.path, 'meta.sqlite')
  const handle = openReader(file)
  const plain = new DatabaseSync(file, { readOnly: true })
  const kept = plain.prepare(sql)
  const names = new RecentlyUsed<string>(1_000)
  names.keep(sql, 'kept')
  const settings = new VersionedCache()
  const idOf = (i: number) => userId(i % 1_000)
  try {
    return [
      await compared('a statement compiled once', 10_000, {
        ours: (i) => void compiledOnce(platform.meta, { id: idOf(i) }).compile(),
        plain: (i) => void read(platform.meta, { id: idOf(i) }).compile(),
      }),
      await compared('a prepared statement of SQLite kept, and rows from arrays', 10_000, {
        ours: (i) => void handle.run({ sql, parameters: [idOf(i)] }),
        plain: (i) => void plain.prepare(sql).all(idOf(i)),
      }),
      await compared('rows from arrays', 10_000, {
        ours: (i) => void Object.values(handle.run({ sql, parameters: [idOf(i)] }).rows[0] ?? {}),
        plain: (i) => void Object.values(kept.all(idOf(i))[0] ?? {}),
      }),
      await compared('a name found by its SQL, against a plain map', 100_000, {
        ours: () => void names.use(sql),
        plain: (
          (map) => () =>
            void map.get(sql)
        )(new Map([[sql, 'kept']])),
      }),
      await compared('settings kept by their revision', 500, {
        ours: async () => void (await settings.read('settings', '1', () => readSettings(platform.meta))),
        plain: async () => void (await readSettings(platform.meta)),
      }),
    ]
  } finally {
    handle.close()
    plain.close()
    await platform.close()
  }
}

/** Of the client and the server. */
async function onPostgres(): Promise<readonly Figure[]> {
  const cluster = await startCluster({ replicas: 0 })
  const client = new pg.Client(cluster.primary.url())
  await client.connect()
  const text = `select ${Array.from({ length: 21 }, (_, i) => `$1 || '${i}' as column_${i}`).join()}`
  const server = () => processorTimeOfAll(cluster.primary.pids() ?? [])
  const statement: PreparedStatement = { name: 'ours', columns: undefined }
  const ours = (i: number) =>
    new Promise<void>((resolve, reject) => {
      const done = (error: Error | null) => (error ? reject(error) : resolve())
      client.query(new PreparedQuery({ text, values: [`${i}`] }, statement, done))
    })
  const named = async (i: number) => void (await client.query({ name: 'named', text, values: [`${i}`] }))
  const unnamed = async (i: number) => void (await client.query(text, [`${i}`]))
  try {
    return [
      await compared('columns described once, against a named query of pg', 5_000, { ours, plain: named }, server),
      await compared('columns described once, against no name', 5_000, { ours, plain: unnamed }, server),
    ]
  } finally {
    await client.end()
    await cluster.stop()
  }
}

type Use = (number: number) => void | Promise<void>

/** Both ways once a round, the first of which warms up; the medians of the rounds. */
async function compared(
  what: string,
  uses: number,
  { ours, plain }: { readonly ours: Use; readonly plain: Use },
  others: () => number = () => 0,
): Promise<Figure> {
  const costs = { ours: [] as number[], plain: [] as number[] }
  for (let number = 0; number <= ROUNDS; number++) {
    const [one, other] = [await costOf(ours, uses, others), await costOf(plain, uses, others)]
    if (number === 0) continue
    costs.ours.push(one)
    costs.plain.push(other)
  }
  const [a, b] = [median(costs.ours), median(costs.plain)]
  return { what, ours: round(a), plain: round(b), 'of the plain way': round(a / b) }
}

async function costOf(use: Use, uses: number, others: () => number): Promise<number> {
  const before = others()
  const start = process.cpuUsage()
  for (let done = 0; done < uses; ) {
    const turn: (void | Promise<void>)[] = []
    for (let i = 0; i < AT_ONCE; i++) turn.push(use(done++))
    await Promise.all(turn)
  }
  const { user, system } = process.cpuUsage(start)
  return (user + system + (others() - before) * 1000) / uses
}
