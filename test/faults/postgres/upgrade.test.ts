import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { CompiledQuery, sql } from 'kysely'
import pg from 'pg'
import { afterAll, describe } from 'vitest'
import { type Migration, migrate } from '../../../src/database/migrations/migrate.ts'
import { PostgresEngine } from '../../../src/database/postgres/engine.ts'
import type { MetaTables } from '../../../src/database/schema/tables.ts'
import { Store, StoreUnavailable } from '../../../src/database/store.ts'
import { wordsFor } from '../../../src/operator/commands/program/operator-words.ts'
import { command, freshDatabase, withClient } from '../../postgres/databases.ts'
import { type PgBouncer, startPgBouncer } from '../../postgres/pgbouncer.ts'
import type { PostgresServer } from '../../postgres/server.ts'
import { findExecutable } from '../../processes/executable.ts'
import { onCluster, untilSo } from '../support/replicated.ts'

/** Soon reached by a migration that is held up, and long for a statement, even if this process stands still meanwhile. */
const LIMIT_MILLISECONDS = 2_000
const GATE = 9
/** Connections of this machine, as Linux lists them. */
const SOCKETS = '/proc/net/tcp'

const pooling = findExecutable('pgbouncer')
const it = onCluster({ replicas: 0 })
let pooler: PgBouncer | undefined

it.beforeAll(async ({ primary }) => {
  if (pooling) pooler = await startPgBouncer(pooling, primary.port)
})

afterAll(() => pooler?.stop())

const SERVERS_LIMITS = ['lock_timeout', 'statement_timeout']
const directly = (url: string) => `${url}?${limited(['query_timeout', ...SERVERS_LIMITS]).join('&')}`
const throughPgBouncer = (url: string) =>
  `${pooler?.through(url)}?pgbouncer=true&${limited(['query_timeout']).join('')}`

const ROUTES = [
  { route: 'directly', addressOf: directly, canRun: true },
  {
    route: 'through a PgBouncer (needs pgbouncer)',
    addressOf: throughPgBouncer,
    canRun: pooling !== undefined,
  },
]

for (const { route, addressOf, canRun } of ROUTES)
  describe.skipIf(!canRun)(`a migration that runs ${route}`, () => {
    it('takes as long as it needs, and so does another process that waits for it', async ({ primary }) => {
      await using upgrade = await startUpgrade(primary, addressOf)
      await using other = upgrade.open()

      const first = migrate(upgrade.store, [GATED], 1)
      await Promise.race([first, upgrade.until(AT_THE_GATE)])
      const second = migrate(other, [GATED], 2)
      const forLong = `clock_timestamp() - query_start > '${1.2 * LIMIT_MILLISECONDS} ms'`
      await Promise.race([first, second, upgrade.until(`${BEHIND_ANOTHER} and ${forLong}`)])
      await upgrade.openGate()
      await Promise.all([first, second])

      assert.deepEqual(await upgrade.applied(), [{ name: 'gated', applied_at: 1 }])
      await assert.rejects(sql`select pg_sleep(60)`.execute(upgrade.store), StoreUnavailable)
    })

    it('waits only briefly for a table that a transaction uses, and is applied later', async ({ primary }) => {
      await using upgrade = await startUpgrade(primary, addressOf)
      const started: string[] = []
      const run = () => migrate(upgrade.store, [ALTERING], 1, { starts: (name) => started.push(name) })

      await withClient(upgrade.url, async (holder) => {
        await holder.query('begin')
        await holder.query('select from item')
        await assert.rejects(run(), (error) => /\(.*lock timeout\)$/.test(wordsFor(error)))
      })
      assert.deepEqual(started, [])

      assert.deepEqual(await run(), ['altering'])
      assert.deepEqual(started, ['altering'])
    })

    it('locks its tables together, so that no request waits in a circle with it', async ({ primary }) => {
      await using upgrade = await startUpgrade(primary, addressOf)
      await command(upgrade.url, 'create table other (id int)')
      const both = ['other', 'item'].map((table) => `alter table ${table} add column name text`)

      await withClient(upgrade.url, async (request) => {
        await request.query('begin')
        await request.query('select from item')
        const done = migrate(upgrade.store, [step('both', ...both)], 1)
        await Promise.race([done, upgrade.until(BEHIND_A_TABLE)])
        await request.query('select from other')
        await request.query('commit')

        assert.deepEqual(await done, ['both'])
      })
    })

    it('that loses its connection ends with one line, and the process that waits applies it', async ({ primary }) => {
      await using upgrade = await startUpgrade(primary, addressOf)
      await using other = upgrade.open()

      const first = migrate(upgrade.store, [GATED], 1).catch(wordsFor)
      await Promise.race([first, upgrade.until(AT_THE_GATE)])
      const second = migrate(other, [GATED], 2)
      await Promise.race([second, upgrade.until(BEHIND_ANOTHER)])
      await upgrade.find('pg_terminate_backend(pid)', AT_THE_GATE)
      const words = await first
      await upgrade.openGate()
      await second

      assert.match(String(words), /^store meta is not available \(.*terminat.*\)$/)
      assert.deepEqual(await upgrade.applied(), [{ name: 'gated', applied_at: 2 }])
    })
  })

