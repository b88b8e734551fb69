import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { VersionedCache } from './versioned-cache.ts'

const madeUp = () => 'made up'

describe('a value that is remembered for a version', () => {
  it('is loaded again after its load has failed', async () => {
    const cache = new VersionedCache()
    await assert.rejects(cache.read('name', 1, () => Promise.reject(new Error('failed'))))

    assert.equal(await cache.read('name', 1, async () => 'loaded'), 'loaded')
  })

  it('stays remembered if the load of an older version fails later', async () => {
    const cache = new VersionedCache()
    const older = Promise.withResolvers<string>()
    const failing = cache.read('name', 1, () => older.promise)
    const newer = cache.read('name', 2, async () => 'newer')

    older.reject(new Error('failed'))
    await assert.rejects(failing)

    assert.equal(
      cache.read('name', 2, async () => 'loaded again'),
      newer,
    )
    assert.equal(await newer, 'newer')
  })

  it('is the former one while a newer one is loaded, also if that fails', async () => {
    const cache = new VersionedCache()
    const newer = Promise.withResolvers<string>()
    await cache.latest('name', 1, async () => 'former', madeUp)

    const meanwhile = await cache.latest('name', 2, () => newer.promise, madeUp)
    newer.reject(new Error('failed'))
    await assert.rejects(cache.read('name', 2, () => assert.fail('it is being loaded')))
    const afterFailure = await cache.latest('name', 2, async () => 'loaded', madeUp)
    await cache.read('name', 2, () => assert.fail('it is being loaded'))
    const last = await cache.latest('name', 2, () => assert.fail('it is loaded'), madeUp)

    assert.deepEqual([meanwhile, afterFailure, last], ['former', 'former', 'loaded'])
  })

  it('is made up while the very first load takes too long', async () => {
    const cache = new VersionedCache()
    const first = Promise.withResolvers<string>()

    const meanwhile = await cache.latest('name', 1, () => first.promise, madeUp)
    first.resolve('loaded')
    await cache.read('name', 1, () => assert.fail('it is being loaded'))
    const later = await cache.latest('name', 2, () => new Promise(() => undefined), madeUp)

    assert.deepEqual([meanwhile, later], ['made up', 'loaded'])
  })
})
