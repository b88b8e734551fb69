import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it } from '../../service/it.ts'
import { inNewBrowser } from '../../service/new-browser.ts'
import { type Person, stranger } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'
import { openPage } from '../../service/wire/live-page.ts'

const SESSIONS_AT_MOST = 100
const GET_SESSION = '/api/auth/get-session'

/** Used one after the other, up to now. */
async function addSessions({ platform, clock }: Service, userId: string, count: number): Promise<void> {
  const now = clock.now()
  const rows = Array.from({ length: count }, (_, i) => ({
    id: `made-${i}`,
    user_id: userId,
    token_hash: `hash-${i}`,
    created_at: now,
    refreshed_at: now,
    expires_at: now + 86_400_000,
    last_used_at: now - i,
    confirmed_at: 0,
    ip: null,
    user_agent: null,
    place: null,
  }))
  await platform.meta.insertInto('session').values(rows).execute()
}

async function sessionIds({ platform }: Service, userId: string): Promise<readonly string[]> {
  const rows = await platform.meta.primary.selectFrom('session').select('id').where('user_id', '=', userId).execute()
  return rows.map(({ id }) => id).toSorted()
}

async function endedOf(service: Service, administrator: Person, userId: string) {
  await service.runJob('events')
  const { body } = await administrator.post('/api/admin/list_events', {
    types: ['session.ended'],
    limit: 1_000,
  })
  const items: readonly Ended[] = body.items
  return items.filter(({ user_id }) => user_id === userId).map(({ data }) => data)
}

interface Ended {
  readonly user_id: string
  readonly data: { readonly id: string; readonly reason: string }
}

/** Signs in on both processes in turn. */
function browsers(service: Service, person: Person, count: number): readonly Person[] {
  const elsewhere = { ...service, request: service.requestElsewhere }
  return Array.from({ length: count }, (_, i) => inNewBrowser(i % 2 === 0 ? service : elsewhere, person))
}

describe('107. the sessions of a user', () => {
  it('are at most a hundred: the least recently used ends, and its live page is told', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    const page = await openPage(service, ann)
    assert.equal((await page.next()).event, 'unread')
    const first = (await ann.get(GET_SESSION)).body.session.id
    service.clock.advance({ minutes: 1 })
    await addSessions(service, ann.id, SESSIONS_AT_MOST - 1)
    const fresh = inNewBrowser(service, ann)

    await fresh.signIn()

    assert.equal((await sessionIds(service, ann.id)).length, SESSIONS_AT_MOST)
    assert.deepEqual(await endedOf(service, administrator, ann.id), [{ id: first, reason: 'crowded_out' }])
    assert.deepEqual([(await page.next()).event, (await page.next()).event], ['signed_out', 'closed'])
    const elsewhere = await service.requestElsewhere(GET_SESSION, {
      headers: { cookie: `session=${ann.token}` },
    })
    assert.equal(await elsewhere.json(), null)
    assert.equal((await fresh.get('/api/auth/list-sessions')).body.length, SESSIONS_AT_MOST)
    assert.notEqual((await ben.get(GET_SESSION)).body, null)
  })

  it('stay a hundred when many open at once, with one event for each that ended', async ({
    service,
    administrator,
  }) => {
    const carl = stranger(service)
    await carl.signUp()
    await addSessions(service, carl.id, SESSIONS_AT_MOST - 1)
    const before = await sessionIds(service, carl.id)

    const answers = await Promise.all(browsers(service, carl, 12).map((browser) => browser.signIn()))

    assert.ok(answers.every(({ status }) => status === 200))
    const left = await sessionIds(service, carl.id)
    const ended = (await endedOf(service, administrator, carl.id)).map(({ id }) => id).toSorted()
    assert.equal(left.length, SESSIONS_AT_MOST)
    assert.deepEqual(ended, before.filter((id) => !left.includes(id)).toSorted())
  })

  it('lose none when a browser replaces its own', async ({ service, administrator, ann }) => {
    await addSessions(service, ann.id, SESSIONS_AT_MOST - 1)

    await ann.signIn()

    assert.deepEqual(
      (await endedOf(service, administrator, ann.id)).map(({ reason }) => reason),
      ['replaced'],
    )
    assert.equal((await sessionIds(service, ann.id)).length, SESSIONS_AT_MOST)
  })

  it('come down from any number, and are never all listed', async ({ service, ann }) => {
    await addSessions(service, ann.id, 3 * SESSIONS_AT_MOST)
    const listed = await ann.get('/api/auth/list-sessions')

    await inNewBrowser(service, ann).signIn()

    assert.equal(listed.body.length, SESSIONS_AT_MOST)
    assert.equal((await sessionIds(service, ann.id)).length, SESSIONS_AT_MOST)
  })
})
