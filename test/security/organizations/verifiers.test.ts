import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { pageIn } from '../../../packages/server/feed/revocation-page.ts'
import { createVerifier, type VerifierOptions } from '../../../packages/server/verifier.ts'
import { oldVerifier } from '../../fixtures/old-verifier.ts'
import { bearer, register } from '../../service/applications.ts'
import { join, type Made, ORGANIZATIONS, organizationOf, wire } from '../../service/organizations.ts'
import type { Person } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'
import { it as ofToday } from '../../service/today.ts'

const READ = 'account:profile:read'

/** Resolves when the verifier asks for more, after a response with news: what these say counts by then. */
class WatchedFetch {
  #heard = Promise.withResolvers<void>()
  #hasNews = false

  readonly fetch: typeof fetch = async (input, init) => {
    const isFeed = String(input).endsWith('/api/oauth/revocations')
    if (isFeed && this.#hasNews) this.#heard.resolve()
    const response = await fetch(input, init)
    if (!isFeed || !response.ok) return response
    const page = pageIn(await response.clone().json())
    this.#hasNews = page.items.length > 0 || page.everyone
    return response
  }

  /** Places what has happened in the order of events, and waits until the verifier knows of it. */
  async hears(service: Service): Promise<void> {
    this.#heard = Promise.withResolvers()
    await service.runJob('events')
    await this.#heard.promise
  }
}

interface Fixtures {
  readonly rowers: Made
  readonly product: VerifierOptions
  readonly watched: WatchedFetch
  readonly ann: Person
  readonly ben: Person
}

const it = ofToday.extend<Fixtures & { readonly settings: { readonly organizations: typeof ORGANIZATIONS } }>({
  settings: { organizations: ORGANIZATIONS },
  ann: async ({ persons }, use) => use(persons.ann),
  ben: async ({ persons }, use) => use(persons.ben),
  rowers: async ({ service, ann, ben }, use) => {
    const made = await organizationOf(ann)
    await join(service, made, ben, 'editor')
    await wire(ben).post('set-active', { organizationId: made.id })
    await use(made)
  },
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  watched: async ({}, use) => use(new WatchedFetch()),
  product: async ({ service, server, persons: { administrator }, watched, rowers }, use) => {
    assert.ok(rowers)
    const { client_id, client_secret = '' } = await register(administrator, { kind: 'service' })
    await service.runJob('events')
    await use({ issuer: server.url, clientId: client_id, clientSecret: client_secret, fetch: watched.fetch })
  },
})

/** Once it follows what is revoked. */
async function followingOf(product: VerifierOptions, create: typeof createVerifier, states: string[] = []) {
  const followed = Promise.withResolvers<void>()
  const onConnection = (state: string) => {
    states.push(state)
    if (state === 'following') followed.resolve()
  }
  const verifier = create({ ...product, onConnection })
  await followed.promise
  return verifier
}

const versions = [
  ['of today', async () => createVerifier],
  ['of 0.3.0', async () => (await oldVerifier()).createVerifier],
] as const

describe('a verifier that follows revocations', () => {
  it.for(versions)(
    '%s refuses what a removed member gave',
    async ([, made], { service, ann, ben, rowers, product, watched }) => {
      const { body } = await ben.post('/api/create_personal_token', {
        ...{ name: 'Deploy', scopes: [READ], expires_in_days: 7, organization_id: rowers.id },
      })
      const verifier = await followingOf(product, await made())
      const passes = async () => (await verifier.verify({ headers: bearer(body.token) }, { scope: READ }))?.userId
      await service.runJob('events')
      const before = await passes()
      await wire(ann).post('remove-member', { memberIdOrEmail: ben.email })
      await watched.hears(service)
      const after = await passes()
      verifier.close()

      assert.deepEqual([before, after], [ben.id, undefined])
    },
  )

  it.for(versions)(
    '%s refuses what members gave in an organisation that is suspended',
    async ([, made], { service, persons: { administrator }, ben, rowers, product, watched }) => {
      const { body } = await ben.post('/api/create_personal_token', {
        ...{ name: 'Deploy', scopes: [READ], expires_in_days: 7, organization_id: rowers.id },
      })
      const verifier = await followingOf(product, await made())
      const passes = async () => (await verifier.verify({ headers: bearer(body.token) }, { scope: READ }))?.userId
      await service.runJob('events')
      const before = await passes()
      await administrator.post('/api/admin/suspend_organization', { id: rowers.id, reason: 'Spam.' })
      await watched.hears(service)
      const after = await passes()
      verifier.close()

      assert.deepEqual([before, after], [ben.id, undefined])
    },
  )

  it.for(versions)(
    '%s goes on through everything that happens in organisations',
    async ([, made], { service, ann, ben, rowers, product, watched }) => {
      const states: string[] = []
      const verifier = await followingOf(product, await made(), states)
      await wire(ann).post('update', { data: { name: 'Rowing Club' } })
      await wire(ann).post('create-role', { role: 'cox', permission: { project: ['delete'] } })
      await wire(ann).post('delete', { organizationId: rowers.id })
      await ben.post('/api/auth/sign-out')
      await watched.hears(service)
      const signedOut = await verifier.verify({ headers: bearer(ben.token) })
      verifier.close()

      assert.deepEqual([signedOut, states], [undefined, ['following']])
    },
  )

  it('knows the organisation of this moment: roles, permissions, the active one', async ({
    service,
    persons: { administrator },
    ann,
    ben,
    rowers,
    product,
    watched,
  }) => {
    const verifier = await followingOf(product, createVerifier)
    const held = async () => {
      const organization = (await verifier.verify({ headers: bearer(ben.token) }))?.organization
      return organization && [organization.id, organization.slug, organization.permissions.join(' ')]
    }
    const heldAfter = async (act: () => Promise<unknown>) => {
      await act()
      await watched.hears(service)
      return held()
    }
    const { id, slug } = rowers
    await service.runJob('events')
    assert.deepEqual(await held(), [id, slug, 'project:create'])

    await wire(ann).post('create-role', { role: 'cox', permission: { project: ['delete'] } })
    const { body: list } = await wire(ann).get('list-members')
    const member = list.members.find(({ userId }: { userId: string }) => userId === ben.id)
    assert.deepEqual(
      await heldAfter(() => wire(ann).post('update-member-role', { memberId: member.id, role: 'cox' })),
      [id, slug, 'project:delete'],
    )
    const both = { project: ['create', 'delete'] }
    assert.deepEqual(
      await heldAfter(() => wire(ann).post('update-role', { roleName: 'cox', data: { permission: both } })),
      [id, slug, 'project:create project:delete'],
    )
    assert.deepEqual(
      await heldAfter(() => administrator.saveSettings('organizations', { permissions: { project: ['create'] } })),
      [id, slug, 'project:create'],
    )
    assert.deepEqual(await heldAfter(() => wire(ann).post('update', { data: { slug: 'oars' } })), [
      id,
      'oars',
      'project:create',
    ])
    assert.equal(await heldAfter(() => wire(ben).post('set-active', { organizationId: null })), undefined)
    assert.deepEqual(await heldAfter(() => wire(ben).post('set-active', { organizationId: id })), [
      id,
      'oars',
      'project:create',
    ])
    const suspended = { id, reason: 'Spam.' }
    assert.equal(await heldAfter(() => administrator.post('/api/admin/suspend_organization', suspended)), undefined)
    const restored = await heldAfter(() => administrator.post('/api/admin/restore_organization', { id }))
    assert.deepEqual(restored, [id, 'oars', 'project:create'])
    assert.equal(await heldAfter(() => wire(ann).post('remove-member', { memberIdOrEmail: ben.email })), undefined)
    verifier.close()
  })
})
