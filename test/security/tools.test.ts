import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { routes } from '../../src/app.ts'
import { isProtected, type Route } from '../../src/http/route.ts'
import { assertRefused, refusal, statuses } from '../service/answers.ts'
import { bearer, register, tokenRequest } from '../service/applications.ts'
import { grantFor } from '../service/grants.ts'
import type { Person } from '../service/people.ts'
import { it } from './support/house.ts'

/** Acts that make or prove a user's credential, or take one away. */
const ACTS = [
  ['mark_verified', (ann: Person) => ({ id: ann.id })],
  ['remove_factors', (ann: Person) => ({ id: ann.id })],
  ['create_user', () => ({ email: 'ceo@example.com', password: 'a quieter walk in the snow' })],
] as const

describe('108. what makes or proves a credential', () => {
  it.for(ACTS)(
    '%s is refused to every tool, and done in a fresh session alone',
    async ([act, bodyFor], { service, administrator, ann, app: _ }) => {
      const path = `/api/admin/${act}`
      const tool = await grantFor(administrator, 'admin:users:write')
      const robot = await register(administrator, { kind: 'service', scopes: ['admin:users:write'] })
      const { body } = await tokenRequest(ann, robot, { grant_type: 'client_credentials' })

      const byPrograms = [
        await tool.post(path, bodyFor(ann)),
        await ann.post(path, bodyFor(ann), bearer(body.access_token)),
      ]
      const byAnn = await ann.post(path, bodyFor(ann))
      service.clock.advance({ minutes: 15, seconds: 1 })
      const stale = await administrator.post(path, bodyFor(ann))
      await administrator.post('/api/auth/confirm', { password: administrator.password })
      const fresh = await administrator.post(path, bodyFor(ann))

      for (const answer of [...byPrograms, byAnn]) assertRefused(answer, 'FORBIDDEN')
      assertRefused(stale, 'SESSION_NOT_FRESH')
      assert.equal(fresh.status, 200)
    },
  )

  it('a tool makes users without one, and gives credits with the scope for it', async ({ administrator, ann }) => {
    const users = await grantFor(administrator, 'admin:users:write')
    const credits = await grantFor(administrator, 'admin:credits:write')
    const carl = { email: 'carl@example.com' }
    const gift = { id: ann.id, amount: 5 }

    const answers = [
      await users.post('/api/admin/create_user', carl),
      await users.post('/api/admin/give_credits', gift),
      await credits.post('/api/admin/create_user', { email: 'dora@example.com' }),
      await credits.post('/api/admin/give_credits', gift),
    ]

    assert.deepEqual(statuses(answers), [200, 403, 403, 200])
  })
})

describe('108. a route that no scope’s words name', () => {
  const declared: readonly Route[] = routes
  const closed = declared.filter(isProtected).filter(({ grants }) => grants === 'refused')

  it.for(closed.map(({ path, scope }) => [path, scope] as const))(
    '%s is for sessions alone',
    async ([path, scope], { administrator }) => {
      const tool = await grantFor(administrator, scope)

      assertRefused(await tool.post(path), 'FORBIDDEN')
    },
  )
})

describe('108. a program gives an application', () => {
  const SCOPE = 'product:reports:read'

  it('no scope that it does not hold: of the product, of a user or of the administrator', async ({
    administrator,
    ann,
  }) => {
    await administrator.post('/api/admin/declare_product_scope', {
      scope: SCOPE,
      description: 'Read reports',
    })
    const tool = await grantFor(administrator, 'admin:applications:write', 'account:credits:read')
    const robot = await register(administrator, { kind: 'service', scopes: ['admin:applications:write'] })
    const { body } = await tokenRequest(ann, robot, { grant_type: 'client_credentials' })
    const service = { name: 'Robot', kind: 'service' }
    const web = { name: 'Desk', kind: 'web', redirect_uris: ['https://shop.example/callback'] }
    const mine = await tool.post('/api/admin/create_application', web)
    const strong = await register(administrator, { kind: 'service', scopes: [SCOPE] })

    const beyond = [
      await tool.post('/api/admin/create_application', { ...service, scopes: [SCOPE] }),
      await tool.post('/api/admin/create_application', {
        ...web,
        scopes: ['openid', 'account:profile:write'],
      }),
      await tool.post('/api/admin/update_application', { id: mine.body.id, scopes: [SCOPE] }),
      await tool.post('/api/admin/update_application', { id: strong.id, name: 'Mine' }),
      await tool.post('/api/admin/rotate_application_secret', { id: strong.id }),
      await ann.post('/api/admin/create_application', { ...service, scopes: [SCOPE] }, bearer(body.access_token)),
    ]
    const within = await tool.post('/api/admin/update_application', {
      id: mine.body.id,
      scopes: ['openid', 'email', 'account:credits:read'],
    })

    assert.deepEqual(
      beyond.map(refusal),
      beyond.map(() => [403, 'INSUFFICIENT_SCOPE']),
    )
    assert.deepEqual(statuses([mine, within]), [200, 200])
  })

  it('what it holds, product scopes too', async ({ administrator, ann }) => {
    await administrator.post('/api/admin/declare_product_scope', {
      scope: SCOPE,
      description: 'Read reports',
    })
    const tool = await grantFor(administrator, 'admin:applications:write', SCOPE)

    const { status, body } = await tool.post('/api/admin/create_application', {
      name: 'Robot',
      kind: 'service',
      scopes: [SCOPE],
    })
    const tokens = await tokenRequest(ann, body, { grant_type: 'client_credentials' })

    assert.deepEqual([status, tokens.body.scope], [200, SCOPE])
  })
})

describe('128. a program names an application', () => {
  it('by no other’s name, and describes a scope without signs of trust; the administrator is free to', async ({
    administrator,
  }) => {
    const tool = await grantFor(administrator, 'admin:applications:write')
    const { id } = await register(administrator, {
      name: 'Shop',
      redirect_uris: ['https://shop.example/callback'],
    })
    const other = await register(administrator, { name: 'Desk' })
    const create = { kind: 'web', redirect_uris: ['https://new.example/callback'] }
    const path = '/api/admin/create_application'

    for (const name of ['Sh0p', 'S hop', 'Ｓｈｏｐ', 'GatehouseLogin', 'New ✓', 'bank.example', 'Official New']) {
      assertRefused(await tool.post(path, { ...create, name }), 'INVALID_REQUEST', 'name')
      const renamed = await tool.post('/api/admin/update_application', { id: other.id, name })
      assertRefused(renamed, 'INVALID_REQUEST', 'name')
    }
    const described = { scope: 'product:reports:read', description: 'Read your reports ✓' }
    assertRefused(await tool.post('/api/admin/declare_product_scope', described), 'INVALID_REQUEST', 'description')

    assert.deepEqual(
      statuses([
        await tool.post(path, { ...create, name: 'New (new.example)' }),
        await tool.post(path, { ...create, name: 'Shop Admin' }),
        await tool.post('/api/admin/update_application', { id, name: 'Shop' }),
        await administrator.post(path, { ...create, name: 'Shop ✓' }),
        await administrator.post('/api/admin/declare_product_scope', described),
      ]),
      [200, 200, 200, 200, 200],
    )
  })
})
