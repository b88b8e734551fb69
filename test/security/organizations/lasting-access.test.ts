import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { basic, bearer, type Registered, register, tokensFor } from '../../service/applications.ts'
import { approvedCode, postForm, redeem, refreshWith } from '../../service/grants.ts'
import { itWith } from '../../service/it.ts'
import { join, type Made, ORGANIZATIONS, organizationOf, wire } from '../../service/organizations.ts'
import { Person } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'
import { openPage } from '../../service/wire/live-page.ts'

const SCOPES = ['openid', 'organizations', 'offline_access', 'product:shop:read']
const FOLLOW = 'operations:notifications:read'

interface Fixtures {
  readonly rowers: Made
  readonly shop: Registered
}

const it = itWith({ organizations: ORGANIZATIONS }).extend<Fixtures>({
  rowers: async ({ service, ann, ben }, use) => {
    const made = await organizationOf(ann, { slug: 'rowers' })
    await join(service, made, ben, 'editor')
    await wire(ben).post('set-active', { organizationId: made.id })
    await use(made)
  },
  shop: async ({ administrator }, use) => {
    await administrator.post('/api/admin/declare_product_scope', { scope: 'product:shop:read', description: 'Shop' })
    await use(await register(administrator, { scopes: SCOPES }))
  },
})

/** Everything that Ben can hold of his membership. */
async function everythingOf(service: Service, ben: Person, rowers: Made, shop: Registered) {
  const { code, verifier } = await approvedCode(ben, [FOLLOW], undefined, { organization: rowers.id })
  const { body: tool } = await redeem(ben, code, verifier)
  const application = await tokensFor(ben, shop, { scope: SCOPES.join(' '), organization: rowers.id })
  const { body: personal } = await ben.post('/api/create_personal_token', {
    ...{ name: 'Deploy', scopes: [FOLLOW], expires_in_days: 7, organization_id: rowers.id },
  })
  const tokens = {
    session: ben.token,
    'signed for a session': (await ben.get('/api/auth/token')).body.token,
    tool: tool.access_token,
    'signed for a tool': (await ben.get('/api/auth/token', bearer(tool.access_token))).body.token,
    application: application.access_token,
    'signed for an application': (await ben.get('/api/auth/token', bearer(application.access_token))).body.token,
    personal: personal.token,
    'signed for a personal token': (await ben.get('/api/auth/token', bearer(personal.token))).body.token,
  }
  const page = await openPage(service, { token: tool.access_token })
  assert.equal((await page.next()).event, 'unread')
  return { tokens, page, refresh: { tool: tool.refresh_token, application: application.refresh_token } }
}

type Everything = Awaited<ReturnType<typeof everythingOf>>

/** For each token, where it acts; or the status with which it is refused. */
async function whereAct(nobody: Person, { tokens }: Everything) {
  const places = Object.entries(tokens).map(async ([name, token]) => {
    const { status, headers } = await nobody.get('/api/verify', bearer(token))
    return [name, status === 200 ? headers.get('x-org-slug') : status] as const
  })
  return Object.fromEntries(await Promise.all(places))
}

async function activeOnes(nobody: Person, shop: Registered, { tokens }: Everything) {
  const asked = Object.entries(tokens).map(async ([name, token]) => {
    const { body } = await postForm(nobody, '/api/oauth/introspect', { token }, basic(shop))
    return body.active === true && body.org_id !== undefined ? [name] : []
  })
  return (await Promise.all(asked)).flat()
}

const REFUSED = {
  ...{ tool: 401, application: 401, personal: 401 },
  ...{ 'signed for a tool': 401, 'signed for an application': 401, 'signed for a personal token': 401 },
}
const NOWHERE = { ...REFUSED, session: '', 'signed for a session': '' }
const GONE = { ...REFUSED, session: 401, 'signed for a session': 401 }

interface Case {
  readonly what: string
  readonly act: (people: { administrator: Person; ann: Person; ben: Person; rowers: Made }) => Promise<unknown>
  readonly left: object
  readonly refreshes: readonly (string | undefined)[]
}

const ENDED = ['invalid_grant', 'invalid_grant'] as const

const CASES: readonly Case[] = [
  {
    what: 'removed',
    act: ({ ann, ben }) => wire(ann).post('remove-member', { memberIdOrEmail: ben.email }),
    ...{ left: NOWHERE, refreshes: ENDED },
  },
  {
    what: 'removed by the administrator',
    act: ({ administrator, ben, rowers }) =>
      administrator.post('/api/admin/remove_member', { organization_id: rowers.id, user_id: ben.id }),
    ...{ left: NOWHERE, refreshes: ENDED },
  },
  {
    what: 'gone',
    act: ({ ben, rowers }) => wire(ben).post('leave', { organizationId: rowers.id }),
    ...{ left: NOWHERE, refreshes: ENDED },
  },
  {
    what: 'in a suspended organisation',
    act: ({ administrator, rowers }) =>
      administrator.post('/api/admin/suspend_organization', { id: rowers.id, reason: 'Spam.' }),
    ...{ left: NOWHERE, refreshes: ['interaction_required', 'interaction_required'] },
  },
  {
    what: 'in a deleted organisation',
    act: ({ ann, rowers }) => wire(ann).post('delete', { organizationId: rowers.id }),
    ...{ left: NOWHERE, refreshes: ENDED },
  },
  {
    what: 'suspended',
    act: ({ administrator, ben }) => administrator.post('/api/admin/suspend_user', { id: ben.id, reason: 'Spam.' }),
    ...{ left: GONE, refreshes: ENDED },
  },
  {
    what: 'deleted',
    act: ({ administrator, ben }) => administrator.post('/api/admin/delete_user', { id: ben.id }),
    ...{ left: GONE, refreshes: ENDED },
  },
]

describe('of a member who is', () => {
  it.for(CASES.map((each) => [each.what, each] as const))(
    '%s, nothing acts in the organisation with the next request in any process, and open pages of tools close',
    async ([, { act, left, refreshes }], { service, administrator, ann, ben, rowers, shop }) => {
      const everything = await everythingOf(service, ben, rowers, shop)
      const elsewhere = new Person({ request: service.requestElsewhere }, 'nobody@example.com', '')
      const before = [await whereAct(ann, everything), await whereAct(elsewhere, everything)]
      const { status } = (await act({ administrator, ann, ben, rowers })) as { readonly status: number }

      assert.deepEqual([new Set(before.flatMap(Object.values)), status], [new Set(['rowers']), 200])
      assert.deepEqual(await whereAct(elsewhere, everything), left)
      assert.deepEqual(await whereAct(ann, everything), left)
      assert.deepEqual(await activeOnes(ann, shop, everything), [])
      const { refresh, page } = everything
      const tries = [
        await refreshWith(ann, refresh.tool),
        await postForm(
          ann,
          '/api/oauth/token',
          { grant_type: 'refresh_token', refresh_token: refresh.application },
          basic(shop),
        ),
      ]
      assert.deepEqual(
        tries.map(({ body }) => body.error),
        refreshes,
      )
      await service.runJob('events')
      const events = [(await page.next()).event]
      while (events.at(-1) === 'organization' || events.at(-1) === 'signed_out') events.push((await page.next()).event)
      assert.equal(events.at(-1), 'closed')
    },
  )
})
