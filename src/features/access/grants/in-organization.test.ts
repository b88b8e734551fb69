import assert from 'node:assert/strict'
import { decodeJwt } from 'jose'
import { describe } from 'vitest'
import { assertRefused, statuses } from '../../../../test/service/answers.ts'
import { bearer, codeFor, type Registered, register, tokensFor } from '../../../../test/service/applications.ts'
import { approvedCode, authorizationQuery, ConnectedClient, grantFor, redeem } from '../../../../test/service/grants.ts'
import { itWith } from '../../../../test/service/it.ts'
import { join, type Made, ORGANIZATIONS, organizationOf, wire } from '../../../../test/service/organizations.ts'
import type { Person } from '../../../../test/service/people.ts'
import { begin, introspect, redeemFor, refreshFor, visit } from '../../../../test/service/shop.ts'
import { importOrganization } from '../../people/organizations/importing.ts'

interface Fixtures {
  /** Ann owns both; Ben is an editor in the first, which is active in his session. */
  readonly rowers: Made
  readonly chess: Made
  readonly shop: Registered
  readonly suspend: (made: Made) => Promise<unknown>
  readonly restore: (made: Made) => Promise<unknown>
}

const SCOPES = ['openid', 'profile', 'organizations', 'offline_access']
const SCOPE = { scope: SCOPES.join(' ') }
const OUTSIDE = 'USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION'

const it = itWith({ organizations: ORGANIZATIONS }).extend<Fixtures>({
  rowers: async ({ service, ann, ben }, use) => {
    const made = await organizationOf(ann, { slug: 'rowers' })
    await join(service, made, ben, 'member', 'editor')
    await wire(ben).post('set-active', { organizationId: made.id })
    await use(made)
  },
  chess: async ({ ann }, use) => use(await organizationOf(ann, { name: 'Chess', slug: 'chess' })),
  suspend: async ({ administrator }, use) =>
    use(({ id }) => administrator.post('/api/admin/suspend_organization', { id, reason: 'Spam.' })),
  restore: async ({ administrator }, use) =>
    use(({ id }) => administrator.post('/api/admin/restore_organization', { id })),
  shop: async ({ administrator }, use) => use(await register(administrator, { scopes: SCOPES })),
})

const userInfo = (person: Person, token: string) =>
  person.get('/api/oauth/userinfo', bearer(token)).then(({ body }) => body)

const errorAt = ({ redirect_to }: { readonly redirect_to?: string }) =>
  new URL(redirect_to ?? 'none:').searchParams.get('error')

describe('an application with the scope organizations', () => {
  it('gets the active organisation where nobody chose one, and the list of all', async ({ ben, rowers, shop }) => {
    const { access_token, id_token = '' } = await tokensFor(ben, shop, SCOPE)
    const info = await userInfo(ben, access_token)
    const { body: facts } = await introspect(ben, shop, access_token)

    const { org_id, org_slug, org_name, org_roles } = decodeJwt(id_token)
    const shown = { org_id: rowers.id, org_slug: 'rowers', org_name: 'Rowers', org_roles: ['member', 'editor'] }
    assert.deepEqual({ org_id, org_slug, org_name, org_roles }, shown)
    const { organizations, ...rest } = info
    assert.deepEqual([rest.org_id, rest.org_name, rest.org_roles], [rowers.id, 'Rowers', ['member', 'editor']])
    assert.deepEqual(organizations, [{ id: rowers.id, slug: 'rowers', name: 'Rowers', roles: ['member', 'editor'] }])
    assert.deepEqual(
      [facts.org_id, facts.org_slug, facts.org_roles, facts.org_permissions, facts.org_name],
      [rowers.id, 'rowers', ['member', 'editor'], ['ac:read', 'project:create'], undefined],
    )
  })

  it('gets the one that it names, by id or slug', async ({ ann, rowers, chess, shop }) => {
    await wire(ann).post('set-active', { organizationId: rowers.id })
    const orgs = []
    for (const organization of [chess.id, 'chess', rowers.slug])
      orgs.push(decodeJwt((await tokensFor(ann, shop, { ...SCOPE, organization })).id_token ?? '').org_slug)

    assert.deepEqual(orgs, ['chess', 'chess', 'rowers'])
  })

  it('gets none of somebody else’s, nor one that is suspended', async ({ suspend, ben, rowers, chess, shop }) => {
    const answers = []
    for (const organization of [chess.id, chess.slug, 'nobody-has-this'])
      answers.push(errorAt((await begin(ben, shop, { ...SCOPE, organization })).body))
    const silent = await visit(ben, shop, { ...SCOPE, prompt: 'none', organization: chess.id })
    await suspend(rowers)
    answers.push(errorAt((await begin(ben, shop, { ...SCOPE, organization: rowers.id })).body))

    assert.deepEqual(answers, Array(4).fill('access_denied'))
    assert.equal(errorAt({ redirect_to: silent.headers.get('location') ?? '' }), 'access_denied')
  })

  it('says nothing of organisations without the scope, whatever the grant acts in', async ({ ben, rowers, shop }) => {
    const { access_token, id_token = '' } = await tokensFor(ben, shop, { organization: rowers.id, scope: 'openid' })
    const info = await userInfo(ben, access_token)

    assert.deepEqual([decodeJwt(id_token).org_id, info.org_id, info.organizations], [undefined, undefined, undefined])
  })
})

