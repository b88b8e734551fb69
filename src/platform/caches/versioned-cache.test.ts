import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { VersionedCache } from './versioned-cache.ts'

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
})
