import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { currentSenderLeaving } from '../../../src/database/current-request.ts'
import { TookTooLong } from '../../../src/database/store.ts'
import { getShard } from '../../../src/features/tenancy/shards/shards.ts'
import { VersionedCache } from '../../../src/platform/caches/versioned-cache.ts'
import { assertRefused, statuses } from '../../service/answers.ts'
import { it } from '../../service/it.ts'
import { type Person, stranger } from '../../service/people.ts'

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

  it('whose result others wait for goes on when the first of them has left', async ({ service }) => {
    const { meta, versioned } = service.platform
    const counting = Promise.withResolvers<void>()
    const mayEnd = Promise.withResolvers<void>()
    const snapshot = meta.snapshot.bind(meta)
    const slow: typeof meta.snapshot = async (queries, from, length) => {
      if (length !== 'long') return snapshot(queries, from, length)
      const leaving = currentSenderLeaving()
      counting.resolve()
      await mayEnd.promise
      if (leaving?.aborted) throw new TookTooLong()
      return snapshot(queries, from, length)
    }
    const bothWait = Promise.withResolvers<void>()
    let waiting = 0
    const read: typeof versioned.read = (name, ...rest) => {
      if (name === 'users by shard' && ++waiting === 2) bothWait.resolve()
      return VersionedCache.prototype.read.call(versioned, name, ...rest) as ReturnType<(typeof rest)[1]>
    }
    // They were counted for the administrator in the minute before.
    service.clock.advance({ minutes: 1 })
    Object.assign(meta, { snapshot: slow })
    // Resets it as after a start, when no count is known.
    Object.assign(versioned, { read, latest: read })
    const leaving = new AbortController()
    const signUp = ({ email, password }: Person, signal?: AbortSignal) =>
      service.request('/api/auth/sign-up/email', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password, name: email }),
        ...(signal && { signal }),
      })

    const left = signUp(stranger(service, 'carl@example.com'), leaving.signal)
    await counting.promise
    const stays = signUp(stranger(service, 'dora@example.com'))
    await bothWait.promise
    leaving.abort()
    mayEnd.resolve()

    assert.deepEqual(statuses([await stays, await left]), [200, 200])
  })

  it('or a count that never ends holds up no sign-up', async ({ service }) => {
    const { meta } = service.platform
    const snapshot = meta.snapshot.bind(meta)
    const stuck: typeof meta.snapshot = (queries, from, length) =>
      length === 'long' ? new Promise(() => undefined) : snapshot(queries, from, length)
    service.clock.advance({ minutes: 1 })
    Object.assign(meta, { snapshot: stuck })
    // A process that has just started knows no count.
    const started = { ...service, request: service.requestElsewhere }

    const answers = [
      await stranger(service, 'carl@example.com').signUp(),
      await stranger(started, 'dora@example.com').signUp(),
      await stranger(started, 'emil@example.com').signUp(),
    ]

    assert.deepEqual(statuses(answers), [200, 200, 200])
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
