import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused, statuses } from '../../service/answers.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { AuthenticatorApp, verifyBackupCode, verifyTotp } from '../../service/devices/factors.ts'
import { addPasskey } from '../../service/devices/security-key.ts'
import type { Answer, Person } from '../../service/people.ts'
import { copiesOf, GET_SESSION, it } from '../support/house.ts'

const IN_WORDS = /^(INVALID_CODE|INVALID_BACKUP_CODE|INVALID_TWO_FACTOR_COOKIE|INVALID_PASSKEY|RATE_LIMITED)$/
const TWENTY = Array.from({ length: 20 }, (_, at) => at)

async function signedIn(persons: readonly Person[]): Promise<number> {
  const sessions = await Promise.all(persons.map((person) => person.get(GET_SESSION)))
  return sessions.filter(({ body }) => body !== null).length
}

/** A confirmation can also lose to another one at the same moment. */
function assertOneOf(answers: readonly Answer<{ readonly code?: string }>[], orLost?: 'UNAUTHORIZED') {
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  for (const { status, body } of answers)
    if (status !== 200 && body.code !== (orLost ?? '')) assert.match(body.code ?? '', IN_WORDS)
}

describe('checklist 85: of 20 at once', () => {
  it('a half-finished sign-in spends one of twenty right codes', async ({ ann, app, browser, waiting }) => {
    const copies = copiesOf(waiting, 20, browser)

    const answers = await Promise.all(copies.map((copy, at) => verifyBackupCode(copy, app.backupCodes[at % 10] ?? '')))

    assertOneOf(answers)
    assert.equal(await signedIn(copies), 1)
    assert.equal((await ann.get('/api/auth/security-overview')).body.backupCodesLeft, 9)
  })

  it('a half-finished sign-in opens one session, any way', async ({ ann, key, app, browser, waiting }) => {
    await addPasskey(ann, key)
    await waiting.signIn()
    const { body: options } = await waiting.get('/api/auth/passkey/generate-authenticate-options')
    const response = key.show(options, { isUserVerified: false })
    const copies = copiesOf(waiting, 20, browser)

    const answers = await Promise.all(
      copies.map((copy, at) => {
        if (at % 3 === 0) return verifyTotp(copy, app.code())
        if (at % 3 === 1) return verifyBackupCode(copy, app.backupCodes[0] ?? '')
        return copy.post('/api/auth/passkey/verify-authentication', { response })
      }),
    )

    assertOneOf(answers)
    assert.equal(await signedIn(copies), 1)
  })

  it('one code is one confirmation', async ({ service, ann, app }) => {
    service.clock.advance({ minutes: 16 })
    const [code] = app.backupCodes

    assertOneOf(await Promise.all(TWENTY.map(() => ann.post('/api/auth/confirm', { code }))), 'UNAUTHORIZED')
  })

  it('a code is a sign-in or a confirmation, not both', async ({ ann, app, waiting }) => {
    const code = app.code()
    const confirm = () => ann.post('/api/auth/confirm', { code })

    assertOneOf(await Promise.all([verifyTotp(waiting, code), ...TWENTY.map(confirm)]), 'UNAUTHORIZED')
  })

  it('one app remains of those that are added at once, and its code is right', async ({ service, ben }) => {
    const begun = await Promise.all(
      TWENTY.slice(0, 5).map(() => ben.post('/api/auth/two-factor/enable', { password: ben.password })),
    )
    const tried: number[] = []
    for (const { body } of begun) tried.push((await verifyTotp(ben, new AuthenticatorApp(service, body).code())).status)

    assert.deepEqual(statuses(begun), Array(5).fill(200))
    assert.equal(tried.filter((status) => status === 200).length, 1)
  })
})

describe('nothing is lost', () => {
  it('to a sign-in that has ended: the backup code still counts', async ({ app, browser, waiting }) => {
    const [code = ''] = app.backupCodes
    const [elsewhere, next] = [browser(), browser()]
    await elsewhere.signIn()
    await verifyTotp(elsewhere, app.code())
    await elsewhere.post('/api/auth/revoke-other-sessions')

    const ended = await verifyBackupCode(waiting, code)
    await next.signIn()
    const again = await verifyBackupCode(next, code)

    assertRefused(ended, 'INVALID_TWO_FACTOR_COOKIE')
    assert.equal(again.status, 200)
  })

  it('by a wrong clock: what was refused works once the clock is right', async ({ app, waiting }) => {
    for (const secondsOff of [-3600, 3600]) {
      const wrong = await verifyTotp(waiting, app.code(secondsOff))
      assertRefused(wrong, 'INVALID_CODE')
      assert.match(JSON.stringify(wrong.body), /clock/)
    }
    assert.equal((await verifyTotp(waiting, app.code())).status, 200)
  })
})

describe('second_factor: off', () => {
  it('is in force for an app or a passkey that was begun before', async ({ service, ben, key }) => {
    const { body } = await ben.post('/api/auth/two-factor/enable', { password: ben.password })
    const { body: options } = await ben.get('/api/auth/passkey/generate-register-options')
    await changeSettings(service, 'authentication', { second_factor: 'off' })

    const app = await verifyTotp(ben, new AuthenticatorApp(service, body).code())
    const response = key.make(options)
    const passkey = await ben.post('/api/auth/passkey/verify-registration', { response })

    for (const answer of [app, passkey]) assertRefused(answer, 'SECOND_FACTOR_DISABLED')
    assert.equal((await ben.get(GET_SESSION)).body.user.twoFactorEnabled, false)
  })
})
