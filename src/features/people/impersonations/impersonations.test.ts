import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { whoIs } from '../../../../test/providers/journey.ts'
import { it as inHouse } from '../../../../test/security/support/house.ts'
import { addressesIn, browserOf, switchTo } from '../../../../test/service/accounts.ts'
import { actAs, copyOf, stopActing } from '../../../../test/service/acting.ts'
import { assertRefused, eachOf, statuses } from '../../../../test/service/answers.ts'
import { changeSettings } from '../../../../test/service/change-settings.ts'
import { itWith } from '../../../../test/service/it.ts'
import { inNewBrowser } from '../../../../test/service/new-browser.ts'
import { Person } from '../../../../test/service/people.ts'
import type { Service } from '../../../../test/service/service.ts'
import { SESSIONS_AT_MOST } from '../sessions/sessions.ts'

const it = itWith({ authentication: { impersonation: 'read_and_write' } })
const itSeveral = itWith({ authentication: { impersonation: 'read_only', accounts_per_browser: 3 } })
const itReadOnly = itWith({ authentication: { impersonation: 'read_only' } })
const itOff = itWith({})

const addressOf = async (browser: Person) => (await browser.get('/api/auth/get-session')).body?.user.email
const IDEA = { type: 'idea', content: 'More owls.' }

async function told(service: Service, administrator: Person, ...types: readonly string[]) {
  await service.runJob('events')
  const { body } = await administrator.post('/api/admin/list_events', { types })
  return body.items as readonly { type: string; user_id: string; data: Record<string, unknown> }[]
}

describe('acting as a user', () => {
  it('shows what the user sees, and a stop brings the administrator’s own session back', async ({
    administrator,
    ann,
  }) => {
    const { body: before } = await administrator.get('/api/auth/get-session')
    const { status, body, headers } = await actAs(administrator, ann, { reason: 'Ticket 7' })
    const acting = await administrator.get('/api/auth/get-session')
    const stopped = await stopActing(administrator)
    const after = await administrator.get('/api/auth/get-session')

    assert.deepEqual([status, body.user.id, body.session.impersonatedBy], [200, ann.id, administrator.id])
    assert.deepEqual([acting.body.user.email, acting.body.session.isReadOnly], [ann.email, true])
    assert.equal(headers.get('set-auth-token'), null)
    assert.deepEqual([stopped.status, stopped.body.session.id], [200, before.session.id])
    assert.deepEqual([after.body.session.id, after.body.session.impersonatedBy], [before.session.id, null])
    assert.equal(administrator.cookies.has('admin_session'), false)
  })

  it('is no sign-in: no event of a session, no time of a sign-in, no known network, no language', async ({
    service,
    administrator,
    ann,
  }) => {
    const facts = async () => {
      const { meta } = service.platform
      const user = await meta.primary.selectFrom('user').selectAll().where('id', '=', ann.id).execute()
      return [user, await meta.primary.selectFrom('known_network').selectAll().execute()]
    }
    const before = await facts()
    const { length } = await told(service, administrator, 'session.created')
    service.clock.advance({ minutes: 1 })

    await actAs(administrator, ann)
    await administrator.post('/api/list_notifications', {}, { 'accept-language': 'zh' })
    await stopActing(administrator)

    assert.deepEqual(await facts(), before)
    assert.equal((await told(service, administrator, 'session.created')).length, length)
  })

  it('tells that it has begun and ended, and the log names the administrator and the reason', async ({
    service,
    administrator,
    ann,
  }) => {
    const { body } = await actAs(administrator, ann, { reason: 'Ticket 7', write: true })
    await administrator.post('/api/submit_feedback', IDEA)
    await stopActing(administrator)

    const { id } = body.session
    const by = administrator.id
    const events = await told(service, administrator, 'impersonation.started', 'impersonation.ended')
    assert.deepEqual(
      events.map(({ type, user_id, data }) => [type, user_id, data]),
      [
        ['impersonation.started', ann.id, { id, by, mode: 'read_and_write' }],
        ['impersonation.ended', ann.id, { id, by, reason: 'stopped' }],
      ],
    )
    const log = (await administrator.post('/api/admin/list_audit_entries', { action: 'impersonation.start' })).body
    assert.deepEqual(
      log.items.map((entry: Record<string, unknown>) => [entry.actor_id, entry.subject_id, entry.details]),
      [[by, ann.id, { mode: 'read_and_write', reason: 'Ticket 7' }]],
    )
  })

  it('names the administrator in the log for what is done as the user', async ({ administrator, ann }) => {
    await actAs(administrator, ann, { write: true })
    await administrator.post('/api/auth/update-user', { name: 'Anna' })
    await stopActing(administrator)

    const { body } = await administrator.post('/api/admin/list_audit_entries', { actor_id: ann.id })
    assert.equal(body.total, 0)
  })

  it.for([
    [{}, 'IMPERSONATION_READ_ONLY'],
    [{ write: false }, 'IMPERSONATION_READ_ONLY'],
    [{ write: true }, undefined],
  ] as const)('changes nothing unless asked to: %s', async ([more, code], { administrator, ann }) => {
    await actAs(administrator, ann, more)

    const answer = await administrator.post('/api/submit_feedback', IDEA)

    assert.equal(answer.body.code, code)
    assert.equal((await administrator.post('/api/list_notifications')).status, 200)
  })

  itReadOnly(
    'changes nothing where the settings only let it look, also if they do so meanwhile',
    async ({ service, administrator, ann }) => {
      await actAs(administrator, ann, { write: true })
      assertRefused(await administrator.post('/api/submit_feedback', IDEA), 'IMPERSONATION_READ_ONLY')
      await stopActing(administrator)
      await changeSettings(service, 'authentication', { impersonation: 'read_and_write' })

      await actAs(administrator, ann, { write: true })
      const wrote = await administrator.post('/api/submit_feedback', IDEA)
      await changeSettings(service, 'authentication', { impersonation: 'read_only' })
      const later = await administrator.post('/api/submit_feedback', IDEA)

      assert.equal(wrote.status, 200)
      assertRefused(later, 'IMPERSONATION_READ_ONLY')
    },
  )
})

