import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { changeSettings } from '../../service/change-settings.ts'
import { AuthenticatorApp, addApp, verifyBackupCode, verifyTotp } from '../../service/devices/factors.ts'
import { addPasskey, SecurityKey } from '../../service/devices/security-key.ts'
import { type Answer, Person, people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

const GET_SESSION = '/api/auth/get-session'
const IN_WORDS = /^(INVALID_CODE|INVALID_BACKUP_CODE|INVALID_TWO_FACTOR_COOKIE|INVALID_PASSKEY|RATE_LIMITED)$/
const TWENTY = Array.from({ length: 20 }, (_, at) => at)

/** Ann has an app and a passkey; each of her browsers is half-way in. */
async function world() {
  const service = await startService()
  const { ann, ben } = await people(service)
  const key = new SecurityKey(service.config.baseUrl)
  await addPasskey(ann, key)
  const app = await addApp(service, ann)
  const browser = () => new Person(service, ann.email, ann.password)
  const halfWayIn = async () => {
    const person = browser()
    await person.signIn()
    return person
  }
  const more = { service, ann, ben, key, app, browser, halfWayIn }
  return { ...more, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

type World = Awaited<ReturnType<typeof world>>

/** The same browser, many times: with the cookies that it has now. */
function copiesOf({ browser }: World, person: Person): readonly Person[] {
  return TWENTY.map(() => {
    const copy = browser()
    for (const [name, value] of person.cookies) copy.cookies.set(name, value)
    return copy
  })
}

async function signedIn(persons: readonly Person[]): Promise<number> {
  const sessions = await Promise.all(persons.map((person) => person.get(GET_SESSION)))
  return sessions.filter(({ body }) => body !== null).length
}

function assertOneOf(answers: readonly Answer<{ readonly code?: string }>[]) {
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  for (const { status, body } of answers) if (status !== 200) assert.match(body.code ?? '', IN_WORDS)
}

describe('checklist 85: of 20 at once', () => {
  it('one half-finished sign-in opens one session, and spends one of twenty right codes', async () => {
    await using w = await world()
    const { backupCodes } = w.app
    const copies = copiesOf(w, await w.halfWayIn())

    const answers = await Promise.all(
      copies.map((copy, at) => verifyBackupCode(copy, backupCodes[at % 10] ?? '')),
    )

    assertOneOf(answers)
    assert.equal(await signedIn(copies), 1)
    const { body } = await w.ann.get('/api/auth/security-overview')
    assert.equal(body.backupCodesLeft, 9)
  })

  it('one half-finished sign-in opens one session, by code, backup code and passkey', async () => {
    await using w = await world()
    const waiting = await w.halfWayIn()
    const { body: options } = await waiting.get('/api/auth/passkey/generate-authenticate-options')
    const response = w.key.show(options, { isUserVerified: false })
    const copies = copiesOf(w, waiting)

    const answers = await Promise.all(
      copies.map((copy, at) => {
        if (at % 3 === 0) return verifyTotp(copy, w.app.code())
        if (at % 3 === 1) return verifyBackupCode(copy, w.app.backupCodes[0] ?? '')
        return copy.post('/api/auth/passkey/verify-authentication', { response })
      }),
    )

    assertOneOf(answers)
    assert.equal(await signedIn(copies), 1)
  })

  it('one code is one confirmation', async () => {
    await using w = await world()
    w.service.clock.advance({ minutes: 16 })
    const code = w.app.backupCodes[0] ?? ''

    const answers = await Promise.all(TWENTY.map(() => w.ann.post('/api/auth/confirm', { code })))

    assertOneOf(answers.map((answer) => (answer.body.code === 'UNAUTHORIZED' ? used(answer) : answer)))
  })

  it('a code is a sign-in or a confirmation, not both', async () => {
    await using w = await world()
    const waiting = await w.halfWayIn()
    const code = w.app.code()

    const answers = await Promise.all([
      verifyTotp(waiting, code),
      ...TWENTY.map(() => w.ann.post('/api/auth/confirm', { code })),
    ])

    assertOneOf(answers.map((answer) => (answer.body.code === 'UNAUTHORIZED' ? used(answer) : answer)))
  })

  it('one app remains of those that are added at once, and its code is right', async () => {
    await using w = await world()

    const begun = await Promise.all(
      TWENTY.slice(0, 5).map(() => w.ben.post('/api/auth/two-factor/enable', { password: w.ben.password })),
    )
    const apps = begun.map(({ body }) => new AuthenticatorApp(w.service, body))
    const tried: number[] = []
    for (const app of apps) tried.push((await verifyTotp(w.ben, app.code())).status)

    assert.deepEqual(
      begun.map(({ status }) => status),
      [200, 200, 200, 200, 200],
    )
    assert.equal(tried.filter((status) => status === 200).length, 1)
  })
})

/** Lost to another confirmation at the same moment. */
function used(answer: Answer<{ readonly code?: string }>): Answer<{ readonly code?: string }> {
  return { ...answer, body: { code: 'INVALID_CODE' } }
}

describe('nothing is lost', () => {
  it('to a sign-in that has ended: the backup code still counts', async () => {
    await using w = await world()
    const code = w.app.backupCodes[0] ?? ''
    const waiting = await w.halfWayIn()
    const elsewhere = await w.halfWayIn()
    await verifyTotp(elsewhere, w.app.code())
    await elsewhere.post('/api/auth/revoke-other-sessions')

    const ended = await verifyBackupCode(waiting, code)
    const next = await w.halfWayIn()
    const again = await verifyBackupCode(next, code)

    assert.equal(ended.body.code, 'INVALID_TWO_FACTOR_COOKIE')
    assert.equal(again.status, 200)
  })

  it('by a wrong clock: what was refused works once the clock is right', async () => {
    await using w = await world()
    const browser = await w.halfWayIn()

    const behind = await verifyTotp(browser, w.app.code(-3600))
    const ahead = await verifyTotp(browser, w.app.code(3600))
    const right = await verifyTotp(browser, w.app.code())

    for (const { status, body } of [behind, ahead]) {
      assert.deepEqual([status, body.code], [400, 'INVALID_CODE'])
      assert.match(JSON.stringify(body), /clock/)
    }
    assert.equal(right.status, 200)
  })
})

describe('second_factor: off', () => {
  it('is in force for what was begun before: neither an app nor a passkey is added', async () => {
    await using w = await world()
    const { body } = await w.ben.post('/api/auth/two-factor/enable', { password: w.ben.password })
    const { body: options } = await w.ben.get('/api/auth/passkey/generate-register-options')
    await changeSettings(w.service, 'authentication', { second_factor: 'off' })

    const app = await verifyTotp(w.ben, new AuthenticatorApp(w.service, body).code())
    const response = new SecurityKey(w.service.config.baseUrl).make(options)
    const passkey = await w.ben.post('/api/auth/passkey/verify-registration', { response })

    for (const { status, body } of [app, passkey]) {
      assert.deepEqual([status, body.code], [403, 'SECOND_FACTOR_DISABLED'])
    }
    assert.equal((await w.ben.get(GET_SESSION)).body.user.twoFactorEnabled, false)
  })
})
