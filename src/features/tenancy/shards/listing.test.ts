import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it } from '../../../../test/service/it.ts'
import { isShared } from '../../../database/sql/row-lock.ts'

describe('admin/list_shards', () => {
  it('has the room of each shard: its disk, or on PostgreSQL the size of its database', async ({
    service,
    administrator,
  }) => {
    const { items } = (await administrator.post('/api/admin/list_shards')).body

    for (const { free_bytes, size_bytes } of items) {
      const [known, absent] = isShared(service.platform.meta) ? [size_bytes, free_bytes] : [free_bytes, size_bytes]
      assert.equal(absent, null)
      if (isShared(service.platform.meta)) assert.ok(known > 1_000_000, `${known}`)
    }
  })

  it('has SHARDS without passwords, and the users that are on their way', async ({ service, administrator, ann }) => {
    const { meta } = service.platform
    const move = { user_id: ann.id, from_shard: 'apac-1', to_shard: 'oc-1', attempt: 1, claimed_at: 0 }
    await meta.insertInto('shard_moves').values(move).execute()

    const { body } = await administrator.post('/api/admin/list_shards')

    const ends = body.items.map(({ id, leaving, arriving }: Record<string, unknown>) => [id, leaving, arriving])
    assert.deepEqual(ends, [
      ['apac-1', 1, 0],
      ['oc-1', 0, 1],
      ['weur-1', 0, 0],
    ])
    assert.match(body.configured, /^apac-1:apac=.+,weur-1:weur=.+,oc-1:oc=/)
    assert.doesNotMatch(body.configured, /:[^:/*]+@/)
    assert.deepEqual(body.unused, [])
  })
})