describe('a consent', () => {
  it('is for one organisation: another, or none, is asked about again', async ({ ann, rowers, chess, shop }) => {
    const wasAsked = async (more: Readonly<Record<string, string>>) =>
      (await codeFor(ann, shop, { ...SCOPE, ...more })).wasAsked
    await wire(ann).post('set-active', { organizationId: rowers.id })
    const inRowers = { organization: rowers.id }

    assert.deepEqual([await wasAsked(inRowers), await wasAsked(inRowers), await wasAsked({})], [true, false, false])
    assert.deepEqual([await wasAsked({ organization: chess.id }), await wasAsked(inRowers)], [true, true])
    await wire(ann).post('set-active', { organizationId: null })
    assert.deepEqual([await wasAsked({}), await wasAsked({})], [true, false])
    const silent = await visit(ann, shop, { ...SCOPE, prompt: 'none', organization: chess.id })
    assert.equal(errorAt({ redirect_to: silent.headers.get('location') ?? '' }), 'consent_required')
  })

  it('of one organisation adds nothing to what is asked for in another', async ({ ann, rowers, chess, shop }) => {
    await codeFor(ann, shop, { ...SCOPE, organization: rowers.id })
    await codeFor(ann, shop, { scope: 'openid', organization: chess.id })

    const more = await codeFor(ann, shop, { ...SCOPE, organization: chess.id })

    assert.equal(more.wasAsked, true)
  })

  it('can choose an organisation of the user, but no other than the client names', async ({
    ann,
    ben,
    rowers,
    chess,
    shop,
  }) => {
    const decide = async (person: Person, asked: object, organization_id: string | null) => {
      const { body } = await begin(person, shop, { ...SCOPE, prompt: 'consent', ...asked })
      const sent = { request_id: body.request_id, approve: true, organization_id }
      return person.post('/api/oauth/decide_authorization', sent)
    }
    const foreign = await decide(ben, {}, chess.id)
    const unknown = await decide(ben, {}, 'nobody')
    const bySlug = await decide(ben, {}, rowers.slug)
    const another = await decide(ann, { organization: chess.id }, rowers.id)
    const none = await decide(ben, {}, null)
    const own = await decide(ann, {}, chess.id)

    for (const refused of [foreign, unknown, bySlug]) assertRefused(refused, OUTSIDE)
    assertRefused(another, 'INVALID_REQUEST')
    assert.deepEqual(statuses([none, own]), [200, 200])
  })

  it('offers a choice of organisations with the active one chosen, unless the request names one', async ({
    ann,
    rowers,
    chess,
    shop,
  }) => {
    const shown = async (asked: Readonly<Record<string, string>>) => {
      const { body } = await begin(ann, shop, { ...SCOPE, ...asked })
      const { body: request } = await ann.post('/api/oauth/get_authorization', { request_id: body.request_id })
      const { organization_id, organization_named, organizations } = request
      return [organization_id, organization_named, organizations.map(({ id }: Made) => id)]
    }
    await wire(ann).post('set-active', { organizationId: rowers.id })

    assert.deepEqual(await shown({}), [rowers.id, false, [rowers.id, chess.id]])
    assert.deepEqual(await shown({ organization: chess.slug }), [chess.id, true, [chess.id]])
    assert.deepEqual(await shown({ scope: 'openid' }), [null, false, []])
    assert.deepEqual(await shown(authorizationQuery(['account:profile:read'])), [null, false, [rowers.id, chess.id]])
  })

  it('gives nothing once the membership has ended, even if it begins again; a suspension does not use up its code', async ({
    service,
    suspend,
    restore,
    ann,
    ben,
    rowers,
    shop,
  }) => {
    const suspended = await codeFor(ben, shop, SCOPE)
    await suspend(rowers)
    const early = await redeemFor(ben, shop, suspended)
    await restore(rowers)
    const restored = await redeemFor(ben, shop, suspended)
    const [late, later] = [await codeFor(ben, shop, SCOPE), await codeFor(ben, shop, SCOPE)]
    await wire(ann).post('remove-member', { memberIdOrEmail: ben.email })
    const removed = await redeemFor(ben, shop, late)
    await join(service, rowers, ben)
    const back = await redeemFor(ben, shop, later)

    assert.deepEqual(
      [early.body.error, restored.status, removed.body.error, back.body.error],
      ['interaction_required', 200, 'invalid_grant', 'invalid_grant'],
    )
  })
})

