import assert from 'node:assert/strict'
import { decodeProtectedHeader } from 'jose'
import { describe } from 'vitest'
import { publishedKeys, signingKey } from '../../../src/features/ground/signing/keys.ts'
import { signingKeysJob } from '../../../src/features/ground/signing/rotation.ts'
import { VersionedCache } from '../../../src/platform/caches/versioned-cache.ts'
import { statuses } from '../../service/answers.ts'
import { it } from '../../service/it.ts'
import { stranger } from '../../service/people.ts'

describe('a clock that is behind the first signing key', () => {
  for (const behind of [{ seconds: -30 }, { days: -2 }])
    it(`checklist 87: still signs with that key, and publishes it (${JSON.stringify(behind)})`, async ({
      service,
      ann,
    }) => {
      const before = await ann.get('/api/auth/token')
      const published = await stranger(service).get('/api/auth/jwks')
      service.clock.advance(behind)

      const after = await ann.get('/api/auth/token')
      const keys = await stranger(service).get('/api/auth/jwks')
      await service.runJob('signing-keys')

      assert.deepEqual(statuses([before, published, after, keys]), [200, 200, 200, 200])
      assert.equal(kidOf(after.body.token), kidOf(before.body.token))
      assert.deepEqual(keys.body, published.body)
      assert.deepEqual(await publishedKeys(service.platform), published.body)
    })

  it('checklist 87: of a second process at the first start, signs with the key of the first', async ({ service }) => {
    const { platform } = service
    const second = { ...platform, versioned: new VersionedCache(), now: () => platform.now() - 5_000 }

    const [first, behind] = await Promise.all([platform, second].map((one) => signingKey(one, 'EdDSA')))
    const ahead = await signingKey(platform, 'RS256')
    await signingKeysJob(second).run()
    const { keys } = await publishedKeys(second)

    assert.equal(behind?.kid, first?.kid)
    const kids = keys.map(({ kid }) => kid)
    assert.deepEqual(kids, [first?.kid, ahead.kid])
  })

  it('checklist 87: signs with the oldest key that is left after a rotation, and makes none beside it', async ({
    service,
  }) => {
    await service.runJob('signing-keys')
    service.clock.advance({ days: 89 })
    await service.runJob('signing-keys')
    service.clock.advance({ days: 1, hours: 2 })
    await service.runJob('signing-keys')
    const current = await signingKey(service.platform, 'EdDSA')
    const published = await publishedKeys(service.platform)
    service.clock.advance({ hours: -3 })

    const behind = await signingKey(service.platform, 'EdDSA')
    await service.runJob('signing-keys')

    assert.equal(published.keys.length, 2)
    assert.equal(behind.kid, current.kid)
    assert.deepEqual(await publishedKeys(service.platform), published)
  })
})

const kidOf = (token: string) => decodeProtectedHeader(token).kid