describe('133. who acts as whom', () => {
  itOff('is nobody unless the settings allow it', async ({ administrator, ann }) => {
    assertRefused(await actAs(administrator, ann), 'IMPERSONATION_REFUSED')
  })

  it('is the administrator alone, never as themself, a suspended user, a member of staff, or while acting', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    const { meta } = service.platform
    const carl = new Person(service, 'carl@example.com', 'a kite above the dunes')
    await carl.signUp()
    await administrator.post('/api/admin/suspend_user', { id: carl.id, reason: 'Spam' })
    await meta.updateTable('user').set({ staff_scopes: 'admin:users:read' }).where('id', '=', ben.id).execute()

    for (const [by, user, code] of [
      [ann, ben, 'FORBIDDEN'],
      [ben, ann, 'FORBIDDEN'],
      [administrator, administrator, 'IMPERSONATION_REFUSED'],
      [administrator, carl, 'IMPERSONATION_REFUSED'],
      [administrator, ben, 'IMPERSONATION_REFUSED'],
      [administrator, { id: 'nobody' }, 'NOT_FOUND'],
    ] as const)
      assertRefused(await actAs(by, user), code)
    await actAs(administrator, ann)
    for (const user of [ann, ben, administrator])
      assertRefused(await actAs(administrator, user), 'IMPERSONATION_REFUSED')
  })

  it('needs a fresh session by its cookie, not by a token', async ({ service, administrator, ann }) => {
    const { token } = administrator
    const headers = { authorization: `Bearer ${token}` }
    const byToken = await administrator.post('/api/auth/admin/impersonate-user', { userId: ann.id }, headers)
    service.clock.advance({ minutes: 16 })

    assertRefused(byToken, 'IMPERSONATION_REFUSED')
    assertRefused(await actAs(administrator, ann), 'SESSION_NOT_FRESH')
  })

  it('ends at once for a user who joins the staff meanwhile', async ({ service, administrator, ann }) => {
    await actAs(administrator, ann)
    const staffed = { staff_scopes: 'admin:users:read' }
    await service.platform.meta.updateTable('user').set(staffed).where('id', '=', ann.id).execute()

    assert.equal(await whoIs(administrator), undefined)
  })
})

interface End {
  readonly service: Service
  readonly administrator: Person
  readonly ann: Person
  /** The administrator in another browser. */
  readonly elsewhere: Person
}

