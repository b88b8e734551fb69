import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused } from '../../../../test/service/answers.ts'
import { grantFor } from '../../../../test/service/grants.ts'
import { it } from '../../../../test/service/it.ts'
import { Person } from '../../../../test/service/people.ts'

const GET_SESSION = '/api/auth/get-session'
const UPDATE = '/api/auth/update-user'
const DELETE = '/api/auth/delete-user'

describe('update-user', () => {
  it('changes name and picture, and nothing else', async ({ ann }) => {
    const image = 'https://avatars.githubusercontent.com/u/7'
    const others = { email: 'evil@example.com', role: 'administrator', emailVerified: true, affCode: 'MINE' }

    const answer = await ann.post(UPDATE, { name: ' Ann ', image, ...others })
    const { user } = (await ann.get(GET_SESSION)).body
    await ann.post(UPDATE, { image: null })

    assert.deepEqual([answer.status, answer.body], [200, { status: true }])
    assert.deepEqual([user.name, user.image, user.email], ['Ann', image, ann.email])
    assert.deepEqual([user.role, user.emailVerified], ['user', false])
    assert.notEqual(user.affCode, 'MINE')
    assert.equal((await ann.get(GET_SESSION)).body.user.image, null)
  })

  it('is open to a grant with account:profile:write, and to no other', async ({ ann }) => {
    const allowed = await grantFor(ann, 'account:profile:write')
    const other = await grantFor(ann, 'account:profile:read')

    assert.equal((await allowed.post(UPDATE, { name: 'Ann' })).status, 200)
    assertRefused(await other.post(UPDATE, { name: 'Eve' }), 'INSUFFICIENT_SCOPE')
    assert.equal((await ann.get(GET_SESSION)).body.user.name, 'Ann')
  })

  it('accepts only a web address as the picture', async ({ ann }) => {
    for (const image of ['javascript:alert(1)', 'data:image/png;base64,AA', 'ann.png', 7])
      assert.equal((await ann.post(UPDATE, { image })).status, 400, String(image))
  })
})

describe('change-email', () => {
  it('is refused whatever is sent', async ({ ann }) => {
    for (const body of [{ newEmail: 'ann@new.example' }, {}, [], 'x', null])
      assertRefused(await ann.post('/api/auth/change-email', body), 'EMAIL_CHANGE_DISABLED')
  })
})

describe('delete-user', () => {
  it('needs the password, ends every session, and frees the address', async ({ service, ann, ben }) => {
    const laptop = new Person(service, ann.email, ann.password)
    await laptop.signIn()

    const without = await ann.post(DELETE)
    const wrong = await ann.post(DELETE, { password: 'not hers at all' })
    const deleted = await ann.post(DELETE, { password: ann.password })

    assert.deepEqual([without.status, wrong.status, deleted.status], [401, 401, 200])
    assert.deepEqual(deleted.body, { success: true })
    assert.equal((await laptop.get(GET_SESSION)).body, null)
    assert.equal((await ann.signIn()).status, 401)
    assert.equal((await ben.get(GET_SESSION)).body.user.id, ben.id)
    const erasures = await service.platform.meta.selectFrom('erasure').select('user_id').execute()
    assert.deepEqual(erasures, [{ user_id: ann.id }])
    service.clock.advance({ minutes: 2 })
    assert.equal((await laptop.signUp()).status, 200)
  })

  it('is refused for the administrator', async ({ administrator }) => {
    assertRefused(await administrator.post(DELETE, { password: administrator.password }), 'FORBIDDEN')
    assert.equal((await administrator.get(GET_SESSION)).status, 200)
  })
})

describe('the audit log', () => {
  it('has sign-ins, refusals and changes, and no secret', async ({ service, ann }) => {
    const newPassword = 'a quieter walk in the snow'
    await ann.signIn()
    await new Person(service, ann.email, 'a wrong password').signIn()
    await new Person(service, 'a-password-typed-amiss@example.com', 'x y z w v u').signIn()
    await ann.post('/api/auth/change-password', { currentPassword: ann.password, newPassword })
    await ann.post(DELETE, { password: newPassword })

    const entries = await service.platform.meta.selectFrom('event').selectAll().execute()

    const actions = new Set(entries.map(({ action }) => action))
    for (const action of ['user.sign_in', 'user.sign_in_refused', 'user.change_password', 'user.delete'])
      assert.ok(actions.has(action), action)
    const secrets = [ann.password, newPassword, ann.token, 'a wrong password', 'a-password-typed-amiss']
    for (const secret of secrets) assert.ok(!JSON.stringify(entries).includes(secret), secret)
  })
})
