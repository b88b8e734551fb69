import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it } from '../../../test/service/answering.ts'
import { MemoryLog } from '../../../test/service/fakes/memory-log.ts'
import { turnstileChallenge } from './challenge.ts'

const OFFLINE = 'http://127.0.0.1:1'
const challengeWith = (challengeSecret: string | undefined, challengeVerifyUrl = OFFLINE, log = new MemoryLog()) =>
  turnstileChallenge({ challengeSiteKey: 'site', challengeSecret, challengeVerifyUrl }, log)

describe('challenge with a published test secret', () => {
  it('is answered offline: the dummy response passes, any other does not', async () => {
    const challenge = challengeWith('1x0000000000000000000000000000000AA')

    assert.equal(await challenge.verify('XXXX.DUMMY.TOKEN.XXXX', '203.0.113.9'), true)
    assert.equal(await challenge.verify('0.real-looking-response', '203.0.113.9'), false)
    assert.equal(await challenge.verify('', '203.0.113.9'), false)
  })

  it('the failing and the already-spent secrets refuse the dummy response', async () => {
    for (const digit of ['2', '3']) {
      const challenge = challengeWith(`${digit}x0000000000000000000000000000000AA`)
      assert.equal(await challenge.verify('XXXX.DUMMY.TOKEN.XXXX', '203.0.113.9'), false)
    }
  })
})

describe('challenge with a real secret', () => {
  it('asks the verifier with secret, client address and a response of at most 2,048 characters', async ({
    answering,
  }) => {
    const server = await answering(() => ({ body: { success: true } }))

    const challenge = challengeWith('secret-1', server.url)
    const longest = 'r'.repeat(2_048)

    assert.equal(await challenge.verify(longest, '203.0.113.9'), true)
    assert.equal(await challenge.verify(`${longest}r`, '203.0.113.9'), false)
    assert.deepEqual(
      server.heard.map(({ body }) => body),
      [`secret=secret-1&response=${longest}&remoteip=203.0.113.9`],
    )
  })

  it('checklist 32: refuses on a no, a malformed response, an error, and without a verifier', async ({ answering }) => {
    const answers = [
      { body: { success: false, 'error-codes': ['timeout-or-duplicate'] } },
      { body: '<h1>maintenance</h1>' },
      { status: 500, body: { success: true } },
      { body: { success: 'true' } },
      { body: { success: true, padding: 'x'.repeat(8_000_000) } },
    ]
    const server = await answering(() => answers.shift())
    const challenge = challengeWith('secret-1', server.url)

    while (answers.length > 0) assert.equal(await challenge.verify('response-1', '203.0.113.9'), false)
    assert.equal(server.heard.length, 5)
    assert.equal(await challengeWith('secret-1').verify('response-1', '203.0.113.9'), false)
  })

  it('a secret that the verifier rejects is logged, without the secret', async ({ answering }) => {
    const log = new MemoryLog()
    const server = await answering(() => ({
      body: { success: false, 'error-codes': ['invalid-input-secret'] },
    }))

    await challengeWith('secret-1', server.url, log).verify('response-1', '203.0.113.9')

    assert.equal(log.lines[0]?.level, 'error')
    assert.match(log.lines[0]?.message ?? '', /rejects CHALLENGE_SECRET/)
    assert.doesNotMatch(JSON.stringify(log.lines), /secret-1/)
  })

  it('without keys nothing passes', async () => {
    assert.equal(await challengeWith(undefined).verify('XXXX.DUMMY.TOKEN.XXXX', '203.0.113.9'), false)
  })
})
