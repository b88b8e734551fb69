import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused } from '../../service/answers.ts'
import { addApp, verifyBackupCode, verifyTotp } from '../../service/devices/factors.ts'
import { addPasskey, type SecurityKey, showPasskey } from '../../service/devices/security-key.ts'
import { grantFor } from '../../service/grants.ts'
import { stranger } from '../../service/people.ts'
import { GET_SESSION, it as inHouse } from '../support/house.ts'

/** Ben has an app and a passkey of his own. He knows Ann's password, and is `waiting` at her second step. */
const it = inHouse.extend('ofBen', async ({ service, ben, key }) => {
  const app = await addApp(service, ben)
  await addPasskey(ben, key)
  return app
})

describe('checklist 85: the second step of a sign-in', () => {
  it('is not completed by any second factor of another user', async ({ ben, ofBen, key, waiting }) => {
    const answers = [
      await verifyTotp(waiting, ofBen.code()),
      await verifyBackupCode(waiting, ofBen.backupCodes[0] ?? ''),
      await showPasskey(waiting, key),
      await showPasskey(waiting, key, { isUserVerified: false }),
    ]

    assert.deepEqual(
      answers.map(({ body }) => body.code),
      ['INVALID_CODE', 'INVALID_BACKUP_CODE', 'PASSKEY_NOT_FOUND', 'PASSKEY_NOT_FOUND'],
    )
    assert.equal((await waiting.get(GET_SESSION)).body, null)
    assert.equal((await ben.get('/api/auth/security-overview')).body.backupCodesLeft, 10)
  })

  it('is not completed by a session of another, nor a look-alike', async ({ ben, app, ofBen, waiting }) => {
    const code = app.code()
    const fullWidth = code.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)))
    ben.cookies.set('two_factor', waiting.cookies.get('two_factor') ?? '')

    assertRefused(await verifyTotp(ben, ofBen.code()), 'INVALID_CODE')
    for (const typed of [fullWidth, `0${code}`, code.slice(1)])
      assert.equal((await verifyTotp(waiting, typed)).body.code, 'INVALID_CODE', typed)

    assert.equal((await ben.get(GET_SESSION)).body.user.id, ben.id)
  })

  it('has ended once signed out, and its cookie is no session', async ({ service, app, waiting }) => {
    const pending = waiting.cookies.get('two_factor') ?? ''
    const asBearer = await stranger(service).get(GET_SESSION, { authorization: `Bearer ${pending}` })
    waiting.cookies.set('session', pending)
    const asCookie = await waiting.get(GET_SESSION)

    await waiting.post('/api/auth/sign-out')
    waiting.cookies.set('two_factor', pending)
    const late = await verifyTotp(waiting, app.code())

    assert.deepEqual([asBearer.body, asCookie.body], [null, null])
    assertRefused(late, 'INVALID_TWO_FACTOR_COOKIE')
  })
})

describe('checklist 85: the factors of an account', () => {
  it('cannot be read or changed by a tool, whatever its scopes are', async ({ ann, app }) => {
    const tool = await grantFor(ann, 'account:profile:read', 'account:profile:write')
    const acts = ['enable', 'disable', 'generate-backup-codes', 'get-totp-uri', 'revoke-trusted-device']

    for (const path of [...acts.map((act) => `two-factor/${act}`), 'confirm', 'passkey/delete-passkey'])
      assertRefused(await tool.post(`/api/auth/${path}`, { password: ann.password }), 'FORBIDDEN')
    const code = await tool.post('/api/auth/two-factor/verify-totp', { code: app.code() })
    assert.equal(code.body.code, 'INVALID_TWO_FACTOR_COOKIE')
  })

  it('are not confirmed or renamed with the passkey of another user', async ({ ann, ben, ofBen: _, key }) => {
    const { body: options } = await ann.get('/api/auth/passkey/generate-authenticate-options')
    const [{ id }] = (await ben.get('/api/auth/passkey/list-user-passkeys')).body

    const confirmed = await ann.post('/api/auth/confirm', { passkey: key.show(options) })
    const named = await ann.post('/api/auth/passkey/update-passkey', { id, name: 'Mine' })
    const removed = await ann.post('/api/auth/passkey/delete-passkey', { id })

    for (const answer of [confirmed, named, removed]) assertRefused(answer, 'PASSKEY_NOT_FOUND')
  })
})

describe('checklist 86: options for a new passkey', () => {
  it('are for what they were asked for: a sign-up, or an addition', async ({ ann, newKey }) => {
    const path = '/api/auth/passkey'
    const response = (options: Parameters<SecurityKey['make']>[0]) => newKey().make(options)
    const email = 'carl@example.com'
    const { body: ofNewUser } = await ann.post(`${path}/generate-sign-up-options`, { email })
    const added = await ann.post(`${path}/verify-registration`, { response: response(ofNewUser) })
    const { body: ofUser } = await ann.get(`${path}/generate-register-options`)
    const made = await ann.post(`${path}/verify-sign-up`, { response: response(ofUser) })

    for (const answer of [added, made]) assert.equal(answer.body.code, 'INVALID_PASSKEY')
    assert.deepEqual((await ann.get(`${path}/list-user-passkeys`)).body, [])
  })
})
