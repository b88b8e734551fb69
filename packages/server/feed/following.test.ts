import assert from 'node:assert/strict'
import { describe, onTestFinished, vi } from 'vitest'
import { opaque, WrongClock } from '../../../test/service/verifier/fake-gatehouse.ts'
import {
  ANN,
  asked,
  bearer,
  beat,
  CREDENTIALS,
  followingOf,
  heard,
  it,
  verifierOf,
} from '../../../test/service/verifier/fake-product.ts'
import { createVerifier } from '../verifier.ts'

describe('gatehouse/server with client credentials', () => {
  it('remembers results, and refuses from the moment of the revocation', async ({ gatehouse, following }) => {
    gatehouse.sessions.set(opaque('ann'), 'session-one')

    const first = await following.verify(ANN)
    const second = await following.verify(ANN)
    gatehouse.revoke('session', 'session-one')
    await heard(gatehouse)
    const after = await following.verify(ANN)

    assert.deepEqual([first?.userId, second?.userId, after], ['ann', 'ann', undefined])
  })

  it('refuses tokens of an ended session, asks about a signed-out user', async ({ gatehouse, following }) => {
    gatehouse.clock.advance(120_000)
    await beat(gatehouse)
    const ended = bearer(gatehouse.token({ sid: 'session-two' }))
    const other = bearer(gatehouse.token())
    const before = [await following.verify(ended), await following.verify(other)]

    gatehouse.revoke('session', 'session-two')
    await heard(gatehouse)
    const afterSession = [await following.verify(ended), await following.verify(other)]
    const asks = gatehouse.asks
    gatehouse.revoke('user', 'ann')
    await heard(gatehouse)
    const afterUser = await following.verify(other)

    assert.ok(before.every((caller) => caller?.userId === 'ann'))
    assert.deepEqual([afterSession[0], afterSession[1]?.userId, asks], [undefined, 'ann', 0])
    assert.deepEqual([afterUser, gatehouse.asks], [undefined, 1])
  })

  it('asks about everyone after a save of settings that can restrict users', async ({ gatehouse, following }) => {
    gatehouse.sessions.set(opaque('ann'), 'session-one')
    gatehouse.clock.advance(120_000)
    await beat(gatehouse)
    const signed = bearer(gatehouse.token({ sid: 'session-two' }))
    const before = [await following.verify(ANN), await following.verify(signed)]
    const asks = gatehouse.asks

    gatehouse.clock.advance(1_000)
    gatehouse.sessions.clear()
    gatehouse.saveSettings()
    await heard(gatehouse)
    const after = [await following.verify(ANN), await following.verify(signed)]

    assert.ok(before.every((caller) => caller?.userId === 'ann'))
    assert.deepEqual([after, asks, gatehouse.asks], [[undefined, undefined], 1, 3])
  })

  it('asks about a token from before: what ended earlier is not in the feed', async ({ gatehouse }) => {
    const token = gatehouse.token()
    gatehouse.revoke('session', 'session-one')
    const following = await followingOf(gatehouse)

    const caller = await following.verify(bearer(token))

    assert.deepEqual([caller, gatehouse.asks], [undefined, 1])
  })

  it('checklist 87: asks about a token that seems to be from after its user was deleted: one process has a clock that is ahead', async ({
    gatehouse,
    following,
  }) => {
    gatehouse.clock.advance(120_000)
    await beat(gatehouse)
    const now = Math.floor(gatehouse.clock.wall() / 1_000)
    const token = bearer(gatehouse.token({ iat: now + 50, exp: now + 350 }))
    const before = await following.verify(token)

    gatehouse.revoke('user', 'ann')
    await heard(gatehouse)
    const after = await following.verify(token)

    assert.deepEqual([before?.userId, after, gatehouse.asks], ['ann', undefined, 1])
  })

  for (const { clock, startsAfter, checkedAfter, ahead } of [
    { clock: 'behind, and then set right', startsAfter: 60_000, checkedAfter: 6_000, ahead: [-600_000, 0] },
    { clock: 'right, and then set back', startsAfter: 535_000, checkedAfter: 10_000, ahead: [0, -600_000] },
    { clock: 'right, and then set ahead', startsAfter: 60_000, checkedAfter: 6_000, ahead: [0, 200_000] },
    { clock: 'ahead, and then set right', startsAfter: 60_000, checkedAfter: 6_000, ahead: [600_000, 0] },
  ] as const)
    it(`checklist 87: asks about a token from before it began to follow if its clock was ${clock}`, async ({
      gatehouse,
    }) => {
      const token = gatehouse.token()
      gatehouse.clock.advance(startsAfter)
      gatehouse.revoke('session', 'session-one')
      const wrong = new WrongClock(gatehouse.clock)
      wrong.aheadMilliseconds = ahead[0]
      const following = await followingOf(gatehouse, wrong)
      gatehouse.clock.advance(checkedAfter)
      await beat(gatehouse)
      wrong.aheadMilliseconds = ahead[1]

      const caller = await following.verify(bearer(token))

      assert.deepEqual([caller, gatehouse.asks], [undefined, 1])
    })

  it('trusts the signature of a later token once a slow clock is set right', async ({ gatehouse }) => {
    const wrong = new WrongClock(gatehouse.clock)
    wrong.aheadMilliseconds = -600_000
    const following = await followingOf(gatehouse, wrong)
    gatehouse.clock.advance(61_000)
    const token = bearer(gatehouse.token())
    await beat(gatehouse)
    const early = await following.verify(token)
    wrong.aheadMilliseconds = 0
    gatehouse.clock.advance(6_000)
    await beat(gatehouse)

    const later = await following.verify(token)

    assert.deepEqual([early, later?.userId, gatehouse.asks], [undefined, 'ann', 0])
  })

  for (const fault of ['cut', 'hang', 'page', 'lie', 'replay', 'back'] as const)
    it(`checklist 87: five seconds after the feed (${fault}) it asks, and then continues where it was`, async ({
      gatehouse,
      following,
    }) => {
      const verified = async () => [(await following.verify(ANN))?.id, gatehouse.asks]
      gatehouse.sessions.set(opaque('ann'), 'session-one')
      await verified()
      gatehouse.fault = fault
      gatehouse.answerWaiting()
      gatehouse.clock.advance(4_999)

      const within = await verified()
      gatehouse.clock.advance(1)
      const later = await verified()
      gatehouse.revoke('session', 'session-one')
      const [ended] = await verified()

      assert.deepEqual([within, later, ended], [['session-one', 1], ['session-one', 2], undefined])
    })

  it('forgets what it learned if the feed has lost its position', async ({ gatehouse, following }) => {
    gatehouse.sessions.set(opaque('ann'), 'session-one')
    await following.verify(ANN)
    gatehouse.clock.advance(1_000)
    gatehouse.fault = 'forgot'
    gatehouse.answerWaiting()
    await asked(gatehouse, 2)
    gatehouse.fault = 'none'
    await heard(gatehouse)

    await following.verify(ANN)

    assert.equal(gatehouse.asks, 2)
  })

  it('refuses a session that ended while the response about it was on its way', async ({ gatehouse }) => {
    gatehouse.sessions.set(opaque('ann'), 'session-one')
    const honest = gatehouse.fetch
    const slow = Promise.withResolvers<void>()
    const answering = verifierOf(gatehouse, {
      ...CREDENTIALS,
      fetch: async (input, init) => {
        const response = await honest(input, init)
        if (String(input).endsWith('/api/verify')) await slow.promise
        return response
      },
    })
    await heard(gatehouse)

    const pending = answering.verify(ANN)
    gatehouse.revoke('session', 'session-one')
    await heard(gatehouse)
    slow.resolve()

    assert.equal(await pending, undefined)
  })

  it('forgets after five minutes, and asks after close()', async ({ gatehouse, following }) => {
    gatehouse.sessions.set(opaque('ann'), 'session-one')
    await following.verify(ANN)
    gatehouse.clock.advance(299_999)
    await beat(gatehouse)
    await following.verify(ANN)
    const within = gatehouse.asks
    gatehouse.clock.advance(1)
    await following.verify(ANN)
    const asks = gatehouse.asks
    following.close()

    const caller = await following.verify(ANN)

    assert.deepEqual([within, asks, caller?.userId, gatehouse.asks], [1, 2, 'ann', 3])
  })

  it('tells the product when it is cut off, and when it follows again', async ({ gatehouse }) => {
    const told: string[] = []
    verifierOf(gatehouse, { ...CREDENTIALS, onConnection: (state) => told.push(state) })
    await heard(gatehouse)
    gatehouse.fault = 'cut'
    gatehouse.answerWaiting()
    await asked(gatehouse, 2)
    gatehouse.fault = 'none'
    await heard(gatehouse)

    assert.deepEqual(told, ['following', 'cut off', 'following'])
  })

  it('keeps no revocation whose id is longer than any of Gatehouse', async ({ gatehouse }) => {
    const { promise: reason, resolve } = Promise.withResolvers<Error | undefined>()
    const onConnection = (state: string, why?: Error) => state === 'cut off' && resolve(why)
    verifierOf(gatehouse, { ...CREDENTIALS, onConnection })
    await heard(gatehouse)

    gatehouse.fault = 'long'
    gatehouse.answerWaiting()
    await asked(gatehouse, 3)
    gatehouse.fault = 'cut'

    assert.match(String(await reason), /the response is not a list of revocations/)
  })

  it('leaves no refusal unread, which would keep its connection', async () => {
    const { promise: isCancelled, resolve } = Promise.withResolvers<void>()
    const refuse = async () => new Response(new ReadableStream({ cancel: () => resolve() }), { status: 400 })
    const verifier = createVerifier({ issuer: 'https://id.example.com', ...CREDENTIALS, fetch: refuse })

    await isCancelled

    verifier.close()
  })

  it('keeps nothing of each attempt during an outage', async ({ gatehouse }) => {
    gatehouse.fault = 'cut'
    const added = vi.spyOn(AbortSignal.prototype, 'addEventListener')
    const removed = vi.spyOn(AbortSignal.prototype, 'removeEventListener')
    onTestFinished(() => void vi.restoreAllMocks())
    verifierOf(gatehouse, CREDENTIALS)

    await asked(gatehouse, 3)

    assert.ok(added.mock.calls.length - removed.mock.calls.length <= 1)
  })
})
