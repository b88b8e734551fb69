import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { addApp, verifyBackupCode, verifyTotp } from '../../service/devices/factors.ts'
import { addPasskey, SecurityKey, showPasskey } from '../../service/devices/security-key.ts'
import { grantFor } from '../../service/grants.ts'
import { Person, people, stranger } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

const GET_SESSION = '/api/auth/get-session'

/**
 * Ann and Ben have a second factor each; Ben knows Ann's password and has the first step of her sign-in
 * behind him.
 */
async function world() {
  const service = await startService()
  const { ann, ben } = await people(service)
  const ofAnn = await addApp(service, ann)
  const ofBen = await addApp(service, ben)
  const key = new SecurityKey(service.config.baseUrl)
  await addPasskey(ben, key)
  const thief = new Person(service, ann.email, ann.password)
  await thief.signIn()
  const more = { service, ann, ben, ofAnn, ofBen, key, thief }
  return { ...more, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

describe('checklist 85: the second step of a sign-in', () => {
  it('is not completed by the code, backup code or passkey of another user', async () => {
    await using w = await world()

    const answers = [
      await verifyTotp(w.thief, w.ofBen.code()),
      await verifyBackupCode(w.thief, w.ofBen.backupCodes[0] ?? ''),
      await showPasskey(w.thief, w.key),
      await showPasskey(w.thief, w.key, { isUserVerified: false }),
    ]

    assert.deepEqual(
      answers.map(({ body }) => body.code),
      ['INVALID_CODE', 'INVALID_BACKUP_CODE', 'PASSKEY_NOT_FOUND', 'PASSKEY_NOT_FOUND'],
    )
    assert.equal((await w.thief.get(GET_SESSION)).body, null)
    assert.equal((await w.ben.get('/api/auth/security-overview')).body.backupCodesLeft, 10)
  })

  it('is not completed by a session of another user, nor by something that looks like the code', async () => {
    await using w = await world()
    const code = w.ofAnn.code()
    const fullWidth = code.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)))
    w.ben.cookies.set('two_factor', w.thief.cookies.get('two_factor') ?? '')

    const byBen = await verifyTotp(w.ben, w.ofBen.code())
    for (const typed of [fullWidth, `0${code}`, code.slice(1)]) {
      assert.equal((await verifyTotp(w.thief, typed)).body.code, 'INVALID_CODE', typed)
    }

    assert.equal(byBen.body.code, 'INVALID_CODE')
    assert.equal((await w.ben.get(GET_SESSION)).body.user.id, w.ben.id)
  })

  it('has ended once the browser has signed out, and its cookie is not a session', async () => {
    await using w = await world()
    const pending = w.thief.cookies.get('two_factor') ?? ''
    const asBearer = await stranger(w.service).get(GET_SESSION, { authorization: `Bearer ${pending}` })
    w.thief.cookies.set('session', pending)
    const asCookie = await w.thief.get(GET_SESSION)

    await w.thief.post('/api/auth/sign-out')
    w.thief.cookies.set('two_factor', pending)
    const late = await verifyTotp(w.thief, w.ofAnn.code())

    assert.deepEqual([asBearer.body, asCookie.body], [null, null])
    assert.equal(late.body.code, 'INVALID_TWO_FACTOR_COOKIE')
  })
})

describe('checklist 85: the factors of an account', () => {
  it('cannot be read or changed by a tool, whatever its scopes are', async () => {
    await using w = await world()
    const tool = await grantFor(w.ann, 'account:profile:read', 'account:profile:write')
    const acts = ['enable', 'disable', 'generate-backup-codes', 'get-totp-uri', 'revoke-trusted-device']

    for (const path of [...acts.map((act) => `two-factor/${act}`), 'confirm', 'passkey/delete-passkey']) {
      const { status, body } = await tool.post(`/api/auth/${path}`, { password: w.ann.password })
      assert.deepEqual([status, body.code], [403, 'FORBIDDEN'], path)
    }
    const code = await tool.post('/api/auth/two-factor/verify-totp', { code: w.ofAnn.code() })
    assert.equal(code.body.code, 'INVALID_TWO_FACTOR_COOKIE')
  })

  it('are not confirmed or renamed with the passkey of another user', async () => {
    await using w = await world()
    const { body: options } = await w.ann.get('/api/auth/passkey/generate-authenticate-options')
    const { body: passkeys } = await w.ben.get('/api/auth/passkey/list-user-passkeys')

    const confirmed = await w.ann.post('/api/auth/confirm', { passkey: w.key.show(options) })
    const named = await w.ann.post('/api/auth/passkey/update-passkey', { id: passkeys[0].id, name: 'Mine' })
    const removed = await w.ann.post('/api/auth/passkey/delete-passkey', { id: passkeys[0].id })

    for (const { status, body } of [confirmed, named, removed]) {
      assert.deepEqual([status, body.code], [404, 'PASSKEY_NOT_FOUND'])
    }
  })
})

describe('checklist 86: options for a new passkey', () => {
  it('are for what they were asked for: no account by those of a signed-in user, nor the other way round', async () => {
    await using w = await world()
    const path = '/api/auth/passkey'
    const response = (options: Parameters<SecurityKey['make']>[0]) =>
      new SecurityKey(w.service.config.baseUrl).make(options)
    const { body: ofNewUser } = await w.ann.post(`${path}/generate-sign-up-options`, {
      email: 'carl@example.com',
    })
    const added = await w.ann.post(`${path}/verify-registration`, { response: response(ofNewUser) })
    const { body: ofUser } = await w.ann.get(`${path}/generate-register-options`)
    const made = await w.ann.post(`${path}/verify-sign-up`, { response: response(ofUser) })

    assert.deepEqual([added.body.code, made.body.code], ['INVALID_PASSKEY', 'INVALID_PASSKEY'])
    assert.deepEqual((await w.ann.get(`${path}/list-user-passkeys`)).body, [])
  })
})