const ENDS: Readonly<Record<string, (world: End) => Promise<unknown>>> = {
  'after 30 minutes': async ({ service }) => service.clock.advance({ minutes: 30 }),
  'with the administrator’s session': ({ elsewhere }) => elsewhere.post('/api/auth/revoke-other-sessions'),
  'with the administrator’s sign-out everywhere': ({ elsewhere }) => elsewhere.post('/api/auth/revoke-sessions'),
  'with the user’s sign-out everywhere': ({ ann }) => ann.post('/api/auth/revoke-sessions'),
  'with the user’s sign-out elsewhere': ({ ann }) => ann.post('/api/auth/revoke-other-sessions'),
  'with a suspension': ({ elsewhere, ann }) =>
    elsewhere.post('/api/admin/suspend_user', { id: ann.id, reason: 'Spam' }),
  'with the setting': ({ service }) => changeSettings(service, 'authentication', { impersonation: 'off' }),
  'when the user ends it among their sessions': async ({ ann, administrator }) => {
    const { body } = await ann.get('/api/auth/list-sessions')
    const [acting] = body.filter(({ impersonatedBy }: { impersonatedBy: string | null }) => impersonatedBy !== null)
    assert.deepEqual(
      [acting.impersonatedBy, acting.ipAddress, acting.userAgent, acting.isCurrent],
      [administrator.id, null, null, false],
    )
    return ann.post('/api/auth/revoke-session', { token: acting.id })
  },
}

describe('133. acting ends', () => {
  it.for(Object.keys(ENDS))(
    '%s, at once and in every process, and is told',
    async (name, { service, administrator, ann }) => {
      const elsewhere = inNewBrowser(service, administrator)
      await elsewhere.signIn()
      const { body } = await actAs(administrator, ann)
      const otherProcess = copyOf(service, administrator)

      await ENDS[name]?.({ service, administrator, ann, elsewhere })

      assert.deepEqual([await whoIs(administrator), await whoIs(otherProcess)], [undefined, undefined])
      await service.runJob('impersonations')
      await service.runJob('events')
      const rows = await service.platform.meta.primary
        .selectFrom('event')
        .select(['type', 'user_id', 'data'])
        .where('type', 'is not', null)
        .orderBy('id')
        .execute()
      const { id } = body.session
      const about = rows.filter(({ type, data }) => type?.endsWith('.ended') && JSON.parse(data ?? '{}').id === id)
      assert.deepEqual(eachOf({ body: { items: about } }, 'type').toSorted(), ['impersonation.ended', 'session.ended'])
      const open = await service.platform.meta.primary.selectFrom('impersonation').select('ended_at').execute()
      assert.notEqual(open[0]?.ended_at, null)
    },
  )

  it('with a sign-out, which ends the administrator’s session too', async ({ service, administrator, ann }) => {
    const before = copyOf(service, administrator)
    await actAs(administrator, ann)

    await administrator.post('/api/auth/sign-out')

    assert.deepEqual([await whoIs(administrator), await whoIs(before)], [undefined, undefined])
    assert.deepEqual([administrator.cookies.has('session'), administrator.cookies.has('admin_session')], [false, false])
  })

  it('with a sign-out after its 30 minutes, which ends the administrator’s session too', async ({
    service,
    administrator,
    ann,
  }) => {
    const before = copyOf(service, administrator)
    await actAs(administrator, ann)
    service.clock.advance({ minutes: 31 })

    await administrator.post('/api/auth/sign-out')

    assert.equal(await whoIs(before), undefined)
  })

  it('by itself, and a stop still brings the administrator’s session back', async ({ service, administrator, ann }) => {
    await actAs(administrator, ann)
    service.clock.advance({ minutes: 31 })

    const stopped = await stopActing(administrator)

    assert.deepEqual([stopped.status, stopped.body.user.id], [200, administrator.id])
    assert.equal((await whoIs(administrator)).id, administrator.id)
  })

  itSeveral('by itself, and the browser still holds every account', async ({ service, administrator, ann, ben }) => {
    for (const chosen of [administrator, ben]) {
      const browser = await browserOf(service, ben, administrator)
      await actAs(browser, ann)
      service.clock.advance({ minutes: 31 })

      const listed = await addressesIn(browser)
      const switched = await switchTo(browser, chosen)

      assert.deepEqual(listed, [administrator.email, ben.email])
      assert.deepEqual([switched.status, await addressOf(browser)], [200, chosen.email])
      assert.equal(browser.cookies.has('admin_session'), false)
      assert.deepEqual((await addressesIn(browser)).toSorted(), [administrator.email, ben.email].toSorted())
    }
  })

  it('never while nobody acts', async ({ service, administrator, ann }) => {
    assertRefused(await stopActing(administrator), 'IMPERSONATION_REFUSED')
    assertRefused(await stopActing(ann), 'IMPERSONATION_REFUSED')
    assertRefused(await stopActing(new Person(service, 'x@example.com', '')), 'UNAUTHORIZED')
  })
})

