import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { PostgresEngine } from '../../../src/database/postgres/engine.ts'
import { FIRST_PRIMARY } from '../../../src/database/read-position.ts'
import { Store, StoreUnavailable } from '../../../src/database/store.ts'
import { within } from '../../../src/rules/time.ts'
import { startPgBouncer } from '../../postgres/pgbouncer.ts'
import { findExecutable } from '../../processes/executable.ts'
import { assertRefusedStore, join, onCluster, type Tables, untilSo } from '../support/replicated.ts'

const program = findExecutable('pgbouncer')
const it = onCluster({ replicas: 0 }).extend<{ $file: { url: string } }>({
  url: [
    async ({ primary }, use) => {
      const pooler = await startPgBouncer(program ?? '', primary.port)
      await use(pooler.through(primary.url()))
      await pooler.stop()
    },
    { scope: 'file' },
  ],
})

describe.skipIf(program === undefined)('PgBouncer in transaction mode (needs pgbouncer)', () => {
  it('is refused with a reason if the address does not name it', ({ url }) =>
    assertRefusedStore(url, /add pgbouncer=true to the address/))

  it('carries statements and bookmarks of many visitors over two server connections', async ({ url }) => {
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

  it('keeps batches whole', async ({ url }) => {
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

  it('is given up in seconds, and so is what waits behind it, if the server behind it is silent', async ({
    url,
    primary,
  }) => {
    const store = new Store<Tables>(new PostgresEngine('meta', { url: `${url}?pgbouncer=true`, connections: 2 }))
    const read = () => store.selectFrom('counter').select('id').execute()
    const decide = () => store.decide([store.selectFrom('counter').select('id')], async () => undefined)
    await Promise.all([read(), decide()])

    primary.signal('SIGSTOP')
    const all = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? read() : decide()))
    const refused = Promise.all(all.map((one) => assert.rejects(one, StoreUnavailable)))
    const outcome = await within(12_000, refused)
    primary.signal('SIGCONT')

    assert.ok(outcome, 'somebody waits for longer')
    await untilSo('it works again', () =>
      read().then(
        () => true,
        () => false,
      ),
    )
    await store.close()
  })
})
