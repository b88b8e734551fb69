import assert from 'node:assert/strict'
import { decodeJwt } from 'jose'
import { describe } from 'vitest'
import { actAs, copyOf, stopActing } from '../../service/acting.ts'
import { assertRefused } from '../../service/answers.ts'
import { bearer, tokensFor } from '../../service/applications.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { authorizationQuery, startDevice } from '../../service/grants.ts'
import { inNewBrowser } from '../../service/new-browser.ts'
import { type Person, stranger } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'
import { introspect, visit, itWith as withShop } from '../../service/shop.ts'

const SCOPES = ['openid', 'profile', 'operations:feedback:write', 'operations:notifications:read']

/** The shop asks nobody: the administrator has registered it as their own. */
const it = withShop({ skip_consent: true, scopes: [...SCOPES, 'offline_access'] }).extend<{ readonly web: Person }>({
  web: async ({ service }, use) => use(stranger(service)),
})

const allow = (service: Service) => changeSettings(service, 'authentication', { impersonation: 'read_and_write' })
const scope = SCOPES.join(' ')
const IDEA = { type: 'idea', content: 'More owls.' }

describe('an application without consent', () => {
  it.for([
    ['read_only', {}, true],
    ['read_and_write', { write: true }, undefined],
  ] as const)(
    'gets tokens that say who acts, and in which mode: %s',
    async ([, more, readOnly], { service, administrator, ann, shop, web }) => {
      await allow(service)
      await actAs(administrator, ann, more)

      const tokens = await tokensFor(administrator, shop, { scope })

      const act = { sub: administrator.id }
      const claims = decodeJwt(tokens.id_token ?? '')
      assert.deepEqual([claims.sub, claims.act, claims.read_only], [ann.id, act, readOnly])
      const { body } = await introspect(web, shop, tokens.access_token)
      assert.deepEqual([body.active, body.sub, body.act, body.read_only], [true, ann.id, act, readOnly])
      const wrote = await web.post('/api/submit_feedback', IDEA, bearer(tokens.access_token))
      assert.equal(wrote.body.code, readOnly && 'IMPERSONATION_READ_ONLY')
      const noted = await ann.post('/api/list_impersonations')
      assert.equal(noted.body.items[0].acts.length, readOnly ? 0 : 1)
    },
  )

  it('loses its token with the acting, however it ends', async ({ service, administrator, ann, shop, web }) => {
    await allow(service)
    const elsewhere = inNewBrowser(service, administrator)
    await elsewhere.signIn()
    for (const end of [() => stopActing(administrator), () => elsewhere.post('/api/auth/revoke-other-sessions')]) {
      await actAs(administrator, ann)
      const { access_token } = await tokensFor(administrator, shop, { scope })
      assert.equal((await introspect(web, shop, access_token)).body.active, true)
      await end()
      assert.deepEqual((await introspect(web, shop, access_token)).body, { active: false })
      assert.equal((await web.post('/api/list_notifications', {}, bearer(access_token))).status, 401)
    }
  })

  it('gets no proof of the user while somebody acts as the user: no `auth_time`, and no code where `max_age` asks for one', async ({
    service,
    administrator,
    ann,
    shop,
  }) => {
    await allow(service)
    await actAs(administrator, ann)

    const { id_token } = await tokensFor(administrator, shop, { scope })
    const quiet = await visit(administrator, shop, { scope, max_age: '86400', prompt: 'none' })
    const open = await visit(administrator, shop, { scope, max_age: '86400' })

    assert.equal(decodeJwt(id_token ?? '').auth_time, undefined)
    assert.match(quiet.headers.get('location') ?? '', /error=login_required/)
    assert.deepEqual([open.status, open.headers.get('location')], [200, null])
  })

  it('leaves no consent and no lasting connection, and gets no `offline_access`', async ({
    service,
    administrator,
    ann,
    shop,
  }) => {
    await allow(service)
    await actAs(administrator, ann)
    const lasting = await visit(administrator, shop, { scope: `${scope} offline_access`, prompt: 'none' })
    const asked = await administrator.post('/api/oauth/begin_authorization', {
      ...authorizationQuery(['operations:notifications:read']),
    })
    await tokensFor(administrator, shop, { scope })

    assert.match(lasting.headers.get('location') ?? '', /error=consent_required/)
    assertRefused(asked, 'IMPERSONATION_REFUSED')
    const { meta } = service.platform
    assert.deepEqual(await meta.primary.selectFrom('consent').selectAll().execute(), [])
    await stopActing(administrator)
    const refreshable = await meta.primary.selectFrom('refresh_token').selectAll().execute()
    assert.deepEqual(refreshable, [])
  })
})

describe('somebody who acts as a user', () => {
  it('connects no tool and approves no device', async ({ service, administrator, ann, web }) => {
    await allow(service)
    const { body } = await startDevice(web, 'operations:notifications:read')
    await actAs(administrator, ann, { write: true })

    const { user_code } = body
    assertRefused(await administrator.post('/api/oauth/begin_authorization', { user_code }), 'IMPERSONATION_REFUSED')
  })

  it('is named to products: by a signed token and to proxies, which can pass the cookie on', async ({
    service,
    administrator,
    ann,
    web,
  }) => {
    await allow(service)
    await actAs(administrator, ann)
    const { body } = await administrator.get('/api/auth/token')
    const claims = decodeJwt(body.token)
    assert.deepEqual([claims.sub, claims.act, claims.read_only], [ann.id, { sub: administrator.id }, true])

    const asked = async (person: Person, headers = {}) => {
      const { headers: given } = await person.get('/api/verify', headers)
      return ['x-user-id', 'x-act-sub', 'x-auth-read-only'].map((name) => given.get(name))
    }
    const acting = [ann.id, administrator.id, 'true']
    const cookie = administrator.cookies.get('session') ?? ''
    for (const said of [
      await asked(administrator),
      await asked(web, bearer(cookie)),
      await asked(web, bearer(body.token)),
    ])
      assert.deepEqual(said, acting)
    assert.deepEqual(await asked(ann), [ann.id, '', ''])
    await changeSettings(service, 'authentication', { impersonation: 'off' })
    assert.equal((await copyOf(service, administrator).get('/api/verify')).status, 401)
    assert.equal((await web.get('/api/verify', bearer(body.token))).status, 401)
  })
})