describe('a grant', () => {
  it('acts in the organisation that was chosen for good, whatever becomes active', async ({
    ann,
    rowers,
    chess,
    shop,
  }) => {
    const grant = await tokensFor(ann, shop, { ...SCOPE, organization: chess.id })
    await wire(ann).post('set-active', { organizationId: rowers.id })

    const { body } = await refreshFor(ann, shop, grant.refresh_token)

    assert.equal(decodeJwt(body.id_token ?? '').org_slug, 'chess')
    assert.equal((await userInfo(ann, body.access_token)).org_slug, 'chess')
  })

  it('of a tool reaches no other organisation of its user, even if a call names it', async ({ ann, rowers, chess }) => {
    const scopes = ['account:organizations:read', 'account:organizations:write']
    const { code, verifier } = await approvedCode(ann, scopes, undefined, { organization: chess.id })
    const { body } = await redeem(ann, code, verifier)
    const tool = new ConnectedClient(ann, body)
    const ask = (organizationId: string) => [
      tool.post('/api/auth/organization/create-team', { organizationId, name: 'Eight' }),
      tool.post('/api/auth/organization/has-permission', { organizationId, permissions: { ac: ['read'] } }),
      tool.post('/api/get_organization_data', { organization_id: organizationId }),
    ]

    assert.deepEqual(statuses(await Promise.all(ask(chess.id))), [200, 200, 200])
    for (const answer of await Promise.all(ask(rowers.id))) assertRefused(answer, OUTSIDE)
  })

  it('of a tool acts in none unless it is chosen', async ({ ben, rowers }) => {
    const plain = await grantFor(ben, 'account:profile:read')
    const { code, verifier } = await approvedCode(ben, ['account:profile:read'], undefined, {
      organization: rowers.slug,
    })
    const { body: chosen } = await redeem(ben, code, verifier)
    const orgs = []
    for (const { access_token } of [plain.tokens, chosen])
      orgs.push((await ben.get('/api/verify', bearer(access_token))).headers.get('x-org-slug'))

    assert.deepEqual(orgs, ['', 'rowers'])
  })

  it('ends with the membership, and rests while the organisation is suspended', async ({
    suspend,
    restore,
    ann,
    ben,
    rowers,
    shop,
  }) => {
    const grant = await tokensFor(ben, shop, SCOPE)
    const look = async () => (await ben.get('/api/oauth/userinfo', bearer(grant.access_token))).status
    await suspend(rowers)
    const resting = [await look(), (await refreshFor(ben, shop, grant.refresh_token)).body.error]
    const { body: inactive } = await introspect(ben, shop, grant.access_token)
    await restore(rowers)
    const again = [await look(), (await refreshFor(ben, shop, grant.refresh_token)).status]
    await wire(ann).post('remove-member', { memberIdOrEmail: ben.email })
    const ended = [await look(), (await refreshFor(ben, shop, grant.refresh_token)).body.error]

    assert.deepEqual([resting, inactive], [[401, 'interaction_required'], { active: false }])
    assert.deepEqual(
      [again, ended],
      [
        [200, 200],
        [401, 'invalid_grant'],
      ],
    )
  })

  it('in a deleted organisation is refused at once, and then revoked', async ({ service, ann, ben, rowers, shop }) => {
    const grant = await tokensFor(ben, shop, SCOPE)
    await wire(ann).post('delete', { organizationId: rowers.id })
    const refused = [
      (await ben.get('/api/oauth/userinfo', bearer(grant.access_token))).status,
      (await refreshFor(ben, shop, grant.refresh_token)).body.error,
    ]
    await service.runJob('organization-remains')
    const { body } = await ben.post('/api/list_grants')

    assert.deepEqual(refused, [401, 'invalid_grant'])
    assert.equal(body.total, 0)
  })
})