describe('a migration', () => {
  it.skipIf(!pooling)(
    'waits only briefly even if the role behind a PgBouncer has no limit (needs pgbouncer)',
    async ({ primary }) => {
      await using upgrade = await startUpgrade(primary, (url) => `${pooler?.through(url)}?pgbouncer=true`, [])
      const noting = step('noting', `insert into noted select current_setting('lock_timeout')`)

      await migrate(upgrade.store, [step('noted', 'create table noted (setting text)'), noting], 1)

      const { rows } = await sql`select setting from noted`.execute(upgrade.store)
      assert.deepEqual(rows, [{ setting: '5s' }])
    },
  )

  it.skipIf(!existsSync(SOCKETS))(
    `asks every few seconds if the other side is there (needs ${SOCKETS})`,
    async ({ primary }) => {
      await using upgrade = await startUpgrade(primary, directly)

      const done = migrate(upgrade.store, [GATED], 1)
      await Promise.race([done, upgrade.until(AT_THE_GATE)])
      const [{ client_port: port }] = await upgrade.find('client_port', AT_THE_GATE)
      const seconds = secondsUntilProbed(port)
      await upgrade.openGate()
      await done

      assert.ok(seconds !== undefined && seconds <= 10, `it is asked after ${seconds} s`)
    },
  )
})

function limited(settings: readonly string[]): readonly string[] {
  return settings.map((name) => `${name}=${LIMIT_MILLISECONDS}`)
}

function step(name: string, ...texts: readonly string[]): Migration {
  return { name, up: () => texts.map((text) => ({ compile: () => CompiledQuery.raw(text) })) }
}

/** Ends when the gate is open. A lock that it waited for would be waited for only briefly. */
const GATED = step(
  'gated',
  `do $$ begin while not pg_try_advisory_xact_lock(${GATE}) loop perform pg_sleep(0.01); end loop; end $$`,
)
const ALTERING = step('altering', 'alter table item add column name text')

/** Statements of a migration, as the server lists them. */
const AT_THE_GATE = "query like 'do %'"
const BEHIND_A_TABLE = "wait_event = 'relation'"
const BEHIND_ANOTHER = "wait_event = 'transactionid'"

/** A store whose limits are soon reached, and a gate that is closed. */
async function startUpgrade(primary: PostgresServer, addressOf: (url: string) => string, limits = SERVERS_LIMITS) {
  await using opening = new AsyncDisposableStack()
  const { url, drop } = await freshDatabase(primary.url())
  opening.defer(drop)
  const name = new URL(url).pathname.slice(1)
  for (const limit of limited(limits)) await command(url, `alter database ${name} set ${limit}`)
  await command(url, 'create table item (id int)')
  const open = () => {
    const store = new Store<MetaTables>(new PostgresEngine('meta', { url: addressOf(url) }))
    return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() })
  }
  const store = opening.use(open())
  const watcher = new pg.Client(url)
  await watcher.connect()
  opening.defer(() => watcher.end())
  await watcher.query(`select pg_advisory_lock(${GATE})`)
  const find = async (columns: string, condition: string) => {
    const others = 'datname = current_database() and pid <> pg_backend_pid()'
    return (await watcher.query(`select ${columns} from pg_stat_activity where ${others} and ${condition}`)).rows
  }
  const opened = opening.move()
  return {
    url,
    store,
    open,
    openGate: () => watcher.query(`select pg_advisory_unlock(${GATE})`),
    applied: () => store.selectFrom('schema_migration').selectAll().execute(),
    find,
    until: (condition: string) => untilSo(condition, async () => (await find('pid', condition)).length === 1),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

const ESTABLISHED = '01'
const KEEPALIVE = '02'
const TICKS_A_SECOND = 100

/** When the system next asks the other side whether it is there; undefined if it never does. */
function secondsUntilProbed(port: number): number | undefined {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const sockets = readFileSync(SOCKETS, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
  const socket = sockets.find(([, address, , state]) => address?.endsWith(local) && state === ESTABLISHED)
  const [kind, ticks = ''] = socket?.[5]?.split(':') ?? []
  return kind === KEEPALIVE ? Number.parseInt(ticks, 16) / TICKS_A_SECOND : undefined
}
