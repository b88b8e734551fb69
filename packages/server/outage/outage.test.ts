import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { type FakeGatehouse, ISSUER, opaque } from '../../../test/service/verifier/fake-gatehouse.ts'
import {
  ANN,
  asked,
  it as base,
  bearer,
  beat,
  CREDENTIALS,
  heard,
  verifierOf,
} from '../../../test/service/verifier/fake-product.ts'
import { createVerifier, type Verifier } from '../verifier.ts'

const SECONDS = 3_600

interface Fixtures {
  readonly told: unknown[]
  /** Follows, and lends for an hour. */
  readonly lending: Verifier
}

const it = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  told: async ({}, use) => use([]),
  lending: async ({ gatehouse, told }, use) => {
    const lending = verifierOf(gatehouse, {
      ...CREDENTIALS,
      outage: { seconds: SECONDS },
      onOutage: (outage) => told.push(outage),
      onContact: () => told.push('contact'),
    })
    await heard(gatehouse)
    await use(lending)
  },
})

type Down = 'cut' | 'page' | 'gateway'

/** Gatehouse was last heard now, and nothing is answered any more. */
async function goDown(gatehouse: FakeGatehouse, fault: Down = 'cut'): Promise<void> {
  await beat(gatehouse)
  gatehouse.fault = fault
  gatehouse.verifyFault = fault
  gatehouse.answerWaiting()
  await asked(gatehouse, 1)
  gatehouse.clock.advance(5_000)
}

async function comeBack(gatehouse: FakeGatehouse): Promise<void> {
  gatehouse.fault = 'none'
  gatehouse.verifyFault = 'none'
  await heard(gatehouse)
}

async function said(verifier: Verifier, request: typeof ANN): Promise<string> {
  const { caller, ...refused } = await verifier.check(request)
  if (!caller) return 'code' in refused ? refused.code : ''
  return caller.outage ? `lent to ${caller.userId}` : caller.userId
}

describe('an outage', () => {
  for (const fault of ['cut', 'page', 'gateway'] as const)
    it(`(${fault}) lends to whom it knows, refuses others with 503, and ends once the feed is read`, async ({
      gatehouse,
      lending,
      told,
    }) => {
      gatehouse.sessions.set(opaque('ann'), 'session-one')
      const before = await said(lending, ANN)
      await goDown(gatehouse, fault)
      const since = gatehouse.clock.wall() - 5_000

      const during = [await said(lending, ANN), await said(lending, bearer(opaque('ben'))), await said(lending, ANN)]
      await comeBack(gatehouse)
      const after = await said(lending, ANN)

      assert.deepEqual([before, during, after], ['ann', ['lent to ann', 'UNAVAILABLE', 'lent to ann'], 'ann'])
      assert.deepEqual(told, [{ since, until: since + SECONDS * 1_000 }, 'contact'])
    })

  it('makes nobody wait: only one request a second looks for Gatehouse', async ({ gatehouse, lending }) => {
    gatehouse.sessions.set(opaque('ann'), 'session-one')
    await said(lending, ANN)
    await goDown(gatehouse)
    await said(lending, ANN)
    const before = gatehouse.asked.length

    const all = await Promise.all(
      Array.from({ length: 1_000 }, (_, i) => said(lending, i % 2 ? ANN : bearer(opaque('ben')))),
    )

    assert.deepEqual(new Set(all), new Set(['lent to ann', 'UNAVAILABLE']))
    assert.ok(gatehouse.asked.length - before <= 1)
  })

  it('is none while questions are answered: then everyone is asked about', async ({ gatehouse, lending, told }) => {
    gatehouse.sessions.set(opaque('ann'), 'session-one')
    await said(lending, ANN)
    await goDown(gatehouse)
    gatehouse.verifyFault = 'none'

    const asked = await said(lending, ANN)
    gatehouse.sessions.clear()

    assert.deepEqual([asked, await said(lending, ANN), told], ['ann', 'UNAUTHORIZED', []])
  })

  it('ends for a question that is answered before the feed is, and is told once', async ({
    gatehouse,
    lending,
    told,
  }) => {
    gatehouse.sessions.set(opaque('ann'), 'session-one')
    await said(lending, ANN)
    await goDown(gatehouse)
    const lent = await said(lending, ANN)
    gatehouse.sessions.clear()
    gatehouse.verifyFault = 'none'
    while ((await said(lending, ANN)) !== 'UNAUTHORIZED') await asked(gatehouse, 1)
    gatehouse.clock.advance(1_000)
    gatehouse.verifyFault = 'cut'

    assert.deepEqual([lent, told.length], ['lent to ann', 1])
    assert.notEqual(await said(lending, ANN), 'lent to ann')
    await comeBack(gatehouse)
    assert.equal(told.at(-1), 'contact')
  })
})

