import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it } from '../../../../test/service/it.ts'
import type { Service } from '../../../../test/service/service.ts'
import { erasureJob } from './erasure.ts'

describe('a numbered erasure', () => {
  it('is forgotten 30 days after it was done, and kept for as long as it is not', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    const { platform } = service
    await administrator.post('/api/admin/delete_user', { id: ann.id })
    await service.runJob('erasure')
    await administrator.post('/api/admin/delete_user', { id: ben.id })
    await erasureJob({ ...platform, shards: new Map() }).run()
    const sweptAfter = async (days: number) => {
      service.clock.advance({ days })
      await service.runJob('erasure-sweep')
      return erasures(service)
    }

    const kept = [await sweptAfter(30), await sweptAfter(1)]
    await service.runJob('erasure')

    assert.deepEqual(kept, [[ann.id, ben.id], [ben.id]])
    assert.deepEqual(await sweptAfter(31), [])
  })
})

async function erasures({ platform: { meta } }: Service): Promise<readonly string[]> {
  const rows = await meta.selectFrom('erasure').select('user_id').orderBy('id').execute()
  return rows.map(({ user_id }) => user_id)
}
