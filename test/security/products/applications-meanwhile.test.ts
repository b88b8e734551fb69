import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { openPatiently, whileHeld, whileUserIsHeld } from '../../postgres/held-user.ts'
import { statuses } from '../../service/answers.ts'
import { basic, bearer, codeFor, register, tokenRequest, tokensFor } from '../../service/applications.ts'
import { postForm } from '../../service/grants.ts'
import { type Answer, people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { begin as beginFor, decide } from '../../service/shop.ts'

const EMAIL = 'openid email'

/** Ann has connected the shop once, with the scopes of its default request. */
async function world() {
  const service = await startService({ open: openPatiently })
  const { administrator, ann, ben } = await people(service)
  const scopes = ['openid', 'profile', 'email', 'account:profile:read', 'operations:notifications:read']
  const shop = await register(administrator, { scopes })
  const { access_token: token } = await tokensFor(ann, shop)
  const { body } = await ann.post('/api/list_grants')
  const begin = (scope: string) => beginFor(ann, shop, { scope })
  const revoke = () => ann.post('/api/revoke_grant', { id: body.items[0].id })
  /** Does what a sign-out does: the consent stays. */
  const endGrant = () => postForm(ann, '/api/oauth/revoke', { token }, basic(shop))
  const consents = () => service.platform.meta.primary.selectFrom('consent').select('scopes').execute()
  const close = () => service[Symbol.asyncDispose]()
  const robot = await register(administrator, { kind: 'service', scopes: ['admin:beta:read'] })
  const ask = () => tokenRequest(ben, robot, { grant_type: 'client_credentials' })
  const shown = { service, administrator, ann, ben, shop }
  return { ...shown, begin, revoke, endGrant, consents, ask, [Symbol.asyncDispose]: close }
}

describe('a consent that is taken back', () => {
  it('does not return with an approval of other scopes that was under way', async () => {
    await using w = await world()
    const profile = await w.begin('openid account:profile:read')
    const notifications = await w.begin('openid operations:notifications:read')

    const answers = await whileUserIsHeld(w.service, w.ann.id, [
      () => decide(w.ann, profile.body.request_id),
      () => decide(w.ann, notifications.body.request_id),
      () => w.revoke(),
    ])

    assert.deepEqual(statuses(answers), [200, 200, 200])
    for (const { scopes } of await w.consents()) assert.doesNotMatch(scopes, /\bemail\b/)
    assert.ok((await w.begin(EMAIL)).body.request_id)
  })

  it('lets no application continue quietly that was about to', async () => {
    await using w = await world()

    const [begun] = await whileUserIsHeld(w.service, w.ann.id, [() => w.begin(EMAIL), () => w.revoke()])

    const isFirst = begun?.body.redirect_to !== undefined
    assert.deepEqual([begun?.status, isFirst || begun?.body.request_id !== undefined], [200, true])
    assert.deepEqual(await w.consents(), [])
    assert.ok((await w.begin(EMAIL)).body.request_id)
  })

  it('is beside an application that continues quietly, which keeps its consent', async () => {
    await using w = await world()

    const codes = await Promise.all(Array.from({ length: 10 }, () => codeFor(w.ann, w.shop)))

    assert.ok(codes.every(({ code, wasAsked }) => code !== '' && !wasAsked))
  })
})

describe('an application that is deleted', () => {
  it('while somebody approves it is gone without a fault, and with its consent', async () => {
    await using w = await world()
    const begun = await w.begin('openid account:profile:read')

    const answers = await whileHeld(w.service, { sql: 'lock table consent in share mode' }, [
      () => decide(w.ann, begun.body.request_id),
      () => w.administrator.post('/api/admin/delete_application', { id: w.shop.id }),
    ])

    assert.ok([200, 404].includes(answers[0]?.status ?? 0), String(answers[0]?.status))
    assert.equal(answers[1]?.status, 200)
    assert.deepEqual(await w.consents(), [])
  })

  for (const isFirst of [true, false])
    it(`${isFirst ? 'before' : 'after'} one of its users is erased at the same moment: both are done`, async () => {
      await using w = await world()
      await w.endGrant()
      await w.begin('openid account:profile:read')
      const erase = () => w.ann.post('/api/auth/delete-user', { password: w.ann.password })
      const remove = () => w.administrator.post('/api/admin/delete_application', { id: w.shop.id })

      const sql = 'select from authorization_request where user_id = $1 for update'
      const acts = isFirst ? [remove, erase] : [erase, remove]
      const answers = await whileHeld<Answer<unknown>>(w.service, { sql, values: [w.ann.id] }, acts)

      assert.deepEqual(statuses(answers), [200, 200])
      assert.deepEqual(await w.consents(), [])
    })
})

describe('a service', () => {
  it('has one grant, however many first requests come at once', async () => {
    await using w = await world()

    const held = { sql: 'lock table access_token in share mode' }
    const answers = await whileHeld(w.service, held, [w.ask, w.ask, w.ask])

    const { body: grants } = await w.administrator.post('/api/list_grants')
    const used = await Promise.all(
      answers.map(({ body }) => w.ben.post('/api/admin/list_beta_codes', {}, bearer(body.access_token))),
    )
    assert.deepEqual([grants.total, ...statuses(used)], [1, 200, 200, 200])
  })

  it('gets a token of a new grant while its old one is being revoked', async () => {
    await using w = await world()
    await w.ask()
    const { body: before } = await w.administrator.post('/api/list_grants')
    const revoke = () => w.administrator.post('/api/revoke_grant', { id: before.items[0].id })

    const held = { sql: 'lock table consent in share mode' }
    const [revoked, answer] = await whileHeld<Answer<unknown>>(w.service, held, [revoke, w.ask])
    const next = await w.ask()

    assert.deepEqual([revoked?.status, answer?.status, next.status], [200, 200, 200])
  })
})
