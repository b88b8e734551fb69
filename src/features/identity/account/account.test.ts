import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { grantFor } from '../../../../test/service/grants.ts'
import { it } from '../../../../test/service/it.ts'
import { Person, stranger } from '../../../../test/service/people.ts'

const GET_SESSION = '/api/auth/get-session'
const CHANGE = '/api/auth/change-password'
const next = 'a quieter walk in the snow'

describe('change-password', () => {
  it('needs the current one, and gives this session a new token', async ({ service, ann }) => {
    const old = ann.token

    const wrong = await ann.post(CHANGE, { currentPassword: 'not hers at all', newPassword: next })
    const changed = await ann.post(CHANGE, { currentPassword: ann.password, newPassword: next })

    assert.deepEqual([wrong.status, wrong.body.code], [401, 'INVALID_EMAIL_OR_PASSWORD'])
    assert.deepEqual([changed.status, changed.body.user.email], [200, ann.email])
    assert.notEqual(changed.body.token, old)
    assert.equal((await stranger(service).get(GET_SESSION, bearer(old))).body, null)
    assert.equal((await ann.get(GET_SESSION)).body.user.id, ann.id)
    assert.equal((await ann.signIn()).status, 401)
    assert.equal((await new Person(service, ann.email, next).signIn()).status, 200)
  })

  it('ends the other sessions if the request says so, and only then', async ({ service, ann }) => {
    const laptop = new Person(service, ann.email, ann.password)
    await laptop.signIn()

    await ann.post(CHANGE, { currentPassword: ann.password, newPassword: next })
    const kept = await laptop.get(GET_SESSION)
    await ann.post(CHANGE, { currentPassword: next, newPassword: ann.password, revokeOtherSessions: true })

    assert.equal(kept.body.user.id, ann.id)
    assert.equal((await laptop.get(GET_SESSION)).body, null)
    assert.equal((await ann.get(GET_SESSION)).body.user.id, ann.id)
  })

  it('obeys the rules of passwords', async ({ ann }) => {
    for (const [newPassword, code] of [
      ['short', 'PASSWORD_TOO_SHORT'],
      ['password1', 'PASSWORD_COMPROMISED'],
      ['x'.repeat(129), 'PASSWORD_TOO_LONG'],
    ]) {
      const answer = await ann.post(CHANGE, { currentPassword: ann.password, newPassword })
      assert.deepEqual([answer.status, answer.body.code], [400, code])
    }
    assert.equal((await ann.signIn()).status, 200)
  })

  it('of two at once one passes', async ({ ann }) => {
    const answers = await Promise.all(
      ['the first of the two', 'the second of the two'].map((newPassword) =>
        ann.post(CHANGE, { currentPassword: ann.password, newPassword }, bearer(ann.token)),
      ),
    )

    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401])
  })

  it('the administrator is warned until the printed password is changed', async ({ administrator }) => {
    const before = await administrator.get(GET_SESSION)
    await administrator.post(CHANGE, { currentPassword: administrator.password, newPassword: next })
    const after = await administrator.get(GET_SESSION)

    assert.equal(before.body.user.passwordIsInitial, true)
    assert.equal(after.body.user.passwordIsInitial, false)
  })
})

