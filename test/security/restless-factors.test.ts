import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { CompiledQuery, QueryResult } from 'kysely'
import type { Config } from '../../src/config/config.ts'
import { isPostgres } from '../../src/config/shards.ts'
import { PostgresEngine } from '../../src/database/postgres/engine.ts'
import type { MetaTables } from '../../src/database/schema/tables.ts'
import { SqliteEngine } from '../../src/database/sqlite/engine.ts'
import { type Reads, Store } from '../../src/database/store.ts'
import { openShard, type Stores } from '../../src/database/stores.ts'
import { WrappedEngine } from '../interleavings/engines/wrapped-engine.ts'
import { people } from '../service/people.ts'
import { startService } from '../service/service.ts'

describe('a sign-in whose factors change before each statement', () => {
  it('is refused after twenty turns, and works once they stay the same', async () => {
    const changes = { left: 0 }
    await using service = await startService({ open: (config) => openWith(changes, config) })
    const { ann } = await people(service)
    const signIn = () => ann.post('/api/auth/sign-in/email', { email: ann.email, password: ann.password })

    // More than the turns, and an end, so that a loop without one is seen as a wrong response.
    changes.left = 100
    const restless = await signIn()
    const changesSeen = 100 - changes.left
    changes.left = 0
    const calm = await signIn()

    assert.deepEqual([restless.status, changesSeen, calm.status], [503, 20, 200])
  })
})

interface Changes {
  left: number
}

/** While changes are left, each look at the factors finds others than before, and no batch of a sign-in succeeds. */
class RestlessEngine extends WrappedEngine {
  readonly #changes: Changes

  constructor(changes: Changes, url: string) {
    super(isPostgres(url) ? new PostgresEngine('meta', { url }) : new SqliteEngine('meta', url))
    this.#changes = changes
  }

  override async run(query: CompiledQuery, reads: Reads): Promise<QueryResult<unknown>> {
    const result = await super.run(query, reads)
    if (this.#changes.left === 0 || !query.sql.includes('"is_trusted"')) return result
    const factors = this.#changes.left-- % 2 === 0 ? 'totp' : ''
    return { ...result, rows: result.rows.map((row) => Object.assign({}, row, { factors })) }
  }

  override async batch(queries: readonly CompiledQuery[]): Promise<readonly QueryResult<unknown>[]> {
    return this.#changes.left === 0 ? super.batch(queries) : queries.map(() => ({ rows: [] }))
  }
}

async function openWith(changes: Changes, { databaseUrl = ':memory:', shards }: Config): Promise<Stores> {
  const opened = shards.map(async (shard) => [shard.id, await openShard(shard)] as const)
  const meta = new Store<MetaTables>(new RestlessEngine(changes, databaseUrl))
  return { meta, shards: new Map(await Promise.all(opened)) }
}
