import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it as onService } from '../../../test/service/it.ts'
import type { Service } from '../../../test/service/service.ts'
import { freshStores } from '../../../test/service/stores/fresh-stores.ts'
import { tablesAfter } from '../../../test/service/stores/tables.ts'
import { keepFirst } from '../../database/instance.ts'
import { metaMigrations } from '../../database/migrations/meta.ts'
import { shardMigrations } from '../../database/migrations/shard.ts'
import { rowCount } from '../../database/row-counts.ts'
import { closeStores, openStores, type Stores } from '../../database/stores.ts'
import { BELONGINGS } from '../../features/tenancy/moves/belongings-store.ts'
import { moveUser } from '../../features/tenancy/moves/moving.ts'
import { migrateStores } from '../../prepare.ts'
import { OperatorError } from '../../rules/operator-error.ts'
import { exportAll } from './export.ts'
import { importAll } from './import.ts'
import { type AnyStore, META_TABLES, rowsOf, SHARD_TABLES } from './tables.ts'
import { refuseUnfinishedImport } from './under-way.ts'

const LEFT_BEHIND = [
  ...[
    'application_refusal',
    'authorization_request',
    'code_guesses',
    'code_letters',
    'event_order',
    'idempotency_keys',
    'instance',
    'key_value',
  ],
  ...[
    'letter_queue',
    'mail_queue',
    'mailed_code',
    'organization_search',
    'pending_sign_in',
    'provider_flow',
    'row_counts',
    'schema_migration',
    'signing_key',
  ],
  ...['shard_moves', 'user_search', 'webhook', 'webhook_delivery'],
]

const it = onService.extend<{ readonly target: Stores }>({
  /** Migrated stores without users. */
  target: async ({ service }, use) => {
    const fresh = await freshStores(service.config)
    const target = await openStores(fresh.config)
    await migrateStores(target, service.clock.now)
    await use(target)
    await closeStores(target)
    await fresh.drop()
  },
})

async function linesOf({ platform }: Service, told: string[] = []): Promise<string[]> {
  const lines: string[] = []
  const progress = (done: number, total: number) => told.push(`${done}/${total}`)
  for await (const line of exportAll(platform, 'without secrets', progress)) lines.push(JSON.stringify(line))
  return lines
}

async function* given(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines
}

async function contentOf(store: AnyStore, tables: Parameters<typeof rowsOf>[1][]) {
  const content: Record<string, unknown[]> = {}
  for (const table of tables) {
    const rows: unknown[] = []
    for await (const row of rowsOf(store, table)) rows.push({ ...row })
    content[table.table] = rows
  }
  return content
}

describe('export and import', () => {
  it('copy every row of many pages unchanged, and report progress', async ({ service, administrator, ann, target }) => {
    await administrator.post('/api/admin/generate_beta_codes', { count: 100 })
    const marks = Array.from({ length: 1_700 }, (_, i) => ({ notification_id: `n${i}`, user_id: ann.id }))
    const source = service.platform.shards.get('apac-1')
    assert.ok(source)
    await source.insertInto('notification_reads').values(marks).execute()
    const told: string[] = []

    const lines = await linesOf(service, told)
    const rows = await importAll({ ...service.platform, ...target }, given(lines), () => undefined)

    assert.equal(lines.length, rows + 3)
    assert.deepEqual([told.at(-1), told.length], [`${rows}/${rows}`, Math.floor(rows / 500) + 1])
    const arrived = target.shards.get('apac-1')
    assert.ok(arrived)
    assert.deepEqual(
      await contentOf(target.meta, [...META_TABLES]),
      await contentOf(service.platform.meta, [...META_TABLES]),
    )
    assert.deepEqual(await contentOf(arrived, [...SHARD_TABLES]), await contentOf(source, [...SHARD_TABLES]))
    assert.deepEqual(
      await rowCount(target.meta.primary, 'audit_entry').execute(),
      await rowCount(service.platform.meta.primary, 'audit_entry').execute(),
    )
  })

  it('wait for users who are being moved between shards', async ({ service, ann }) => {
    const stop = () => {
      throw new Error('stopped here')
    }
    await assert.rejects(moveUser(service.platform, ann.id, 'oc-1', stop), /stopped here/)

    await assert.rejects(linesOf(service), /being moved between shards/)
  })

  it('a damaged line is refused with an explanation', async ({ service, target }) => {
    const [first = '', ...rest] = await linesOf(service)

    for (const line of ['{"store":', '{"store":"meta","table":"user","row":{"name":"a\\ud800"}}'])
      await assert.rejects(
        importAll({ ...service.platform, ...target }, given([first, line, ...rest]), () => undefined),
        /not a gatehouse export, or it is damaged/,
      )
  })

  it('a line that cannot be stored is refused with an explanation', async ({ service, ann, target }) => {
    const [first = '', ...rest] = await linesOf(service)

    for (const [line, what] of [
      ['{"store":"meta","table":"user","row":{"id":"new","of_a_newer_version":1}}', 'rows of meta.user'],
      [`{"store":"meta","table":"session","row":{"id":"new","user_id":"${ann.id}"}}`, 'rows of meta.session'],
      ['{"settings":{"credits":{"signup_reward_enabled":"yes"}}}', 'the settings'],
    ])
      await assert.rejects(
        importAll({ ...service.platform, ...target }, given([first, `${line}`, ...rest]), () => undefined),
        (error) => error instanceof OperatorError && error.message.startsWith(`${what} cannot be stored: the file`),
      )
  })

  it('two files in one are refused', async ({ service, target }) => {
    const lines = await linesOf(service)

    await assert.rejects(
      importAll({ ...service.platform, ...target }, given([...lines, ...lines]), () => undefined),
      /goes on after its end/,
    )
  })

  it('an import refused because of the cost of passwords leaves stores that accept another one', async ({
    service,
    target,
  }) => {
    const [header = '', ...rest] = await linesOf(service)
    const { password_iterations } = JSON.parse(header)
    const other = JSON.stringify({ ...JSON.parse(header), id: 'other', password_iterations: 7 })
    // The state that a preparation leaves if it stops before it makes the administrator.
    await keepFirst(target.meta, 'password_iterations', String(password_iterations))

    await assert.rejects(
      importAll({ ...service.platform, ...target }, given([other, ...rest]), () => undefined),
      /passwords here have another cost/,
    )

    await refuseUnfinishedImport(target.meta)
    assert.ok(await importAll({ ...service.platform, ...target }, given([header, ...rest]), () => undefined))
  })

  it('cover every table', async () => {
    const [meta, shard] = await Promise.all([tablesAfter(metaMigrations), tablesAfter(shardMigrations)])

    const known = META_TABLES.map(({ table }) => table)
    assert.deepEqual(new Set(meta.map(({ name }) => name)), new Set([...known, ...LEFT_BEHIND, 'settings']))
    const inShard = SHARD_TABLES.map(({ table }) => table)
    assert.deepEqual(
      new Set(shard.map(({ name }) => name)),
      new Set([...inShard, 'idempotency_keys', 'instance', 'schema_migration']),
    )
  })

  it('a move takes along every table of a shard that names users', async () => {
    const tables = await tablesAfter(shardMigrations)

    const ofUsers = tables.filter(({ columns }) => columns.includes('user_id'))
    assert.deepEqual(
      new Set(ofUsers.map(({ name }) => name)),
      new Set([...BELONGINGS.map(({ table }) => table), 'residents']),
    )
  })
})