describe('update-user', () => {
  it('changes name and picture, and nothing else', async ({ ann }) => {
    const sent = {
      name: ' Ann ',
      image: 'https://example.com/ann.png',
      email: 'evil@example.com',
      role: 'administrator',
      emailVerified: true,
      affCode: 'MINE',
    }

    const answer = await ann.post('/api/auth/update-user', sent)
    const { user } = (await ann.get(GET_SESSION)).body
    await ann.post('/api/auth/update-user', { image: null })

    assert.deepEqual([answer.status, answer.body], [200, { status: true }])
    assert.deepEqual([user.name, user.image, user.email], ['Ann', sent.image, ann.email])
    assert.deepEqual([user.role, user.emailVerified], ['user', false])
    assert.equal((await ann.get(GET_SESSION)).body.user.image, null)
  })

  it('is open to a grant with account:profile:write, and to no other', async ({ ann }) => {
    const allowed = await grantFor(ann, 'account:profile:write')
    const other = await grantFor(ann, 'account:profile:read')

    const changed = await ann.post(
      '/api/auth/update-user',
      { name: 'Ann' },
      bearer(allowed.tokens.access_token),
    )
    const refused = await ann.post(
      '/api/auth/update-user',
      { name: 'Eve' },
      bearer(other.tokens.access_token),
    )

    assert.equal(changed.status, 200)
    assert.deepEqual([refused.status, refused.body.code], [403, 'INSUFFICIENT_SCOPE'])
    assert.equal((await ann.get(GET_SESSION)).body.user.name, 'Ann')
  })

  it('a picture is an address on the web', async ({ ann }) => {
    for (const image of ['javascript:alert(1)', 'data:image/png;base64,AA', 'ann.png', 7]) {
      assert.equal((await ann.post('/api/auth/update-user', { image })).status, 400, String(image))
    }
  })
})

describe('change-email', () => {
  it('is refused whatever is sent', async ({ ann }) => {
    for (const body of [{ newEmail: 'ann@new.example' }, {}, [], 'x', null]) {
      const answer = await ann.post('/api/auth/change-email', body)
      assert.deepEqual([answer.status, answer.body.code], [400, 'EMAIL_CHANGE_DISABLED'])
    }
  })
})

describe('delete-user', () => {
  it('needs the password, and ends every session at once', async ({ service, ann, ben }) => {
    const laptop = new Person(service, ann.email, ann.password)
    await laptop.signIn()

    const without = await ann.post('/api/auth/delete-user')
    const wrong = await ann.post('/api/auth/delete-user', { password: 'not hers at all' })
    const deleted = await ann.post('/api/auth/delete-user', { password: ann.password })

    assert.deepEqual([without.status, wrong.status, deleted.status], [401, 401, 200])
    assert.deepEqual(deleted.body, { success: true })
    assert.equal((await laptop.get(GET_SESSION)).body, null)
    assert.equal((await ann.signIn()).status, 401)
    assert.equal((await ben.get(GET_SESSION)).body.user.id, ben.id)
    const { meta } = service.platform
    const erasures = await meta.selectFrom('erasure').select(['user_id']).execute()
    assert.deepEqual(
      erasures.map(({ user_id }) => user_id),
      [ann.id],
    )
  })

  it('frees the address for a new account', async ({ service, ann }) => {
    await ann.post('/api/auth/delete-user', { password: ann.password })
    service.clock.advance({ minutes: 2 })

    assert.equal((await new Person(service, ann.email, ann.password).signUp()).status, 200)
  })

  it('is refused to the administrator', async ({ administrator }) => {
    const answer = await administrator.post('/api/auth/delete-user', { password: administrator.password })

    assert.deepEqual([answer.status, answer.body.code], [403, 'FORBIDDEN'])
    assert.equal((await administrator.get(GET_SESSION)).status, 200)
  })
})

describe('the audit log', () => {
  it('has sign-ins, refusals and changes, and no secret', async ({ service, ann }) => {
    await ann.signIn()
    await new Person(service, ann.email, 'a wrong password').signIn()
    await new Person(service, 'a-password-typed-amiss@example.com', 'x y z w v u').signIn()
    await ann.post(CHANGE, { currentPassword: ann.password, newPassword: next })
    await ann.post('/api/auth/delete-user', { password: next })

    const entries = await service.platform.meta.selectFrom('event').selectAll().execute()

    const actions = new Set(entries.map(({ action }) => action))
    for (const action of ['user.sign_in', 'user.sign_in_refused', 'user.change_password', 'user.delete']) {
      assert.ok(actions.has(action), action)
    }
    const text = JSON.stringify(entries)
    for (const secret of [ann.password, next, ann.token, 'a wrong password', 'a-password-typed-amiss']) {
      assert.ok(!text.includes(secret), secret)
    }
  })
})

function bearer(token: string): { readonly authorization: string } {
  return { authorization: `Bearer ${token}` }
}
