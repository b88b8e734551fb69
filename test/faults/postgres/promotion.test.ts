import assert from 'node:assert/strict'
import { FIRST_PRIMARY } from '../../../src/database/read-position.ts'
import { streamFrom } from '../../postgres/cluster.ts'
import { command } from '../../postgres/databases.ts'
import { assertRefusedStore, join, onCluster, untilSo } from '../support/replicated.ts'

const it = onCluster({ replicas: 2 })

it('a replica in place of the primary is unavailable, and the reason says what to do', ({ first }) =>
  assertRefusedStore(first.url(), /: it is a replica; give the address of its primary$/))

it('a replica that lags delays no request, is not used, and serves again when it has caught up', async ({
  primary,
  first,
}) => {
  await using process = join(primary.url(), [first.url()])
  const until = (state: string) =>
    untilSo(`the replica is ${state}`, async () => {
      const { value, bookmark } = await process.write(FIRST_PRIMARY, 9)
      assert.equal((await process.read(bookmark, 9)).value, value)
      return process.replicas()[0]?.state === state
    })
  await until('serving')

  // Waiting for it would never end, because it continues only after these have ended.
  await command(first.url(), 'select pg_wal_replay_pause()')
  await until('lagging')

  await command(first.url(), 'select pg_wal_replay_resume()')
  await until('serving')
})

it('after a promotion and a start with the new address, old bookmarks are harmless and the history is another', async ({
  primary,
  first: heir,
  second: other,
}) => {
  const old = join(primary.url(), [heir.url(), other.url()])
  const { bookmark: before } = await old.write(FIRST_PRIMARY, 1)
  const oldHistory = await old.history()
  await untilSo('both replicas serve', async () => {
    await old.read(before, 1)
    return old.replicas().every(({ state }) => state === 'serving')
  })

  await primary.kill()
  await old.close()
  await command(heir.url(), 'select pg_promote()')
  await other.stop()
  await other.start([streamFrom(heir, 'replica_2')])
  await using process = join(heir.url(), [other.url()])

  const { value, bookmark } = await process.write(before, 1)
  assert.equal(value, 2)
  assert.match(bookmark, /^meta=2-/)
  assert.notEqual(await process.history(), oldHistory)
  for (const stale of [before, 'meta=1-FFFFFFFF/FFFFFFFF', FIRST_PRIMARY]) {
    const seen = await process.read(stale, 1)
    assert.equal(seen.value, 2)
    assert.match(seen.bookmark, /^meta=2-/)
  }
  await untilSo('the other replica serves the new timeline', async () => {
    assert.equal((await process.read(bookmark, 1)).value, 2)
    return process.servedBy(other.port) > 0
  })
})
