import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { basic, exchangedBy, register, tokensFor } from '../../../../test/service/applications.ts'
import { eventRow } from '../../../../test/service/event-rows.ts'
import { grantFor, postForm } from '../../../../test/service/grants.ts'
import { it as withService } from '../../../../test/service/it.ts'
import { join, organizationOf, wire } from '../../../../test/service/organizations.ts'
import { onStaff } from '../../../../test/service/staff.ts'
import { openPage } from '../../../../test/service/wire/live-page.ts'
import { insertEvents } from '../../ground/events/statements.ts'

const it = withService.extend<{ publish: (title: string, target_user_id?: string) => Promise<void> }>({
  publish: async ({ service, administrator }, use) =>
    use(async (title, target_user_id) => {
      await administrator.post('/api/admin/create_notification', { title, content: 'C', target_user_id })
      await service.runJob('events')
    }),
})

describe('/api/live', () => {
  it('sends a page what is unread, what happens, and that it was signed out elsewhere', async ({
    service,
    administrator,
    ann,
    ben,
    publish,
  }) => {
    await publish('Before')

    const page = await openPage(service, ann)
    const unread = await page.next()
    await publish('For Ben', ben.id)
    await publish('For Ann', ann.id)
    const told = await page.next()
    await administrator.post('/api/admin/revoke_user_sessions', { id: ann.id })
    await service.runJob('events')
    const [out, end] = [await page.next(), await page.next()]

    assert.equal(page.response.headers.get('content-type'), 'text/event-stream; charset=UTF-8')
    assert.equal(page.response.headers.get('x-accel-buffering'), 'no')
    assert.deepEqual([unread.event, unread.data?.count], ['unread', 1])
    assert.deepEqual([told.event, told.data?.title], ['notification', 'For Ann'])
    assert.deepEqual([out.event, end.event], ['signed_out', 'closed'])
  })

  it('tells only the administrator about new feedback', async ({ service, administrator, ann, ben, publish }) => {
    // The events of the sign-ups have been sent.
    await service.runJob('events')
    const [desk, page] = [await openPage(service, administrator), await openPage(service, ann)]
    await Promise.all([desk.next(), page.next()])

    await ben.post('/api/submit_feedback', { type: 'idea', content: 'Oil the drawbridge' })
    await publish('After it')

    assert.equal((await desk.next()).event, 'feedback')
    assert.equal((await page.next()).data?.title, 'After it')
    await Promise.all([desk.close(), page.close()])
  })

  it('tells staff what they can read, and closes once they are changed or removed', async ({
    service,
    administrator,
    ann,
    ben,
    publish,
  }) => {
    await onStaff(service, administrator, ann, 'admin:feedback:read')
    await service.runJob('events')
    const desk = await openPage(service, ann)
    await desk.next()
    await ben.post('/api/submit_feedback', { type: 'idea', content: 'Oil the drawbridge' })
    await ben.post('/api/auth/update-user', { name: 'Benjamin' })
    await publish('After it')
    const told = [(await desk.next()).event, (await desk.next()).data?.title]

    await onStaff(service, administrator, ann, 'admin:users:read')
    await service.runJob('events')
    const changed = await desk.next()
    const again = await openPage(service, ann)
    await again.next()
    await ben.post('/api/submit_feedback', { type: 'idea', content: 'Once more' })
    await ben.post('/api/auth/update-user', { name: 'Ben' })
    await service.runJob('events')
    const people = await again.next()
    await onStaff(service, administrator, ann)
    await service.runJob('events')

    assert.deepEqual(told, ['feedback', 'After it'])
    assert.deepEqual([changed.event, people.event, (await again.next()).event], ['closed', 'people', 'closed'])
  })

  it('tells a page of a switch, and of changes to its user’s organisations and data, without values', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    await service.runJob('events')
    const made = await organizationOf(administrator)
    const { id: organizationId } = made
    await administrator.post('/api/admin/add_member', { organization_id: made.id, user_id: ann.id, roles: ['member'] })
    await join(service, made, ben)
    await service.runJob('events')
    const [page, other] = [await openPage(service, ann), await openPage(service, ben)]
    await Promise.all([page.next(), other.next()])
    const heard = []
    for (const act of [
      () => wire(ann).post('set-active', { organizationId }),
      () => wire(administrator).post('update', { organizationId, data: { name: 'Ringers' } }),
      () => administrator.post('/api/admin/suspend_organization', { id: organizationId, reason: 'Unpaid' }),
      () => administrator.post('/api/admin/restore_organization', { id: organizationId }),
      () => administrator.post('/api/admin/remove_member', { organization_id: organizationId, user_id: ann.id }),
      async () => {
        await wire(administrator).post('update', { organizationId, data: { name: 'Not for those who are gone' } })
        return administrator.post('/api/admin/update_user_data', { id: ann.id, private: { note: 'secret' } })
      },
    ]) {
      assert.equal((await act()).status, 200)
      await service.runJob('events')
      const { event, data } = await page.next()
      heard.push([event, data])
    }
    await ben.post('/api/update_data', { own: { after: 'it' } })
    await service.runJob('events')

    const organization = ['organization', {}]
    assert.deepEqual(heard, [organization, organization, organization, organization, organization, ['data', {}]])
    assert.deepEqual([(await other.next()).event], ['data'])
    await Promise.all([page.close(), other.close()])
  })

  it('tells a tool of organisations and data only what it can read', async ({
    service,
    administrator,
    ann,
    publish,
  }) => {
    await service.runJob('events')
    const opened = async (...scopes: readonly string[]) => {
      const { tokens } = await grantFor(ann, 'operations:notifications:read', ...scopes)
      const page = await openPage(service, { token: tokens.access_token })
      await page.next()
      return page
    }
    const pages = [
      await opened(),
      await opened('account:organizations:read'),
      await opened('account:profile:read'),
    ] as const
    const made = await organizationOf(administrator)
    await administrator.post('/api/admin/add_member', { organization_id: made.id, user_id: ann.id, roles: ['member'] })
    await ann.post('/api/update_data', { own: { a: 1 } })
    await publish('After it')

    const heard = []
    for (const page of pages) {
      const names = [(await page.next()).event]
      while (names.at(-1) !== 'notification') names.push((await page.next()).event)
      heard.push(names)
      await page.close()
    }

    assert.deepEqual(heard, [
      ['notification'],
      ['organization', 'notification'],
      ['organization', 'data', 'notification'],
    ])
  })

  it('resumes after the last event that a page has seen', async ({ service, ann, publish }) => {
    const page = await openPage(service, ann)
    await page.next()
    await publish('One')
    const { id = '' } = await page.next()
    await page.close()
    await publish('Two')

    const again = await openPage(service, ann, { 'last-event-id': id })

    assert.equal((await again.next()).data?.title, 'Two')
    assert.deepEqual((await again.next()).data, { count: 2 })
    await again.close()
  })

  it('reads only so many missed events, then says that there are more', async ({ service, ann, publish }) => {
    const { meta, now } = service.platform
    const happened = Array.from({ length: 2_000 }, () =>
      eventRow({ type: 'user.suspended', user_id: 'somebody else', data: {} }, now()),
    )
    await meta.batch(happened.map((row) => insertEvents(meta, row)))
    await publish('One')

    const page = await openPage(service, ann, { 'last-event-id': '0' })
    const [missed, unread] = [await page.next(), await page.next()]
    await page.close()
    const again = await openPage(service, ann, { 'last-event-id': missed.id ?? '' })
    const first = await again.next()
    await again.close()

    assert.deepEqual([missed.event, unread.data], ['missed', { count: 1 }])
    assert.equal(first.event, 'unread')
  })

  it('is for a session only, and for eight pages of a user at once', async ({ service, ann }) => {
    const stranger = await service.request('/api/live')
    const pages = await Promise.all(Array.from({ length: 8 }, () => openPage(service, ann)))
    const ninth = await ann.get('/api/live')
    await pages[0]?.close()
    const freed = await openPage(service, ann)

    assert.deepEqual([stranger.status, ninth.status], [401, 429])
    for (const { response } of [...pages, freed]) assert.equal(response.status, 200)
    for (const page of [...pages.slice(1), freed]) await page.close()
  })

  it('writes a comment every 25 seconds, so that no proxy closes the connection', async ({
    service,
    ann,
    mock,
    publish,
  }) => {
    mock.timers.enable({ apis: ['setInterval'] })
    const page = await openPage(service, ann)
    await page.next()

    mock.timers.tick(24_999)
    await publish('Before the comment')
    const told = await page.next()
    mock.timers.tick(1)
    mock.timers.tick(25_000)
    await publish('After both')
    const blocks = [await page.block()]
    while (!blocks.at(-1)?.includes('After both')) blocks.push(await page.block())
    await page.close()

    assert.equal(told.data?.title, 'Before the comment')
    assert.deepEqual(blocks.slice(0, -1), [':', ':'])
  })

  it('keeps nothing open for a request that wants the head only', async ({ service, ann }) => {
    const authorization = `Bearer ${ann.token}`

    for (let i = 0; i < 8; i++) await service.request('/api/live', { method: 'HEAD', headers: { authorization } })
    const page = await openPage(service, ann)

    assert.equal(page.response.status, 200)
    await page.close()
  })

  it('sends a user behind the beta gate no notification until a code is redeemed', async ({
    service,
    administrator,
    ann,
    publish,
  }) => {
    const { body: made } = await administrator.post('/api/admin/generate_beta_codes')
    await administrator.saveSettings('authentication', { beta_gate_enabled: true })
    await service.runJob('events')
    const page = await openPage(service, ann)

    await publish('Before')
    await ann.post('/api/bind_beta_code', { beta_code: made.codes[0] })
    await service.runJob('events')
    await publish('After')
    const told = await page.next()

    assert.deepEqual([told.event, told.data?.title], ['notification', 'After'])
    await page.close()
  })
})