describe('a personal token', () => {
  it('acts in the organisation that it was made for, whose member its user is', async ({ ann, ben, rowers, chess }) => {
    const make = (organization_id: string | null) =>
      ben.post('/api/create_personal_token', {
        name: 'Deploy',
        scopes: ['account:profile:read'],
        expires_in_days: 7,
        organization_id,
      })
    const made = await make(rowers.id)
    const seen = async () => {
      const { status, headers } = await ben.get('/api/verify', bearer(made.body.token))
      return [status, headers.get('x-org-id')]
    }
    const before = await seen()
    for (const other of [chess.id, 'nobody', rowers.slug]) assertRefused(await make(other), OUTSIDE)
    await wire(ann).post('remove-member', { organizationId: rowers.id, memberIdOrEmail: ben.email })

    assert.deepEqual([before, (await seen())[0]], [[200, rowers.id], 401])
  })
})

describe('a signed token', () => {
  it('has the organisation and what the roles allow there, but for its name', async ({ ben, rowers }) => {
    const { body } = await ben.get('/api/auth/token')
    const { org_id, org_slug, org_roles, org_permissions, org_name } = decodeJwt(body.token)

    assert.deepEqual(
      { org_id, org_slug, org_roles, org_permissions, org_name },
      {
        ...{ org_id: rowers.id, org_slug: 'rowers', org_roles: ['member', 'editor'] },
        ...{ org_permissions: ['ac:read', 'project:create'], org_name: undefined },
      },
    )
  })

  it('acts in no organisation after its session has changed to another one, or its user has left', async ({
    ann,
    ben,
    rowers,
    chess,
  }) => {
    const [ofAnn, ofBen] = [await ann.get('/api/auth/token'), await ben.get('/api/auth/token')]
    assert.equal(decodeJwt(ofAnn.body.token).org_id, chess.id)
    const orgOf = async (person: Person, { body }: typeof ofAnn) =>
      (await person.get('/api/verify', bearer(body.token))).headers.get('x-org-id')
    const before = [await orgOf(ann, ofAnn), await orgOf(ben, ofBen)]
    await wire(ann).post('set-active', { organizationId: rowers.id })
    await wire(ann).post('remove-member', { organizationId: rowers.id, memberIdOrEmail: ben.email })

    assert.deepEqual(before, [chess.id, rowers.id])
    assert.deepEqual([await orgOf(ann, ofAnn), await orgOf(ben, ofBen)], ['', ''])
  })
})

describe('a slug', () => {
  it('cannot look like the id of another organisation, by which products name one too', async ({
    ann,
    ben,
    rowers,
  }) => {
    await organizationOf(ben)

    assertRefused(await wire(ben).post('update', { data: { slug: rowers.id } }), 'ORGANIZATION_SLUG_ALREADY_TAKEN')
    assertRefused(await wire(ann).post('create', { name: 'R', slug: rowers.id }), 'ORGANIZATION_ALREADY_EXISTS')
  })

  it('is never the id of an imported organisation, which can be any word; such an id is never a slug', async ({
    service,
    administrator,
    ben,
    rowers,
  }) => {
    const bring = (id: string, slug: string) =>
      importOrganization(service.platform, { id, slug, name: 'Acme', createdAt: 1 })
    assert.equal(await bring('acme', 'acme-inc'), true)
    const own = await organizationOf(ben)
    const ask = (name: string, fields: object) => administrator.post(`/api/admin/${name}`, fields)

    for (const answer of [
      await wire(ben).post('update', { data: { slug: 'acme' } }),
      await wire(ben).post('check-slug', { slug: 'acme' }),
      await ask('create_organization', { name: 'A', slug: 'acme' }),
      await ask('update_organization', { id: own.id, slug: 'acme' }),
    ])
      assertRefused(answer, 'ORGANIZATION_SLUG_ALREADY_TAKEN')
    assertRefused(await wire(ben).post('create', { name: 'A', slug: 'acme' }), 'ORGANIZATION_ALREADY_EXISTS')
    const brought = [await bring(rowers.slug, 'free-one'), await bring('free', 'acme'), await bring('more', 'admin')]
    assert.deepEqual(brought, [false, false, false])
  })
})