describe('the user', () => {
  it('sees when, why and how the administrator acted, and what that changed', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    const at = service.clock.now()
    const { body } = await actAs(administrator, ann, { reason: 'Ticket 7', write: true })
    await administrator.post('/api/list_notifications')
    await administrator.post('/api/submit_feedback', IDEA)
    await administrator.post('/api/submit_feedback', { type: 'idea' })
    await administrator.post('/api/bind_beta_code', { code: 'WRONG' })
    const meanwhile = await ann.post('/api/list_impersonations')
    await stopActing(administrator)

    const item = {
      id: body.session.id,
      by: administrator.id,
      reason: 'Ticket 7',
      mode: 'read_and_write',
      started_at: at,
      ended_at: null,
      acts: [{ route: '/api/submit_feedback', at }],
    }
    assert.deepEqual(meanwhile.body, { items: [item], total: 1 })
    assert.deepEqual((await ann.post('/api/list_impersonations')).body.items, [{ ...item, ended_at: at }])
    assert.deepEqual((await ben.post('/api/list_impersonations')).body, { items: [], total: 0 })
  })

  it('keeps every session of their own, however full the list is', async ({ service, administrator, ann }) => {
    const now = service.clock.now()
    const rows = Array.from({ length: SESSIONS_AT_MOST - 1 }, (_, i) => ({
      ...{ id: `s${i}`, user_id: ann.id, token_hash: `h${i}`, created_at: now, refreshed_at: now, last_used_at: now },
      ...{ expires_at: now + 1e9, confirmed_at: 0, ip: null, user_agent: null, place: null, acted_by: null },
      ...{ active_organization_id: null, active_team_id: null },
    }))
    await service.platform.meta.insertInto('session').values(rows).execute()

    await actAs(administrator, ann)
    const listed = await ann.get('/api/auth/list-sessions')
    await stopActing(administrator)

    assert.equal(listed.body.length, SESSIONS_AT_MOST + 1)
  })
})

inHouse(
  'a letter tells the user if things can be changed, and none if not',
  async ({ service, administrator, ann }) => {
    await changeSettings(service, 'authentication', { impersonation: 'read_and_write' })
    const count = async () =>
      (await service.mail.all()).filter(({ subject }) => subject.startsWith('The administrator is using')).length
    await actAs(administrator, ann)
    await stopActing(administrator)
    const looked = await count()
    await actAs(administrator, ann, { write: true })

    assert.deepEqual([looked, await count()], [0, 1])
  },
)

describe('133. the cookie of the acting session alone', () => {
  it('opens no way to sign in, however it is written', async ({ administrator, ann }) => {
    await actAs(administrator, ann)
    const token = administrator.cookies.get('session') ?? ''
    const encoded = `%${token.charCodeAt(0).toString(16)}${token.slice(1)}`
    administrator.cookies.set('session', encoded)

    assert.equal((await whoIs(administrator)).id, ann.id)
    assertRefused(await administrator.signIn(), 'IMPERSONATION_REFUSED')
    const both = { authorization: 'Bearer nothing', cookie: `session=${encoded}` }
    assertRefused(await administrator.signIn(both), 'IMPERSONATION_REFUSED')
  })

  it('does not lead to the administrator’s session', async ({ service, administrator, ann }) => {
    await actAs(administrator, ann)
    const thief = copyOf(service, administrator, 'session')

    const stopped = await stopActing(thief)
    const again = await stopActing(thief)

    assert.deepEqual([stopped.status, stopped.body], [200, { session: null, user: null }])
    assert.equal(await whoIs(thief), undefined)
    assertRefused(again, 'UNAUTHORIZED')
    assert.equal((await stopActing(administrator)).body.user.id, administrator.id)
  })

  it('is no bearer token', async ({ service, administrator, ann }) => {
    await actAs(administrator, ann)
    const authorization = `Bearer ${administrator.cookies.get('session')}`
    const program = new Person(service, 'x@example.com', '')

    assert.deepEqual(statuses([await program.post('/api/list_notifications', {}, { authorization })]), [401])
  })

  it('does not become the administrator’s with a cookie of somebody else', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    await actAs(administrator, ann)
    const thief = copyOf(service, administrator, 'session')
    thief.cookies.set('admin_session', ben.cookies.get('session') ?? '')

    assert.deepEqual((await stopActing(thief)).body, { session: null, user: null })
  })
})