describe('/api/live with a token', () => {
  it('sends news to a grant that can read notifications, and ends when the grant is revoked', async ({
    service,
    ann,
    publish,
  }) => {
    const { tokens } = await grantFor(ann, 'operations:notifications:read')
    const page = await openPage(service, { token: tokens.access_token })
    const unread = await page.next()

    await publish('News')
    const told = await page.next()
    const { body } = await ann.post('/api/list_grants')
    await ann.post('/api/revoke_grant', { id: body.items[0].id })
    await service.runJob('events')
    const [out, end] = [await page.next(), await page.next()]

    assert.deepEqual([unread.event, told.data?.title], ['unread', 'News'])
    assert.deepEqual([out.event, end.event], ['signed_out', 'closed'])
  })

  it('closes when the token has ended', async ({ service, ann, mock }) => {
    mock.timers.enable({ apis: ['setInterval'] })
    const { tokens } = await grantFor(ann, 'operations:notifications:read')
    const page = await openPage(service, { token: tokens.access_token })
    await page.next()

    service.clock.advance({ minutes: 16 })
    mock.timers.tick(25_000)

    assert.equal((await page.next()).event, 'closed')
  })

  const READ = 'operations:notifications:read'

  it('closes when the service that was given the token in exchange ends it', async ({
    service,
    administrator,
    ann,
    mock,
  }) => {
    mock.timers.enable({ apis: ['setInterval'] })
    const scopes = ['openid', 'offline_access', READ]
    const shop = await register(administrator, { scopes })
    const resource = 'https://shop.example/mcp'
    const server = await register(administrator, { kind: 'service', name: 'Server', resource })
    const tokens = await tokensFor(ann, shop, { scope: scopes.join(' '), resource })
    const { body } = await exchangedBy(ann, server, tokens.access_token)
    const page = await openPage(service, { token: body.access_token })
    await page.next()
    await postForm(ann, '/api/oauth/revoke', { token: body.access_token }, basic(server))
    mock.timers.tick(25_000)

    assert.equal((await page.next()).event, 'closed')
  })

  it('closes when its session ends or its application loses a scope, and opens again with a token that is still good', async ({
    service,
    administrator,
    ann,
  }) => {
    const shop = await register(administrator, { scopes: ['openid', 'offline_access', READ] })
    const tokenFor = async (scope: string) => (await tokensFor(ann, shop, { scope })).access_token
    const tokens = [await tokenFor(`openid ${READ}`), await tokenFor(`openid offline_access ${READ}`)]
    const open = () => Promise.all(tokens.map((token) => openPage(service, { token })))
    const toldTo = async (page: Awaited<ReturnType<typeof openPage>> | undefined) => [
      (await page?.next())?.event,
      (await page?.next())?.event,
    ]
    const before = await open()
    await ann.post('/api/auth/sign-out')
    await service.runJob('events')
    const afterSession = await Promise.all(before.map(toldTo))
    const [bound, offline] = await open()
    await administrator.post('/api/admin/update_application', { id: shop.id, scopes: ['openid'] })
    await service.runJob('events')

    assert.deepEqual([bound?.response.status, offline?.response.status], [401, 200])
    for (const told of [...afterSession, await toldTo(offline)]) assert.deepEqual(told, ['unread', 'closed'])
  })

  it('tells no token of the administrator about feedback', async ({ service, administrator, ben, publish }) => {
    const { tokens } = await grantFor(administrator, 'operations:notifications:read')
    const page = await openPage(service, { token: tokens.access_token })
    await page.next()

    await ben.post('/api/submit_feedback', { type: 'idea', content: 'Oil the drawbridge' })
    await publish('After it')

    assert.equal((await page.next()).data?.title, 'After it')
    await page.close()
  })
})
