import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { currentSenderLeaving } from '../../../src/database/current-request.ts'
import { TookTooLong } from '../../../src/database/store.ts'
import { getShard } from '../../../src/features/tenancy/shards/shards.ts'
import { assertRefused } from '../../service/answers.ts'
import { it } from '../../service/it.ts'

describe('110. a search', () => {
  it('ends when its client has left', async ({ service, administrator }) => {
    const reads: (AbortSignal | undefined)[] = []
    const begun = Promise.withResolvers<void>()
    const endless = () =>
      new Promise((_, reject) => {
        const leaving = currentSenderLeaving()
        reads.push(leaving)
        leaving?.addEventListener('abort', () => reject(new TookTooLong()))
        begun.resolve()
      })
    Object.assign(getShard(service.platform, 'apac-1'), { snapshot: endless })
    const leaving = new AbortController()

    const answer = administrator.send('/api/admin/list_feedbacks', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ search: 'anything' }),
      signal: leaving.signal,
    })
    await begun.promise
    leaving.abort()

    assertRefused(await answer, 'STORE_UNAVAILABLE')
    assert.deepEqual(
      reads.map((signal) => signal?.aborted),
      [true],
    )
  })

  it('that takes too long says so, and is no fault of the store', async ({ service, administrator }) => {
    Object.assign(getShard(service.platform, 'apac-1'), { snapshot: () => Promise.reject(new TookTooLong()) })

    const answer = await administrator.post('/api/admin/list_feedbacks', { search: 'anything' })

    assertRefused(answer, 'STORE_UNAVAILABLE')
    assert.match(answer.body.message, /longer than ten seconds/)
    assert.ok(Number(answer.headers.get('retry-after')) > 0)
    assert.deepEqual(
      service.log.lines.filter(({ level }) => level === 'error'),
      [],
    )
  })
})