describe('what is lent', () => {
  it('ends so many seconds after the last contact, by the clock that is ahead', async ({ gatehouse, lending }) => {
    gatehouse.headers = { 'x-auth-ends': String(gatehouse.clock.wall() / 1_000 + 10 * SECONDS) }
    gatehouse.sessions.set(opaque('ann'), 'session-one')
    await said(lending, ANN)
    await goDown(gatehouse)
    await said(lending, ANN)
    gatehouse.clock.advance(SECONDS * 1_000 - 5_001)
    const within = await said(lending, ANN)
    gatehouse.clock.advance(1)

    assert.deepEqual([within, await said(lending, ANN)], ['lent to ann', 'UNAVAILABLE'])
  })

  it('counts past the end of a token, never past that of its session', async ({ gatehouse, lending }) => {
    const now = Math.floor(gatehouse.clock.wall() / 1_000)
    gatehouse.clock.advance(120_000)
    await beat(gatehouse)
    const signed = bearer(gatehouse.token({ iat: now + 120, exp: now + 130, ends: now + 1_000 }))
    const older = bearer(gatehouse.token({ iat: now + 120, exp: now + 130 }))
    const before = [await said(lending, signed), await said(lending, older)]
    await goDown(gatehouse)
    const within = [await said(lending, signed), await said(lending, older)]
    gatehouse.clock.advance(60_000)
    const past = [await said(lending, signed), await said(lending, older)]
    gatehouse.clock.advance(1_000_000)

    assert.deepEqual(
      [before, within],
      [
        ['ann', 'ann'],
        ['lent to ann', 'lent to ann'],
      ],
    )
    assert.deepEqual(past, ['lent to ann', 'UNAUTHORIZED'])
    assert.notEqual(await said(lending, signed), 'lent to ann')
  })

  it('is a token that expires between the last contact and the first question', async ({ gatehouse, lending }) => {
    const now = Math.floor(gatehouse.clock.wall() / 1_000)
    gatehouse.clock.advance(120_000)
    await beat(gatehouse)
    const signed = bearer(gatehouse.token({ iat: now + 120, exp: now + 123, ends: now + 1_000 }))
    await said(lending, signed)
    await goDown(gatehouse)

    assert.equal(await said(lending, signed), 'lent to ann')
  })

  it('is nothing that had expired at the last contact', async ({ gatehouse, lending }) => {
    const now = Math.floor(gatehouse.clock.wall() / 1_000)
    gatehouse.clock.advance(120_000)
    await beat(gatehouse)
    const signed = bearer(gatehouse.token({ iat: now + 120, exp: now + 122, ends: now + 1_000 }))
    await said(lending, signed)
    gatehouse.clock.advance(2_000)
    await goDown(gatehouse)
    await said(lending, ANN)

    assert.notEqual(await said(lending, signed), 'lent to ann')
  })

  for (const [what, touch] of [
    ['its session', (gatehouse: FakeGatehouse) => gatehouse.revoke('session', 'session-one')],
    ['its user', (gatehouse: FakeGatehouse) => gatehouse.revoke('user', 'ann')],
    ['everyone', (gatehouse: FakeGatehouse) => gatehouse.saveSettings()],
  ] as const)
    for (const [when, minutes] of [
      ['just before', 0],
      ['half an hour before, and the feed has forgotten it', 30],
    ] as const)
      it(`is nothing if the feed told of ${what} ${when}`, async ({ gatehouse, lending }) => {
        gatehouse.headers = { 'x-auth-ends': String(gatehouse.clock.wall() / 1_000 + 10 * SECONDS) }
        gatehouse.sessions.set(opaque('ann'), 'session-one')
        await said(lending, ANN)
        gatehouse.clock.advance(1_000)
        touch(gatehouse)
        await heard(gatehouse)
        for (let minute = 0; minute < minutes; minute += 5) {
          gatehouse.clock.advance(5 * 60_000)
          await beat(gatehouse)
        }
        await goDown(gatehouse)
        const first = await said(lending, ANN)

        const expected = what === 'its session' && minutes === 0 ? 'UNAUTHORIZED' : 'UNAVAILABLE'
        assert.deepEqual([first, await said(lending, ANN)], [expected, expected])
      })

  it('is nothing that Gatehouse refused while only the feed was lost', async ({ gatehouse, lending }) => {
    gatehouse.sessions.set(opaque('ann'), 'session-one')
    await said(lending, ANN)
    await goDown(gatehouse)
    gatehouse.verifyFault = 'refuses'
    const refused = await said(lending, ANN)
    gatehouse.clock.advance(6_000)
    gatehouse.verifyFault = 'cut'

    assert.deepEqual([refused, await said(lending, ANN)], ['EMAIL_NOT_VERIFIED', 'UNAVAILABLE'])
  })

  it('is refused again after the outage, if it ended meanwhile', async ({ gatehouse, lending }) => {
    gatehouse.sessions.set(opaque('ann'), 'session-one')
    await said(lending, ANN)
    await goDown(gatehouse)
    const lent = await said(lending, ANN)
    gatehouse.revoke('session', 'session-one')
    await comeBack(gatehouse)

    assert.deepEqual([lent, await said(lending, ANN)], ['lent to ann', 'UNAUTHORIZED'])
  })

  it('is nothing without the option, before the first contact, or after close()', async ({
    gatehouse,
    following,
    lending,
  }) => {
    gatehouse.sessions.set(opaque('ann'), 'session-one')
    await said(following, ANN)
    await said(lending, ANN)
    await goDown(gatehouse)
    const late = verifierOf(gatehouse, { ...CREDENTIALS, outage: { seconds: SECONDS } })
    lending.close()

    assert.deepEqual(await Promise.all([following, late, lending].map((one) => said(one, ANN))), [
      ...['UNAVAILABLE', 'UNAVAILABLE', 'UNAVAILABLE'],
    ])
  })
})

describe('the option `outage`', () => {
  it('is 0 to 86,400 seconds, and above 0 needs client credentials', () => {
    const made = (seconds: unknown, credentials: object) =>
      createVerifier({
        issuer: ISSUER,
        fetch: async () => Response.error(),
        ...credentials,
        outage: { seconds: seconds as number },
      }).close()

    for (const seconds of [-1, 86_401, Number.NaN, Number.POSITIVE_INFINITY, '60', null])
      assert.throws(() => made(seconds, CREDENTIALS), TypeError, String(seconds))
    assert.throws(() => made(60, {}), TypeError)
    for (const seconds of [0, 1, 86_400]) made(seconds, CREDENTIALS)
    made(0, {})
  })
})
