import assert from 'node:assert/strict'
import { PostgresEngine } from '../../../src/database/postgres/engine.ts'
import { FIRST_PRIMARY } from '../../../src/database/read-position.ts'
import { Store, StoreUnavailable } from '../../../src/database/store.ts'
import { type Cluster, startCluster } from '../../postgres/cluster.ts'
import { command } from '../../postgres/databases.ts'
import { type PgBouncer, startPgBouncer } from '../../postgres/pgbouncer.ts'
import { findExecutable } from '../../processes/executable.ts'
import { after, before, describe, it } from '../../running/node-test.ts'
import { join, type Tables } from '../support/replicated.ts'

const program = findExecutable('pgbouncer')

describe('PgBouncer in transaction mode', { skip: program ? false : 'pgbouncer is not installed' }, () => {
  let cluster: Cluster
  let pooler: PgBouncer
  let url: string

  before(async () => {
    cluster = await startCluster({ replicas: 0 })
    await command(
      cluster.primary.url(),
      'create table counter (id bigint primary key, value bigint not null)',
    )
    pooler = await startPgBouncer(program ?? '', cluster.primary.port)
    url = pooler.through(cluster.primary.url())
  })

  after(async () => {
    await pooler.stop()
    await cluster.stop()
  })

  it('is refused with a reason if the address does not name it', async () => {
    const store = new Store(new PostgresEngine('meta', { url }))

    await assert.rejects(store.ping(), (error) => {
      assert.ok(error instanceof StoreUnavailable && error.cause instanceof Error)
      assert.match(error.cause.message, /add pgbouncer=true to the address/)
      return true
    })
    await store.close()
  })

  it('carries statements and bookmarks of many visitors over two server connections', async () => {
    await using process = join(`${url}?pgbouncer=true`, [])

    const visits = await Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        let bookmark = FIRST_PRIMARY
        for (let round = 1; round <= 10; round++) {
          const written = await process.write(bookmark, i)
          const seen = await process.read(written.bookmark, i)
          assert.equal(seen.value, round)
          bookmark = seen.bookmark
        }
        return bookmark
      }),
    )

    for (const bookmark of visits) assert.match(bookmark, /^meta=1-0\//)
  })

  it('keeps batches whole', async () => {
    const store = new Store<Tables>(new PostgresEngine('meta', { url: `${url}?pgbouncer=true` }))
    const insert = (id: number) => store.insertInto('counter').values({ id, value: 1 })

    const outcomes = await Promise.allSettled(
      Array.from({ length: 100 }, (_, i) =>
        store.batch(i % 2 === 0 ? [insert(1_000 + i), insert(1_000 + i)] : [insert(1_000 + i)]),
      ),
    )

    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 50)
    const kept = await store.selectFrom('counter').select('id').where('id', '>=', 1_000).execute()
    assert.equal(kept.length, 50)
    await store.close()
  })
})
