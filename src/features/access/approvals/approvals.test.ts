import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { besideHeld } from '../../../../test/postgres/held-user.ts'
import { assertRefused } from '../../../../test/service/answers.ts'
import { bearer } from '../../../../test/service/applications.ts'
import { type ConnectedClient, grantFor, refreshWith } from '../../../../test/service/grants.ts'
import { it as withService } from '../../../../test/service/it.ts'
import { type Answer, newcomer, stranger } from '../../../../test/service/people.ts'
import { openPage } from '../../../../test/service/wire/live-page.ts'

const SCOPES = ['operations:feedback:write', 'operations:notifications:read']
const IDEA = { type: 'idea', content: 'More dоors ​é\u2028<b>"\\' }

interface Given {
  readonly tool: ConnectedClient
  readonly grantId: string
  /** Its writes wait. */
  readonly waiting: {
    readonly id: string
    readonly answer: Answer<{ approval_id: string; expires_at: number }>
  }
  readonly feedbacks: () => Promise<number>
}

const it = withService.extend<Given>({
  tool: async ({ ann }, use) => use(await grantFor(ann, ...SCOPES)),
  grantId: async ({ ann, tool }, use) => {
    assert.ok(tool)
    const { body } = await ann.post('/api/list_grants')
    await use(body.items[0].id)
  },
  waiting: async ({ ann, tool, grantId }, use) => {
    await ann.post('/api/update_grant', { id: grantId, approval: 'writes' })
    const answer = await tool.post('/api/submit_feedback', IDEA)
    await use({ id: answer.body.approval_id, answer })
  },
  feedbacks: async ({ administrator }, use) =>
    use(async () => (await administrator.post('/api/admin/list_feedbacks')).body.total),
})

describe('116. a call that needs approval', () => {
  it('checklist 116: waits for ten minutes, and is shown as it will be done', async ({
    service,
    ann,
    grantId,
    waiting,
  }) => {
    const { body } = await ann.post('/api/list_approvals')
    const { status, body: answered } = waiting.answer

    assert.deepEqual(
      [status, answered],
      [
        202,
        { code: 'APPROVAL_REQUIRED', approval_id: waiting.id, expires_at: service.clock.now() + 600_000 },
      ],
    )
    assert.deepEqual(body, {
      items: [
        {
          id: waiting.id,
          grant_id: grantId,
          kind: 'tool',
          client_name: 'Command-line client',
          client_domain: null,
          service: null,
          route: '/api/submit_feedback',
          input: IDEA,
          created_at: service.clock.now(),
          expires_at: service.clock.now() + 600_000,
        },
      ],
      total: 1,
    })
  })

  it('checklist 116: is carried out once when approved, byte for byte, and its program gets the result', async ({
    administrator,
    ann,
    tool,
    waiting,
    feedbacks,
  }) => {
    const before = [await feedbacks(), (await tool.post('/api/get_approval', { id: waiting.id })).body.status]
    const decided = await ann.post('/api/decide_approval', { id: waiting.id, approve: true })
    const again = await ann.post('/api/decide_approval', { id: waiting.id, approve: true })
    const denied = await ann.post('/api/decide_approval', { id: waiting.id, approve: false })
    const got = await tool.post('/api/get_approval', { id: waiting.id })

    assert.deepEqual(before, [0, 'pending'])
    assert.deepEqual([decided.body.status, decided.body.result.status], ['approved', 200])
    for (const answer of [again, denied]) assertRefused(answer, 'NOT_FOUND')
    assert.deepEqual(got.body, decided.body)
    const listed = await administrator.post('/api/admin/list_feedbacks')
    const [{ type, content }] = listed.body.items
    assert.deepEqual([listed.body.total, { type, content }], [1, IDEA])
    assert.equal((await ann.post('/api/list_approvals')).body.total, 0)
  })

  it('checklist 116: is carried out once of twenty approvals at once, and once or never beside a denial', async ({
    ann,
    tool,
    waiting,
    feedbacks,
  }) => {
    const decide = (id: string, approve: boolean) => ann.post('/api/decide_approval', { id, approve })
    const raced = await Promise.all(Array.from({ length: 20 }, () => decide(waiting.id, true)))
    const once = await feedbacks()
    const other = await tool.post('/api/submit_feedback', IDEA)
    const mixed = await Promise.all(
      Array.from({ length: 10 }, (_, i) => decide(other.body.approval_id, i % 2 === 0)),
    )

    assert.equal(raced.filter(({ status }) => status === 200).length, 1)
    assert.equal(once, 1)
    const [winner, ...more] = mixed.filter(({ status }) => status === 200)
    assert.equal(more.length, 0)
    assert.equal(await feedbacks(), winner?.body.status === 'approved' ? 2 : 1)
  })

  it('checklist 116: is never carried out when denied, expired, or after its connection has ended', async ({
    service,
    ann,
    tool,
    grantId,
    waiting,
    feedbacks,
  }) => {
    const [late, ended] = [
      await tool.post('/api/submit_feedback', IDEA),
      await tool.post('/api/submit_feedback', IDEA),
    ]
    const denied = await ann.post('/api/decide_approval', { id: waiting.id, approve: false })
    const seen = await tool.post('/api/get_approval', { id: waiting.id })
    service.clock.advance({ minutes: 10 })
    const expired = await tool.post('/api/get_approval', { id: late.body.approval_id })
    const tooLate = await ann.post('/api/decide_approval', { id: late.body.approval_id, approve: true })
    service.clock.advance({ minutes: -5 })
    await ann.post('/api/revoke_grant', { id: grantId })
    const after = await ann.post('/api/decide_approval', { id: ended.body.approval_id, approve: true })

    assert.deepEqual([denied.body, seen.body], [{ status: 'denied' }, { status: 'denied' }])
    assert.deepEqual(expired.body, { status: 'expired' })
    assertRefused(tooLate, 'NOT_FOUND')
    assert.deepEqual([after.body.status, after.body.result.status], ['approved', 401])
    assert.equal(await feedbacks(), 0)
  })

  it('checklist 116: is decided by its user’s own session alone', async ({
    service,
    administrator,
    ann,
    ben,
    tool,
    waiting,
    feedbacks,
  }) => {
    const decision = { id: waiting.id, approve: true }
    const answers = [
      await tool.post('/api/decide_approval', decision),
      await stranger(service).post('/api/decide_approval', decision),
      await ben.post('/api/decide_approval', decision),
      await administrator.post('/api/decide_approval', decision),
    ]
    const other = await grantFor(ann, ...SCOPES)
    const peeked = await other.post('/api/get_approval', { id: waiting.id })
    const bySession = await ann.post('/api/get_approval', { id: waiting.id })
    const loosened = await tool.post('/api/update_grant', { id: waiting.id, approval: 'none' })

    assert.deepEqual(
      answers.map(({ status }) => status),
      [403, 401, 404, 404],
    )
    assertRefused(peeked, 'NOT_FOUND')
    assertRefused(bySession, 'FORBIDDEN')
    assertRefused(loosened, 'FORBIDDEN')
    assert.equal(await feedbacks(), 0)
  })

  it('checklist 116: sent again under its key waits once, and with another input is refused', async ({
    ann,
    tool,
    waiting,
    service,
  }) => {
    const headers = { ...bearer(tool.tokens.access_token), 'idempotency-key': 'a key' }
    const send = (body: object) => stranger(service).post('/api/submit_feedback', body, headers)
    const [first, second] = await Promise.all([send(IDEA), send(IDEA)])
    const other = await send({ ...IDEA, content: 'Another' })
    await ann.post('/api/decide_approval', { id: first.body.approval_id, approve: true })
    const afterwards = await send(IDEA)

    assert.notEqual(first.body.approval_id, waiting.id)
    for (const { body } of [second, afterwards]) assert.equal(body.approval_id, first.body.approval_id)
    assertRefused(other, 'IDEMPOTENCY_KEY_REUSED')
  })

  it('checklist 116: and its key are one act, whether it was done by a tap or without one', async ({
    service,
    ann,
    tool,
    grantId,
    feedbacks,
  }) => {
    const send = (key: string) =>
      stranger(service).post('/api/submit_feedback', IDEA, {
        ...bearer(tool.tokens.access_token),
        'idempotency-key': key,
      })
    const needs = (approval: string) => ann.post('/api/update_grant', { id: grantId, approval })
    const approve = async ({ body }: Answer<{ approval_id: string }>, headers = {}) =>
      (await ann.post('/api/decide_approval', { id: body.approval_id, approve: true }, headers)).body.result
        .body
    await needs('writes')
    const own = { 'idempotency-key': 'of the user' }
    const byTap = await approve(await send('first by a tap'), own)
    await needs('none')
    const [retried, without] = [await send('first by a tap'), await send('first without one')]
    await needs('writes')
    const tapped = await approve(await send('first without one'), own)

    assert.deepEqual([retried.body, tapped], [byTap, without.body])
    assert.equal(await feedbacks(), 2)
  })

  it('checklist 116: under a key that is none is refused as without approval', async ({
    service,
    tool,
    waiting,
  }) => {
    const headers = { ...bearer(tool.tokens.access_token), 'idempotency-key': 'k'.repeat(256) }

    assert.ok(waiting.id)
    assertRefused(
      await stranger(service).post('/api/submit_feedback', IDEA, headers),
      'INVALID_REQUEST',
      'idempotency-key',
    )
  })

  it('checklist 116: cannot be a stream, which would have no result', async ({
    service,
    ann,
    tool,
    grantId,
  }) => {
    await ann.post('/api/update_grant', { id: grantId, approval: 'everything' })
    const asked = await stranger(service).get('/api/live', bearer(tool.tokens.access_token))

    assertRefused(asked, 'FORBIDDEN')
    assert.equal((await ann.post('/api/list_approvals')).body.total, 0)
  })

  it('checklist 116: is carried out with no more scopes than the token had that asked', async ({
    administrator,
  }) => {
    const own = await grantFor(administrator, 'admin:applications:write', 'admin:users:read')
    const { body: narrow } = await own.refresh('admin:applications:write')
    const [grant] = (await administrator.post('/api/list_grants')).body.items
    await administrator.post('/api/update_grant', { id: grant.id, approval: 'writes' })
    const asked = { name: 'Worker', kind: 'service', scopes: ['admin:users:read'] }
    const create = (token: string) =>
      administrator.post('/api/admin/create_application', asked, bearer(token))
    const decide = async (held: Answer<{ approval_id: string }>) =>
      (await administrator.post('/api/decide_approval', { id: held.body.approval_id, approve: true })).body
    const { result } = await decide(await create(narrow.access_token))

    assert.deepEqual([result.status, result.body.code], [403, 'INSUFFICIENT_SCOPE'])
    const { body: whole } = await refreshWith(administrator, narrow.refresh_token)
    assert.equal((await decide(await create(whole.access_token))).result.status, 200)
  })

  it('checklist 116: can have a page as its result', async ({ administrator }) => {
    const tool = await grantFor(administrator, 'config:brand:read')
    const [grant] = (await administrator.post('/api/list_grants')).body.items
    await administrator.post('/api/update_grant', { id: grant.id, approval: 'everything' })
    const letter = '/api/admin/preview_letter?kind=email-verification&language=en'
    const held = await administrator.get(letter, bearer(tool.tokens.access_token))
    const decision = { id: held.body.approval_id, approve: true }
    const { result } = (await administrator.post('/api/decide_approval', decision)).body

    assert.equal(result.status, 200)
    assert.match(result.body, /^<!doctype html>/i)
  })

  it('checklist 116: that is not valid is refused at once; reads wait only if everything does', async ({
    ann,
    tool,
    grantId,
    waiting,
  }) => {
    const invalid = await tool.post('/api/submit_feedback', { type: 'idea' })
    const read = await tool.post('/api/list_notifications')
    await ann.post('/api/update_grant', { id: grantId, approval: 'everything' })
    const held = await tool.post('/api/list_notifications')
    const decided = await ann.post('/api/decide_approval', { id: held.body.approval_id, approve: true })

    assert.ok(waiting.id)
    assertRefused(invalid, 'INVALID_REQUEST')
    assert.deepEqual([read.status, held.status], [200, 202])
    assert.ok(decided.body.result.body.total >= 2)
  })

  it('checklist 116: by an assistant at /mcp waits in the same way, and the assistant asks for the result', async ({
    service,
    ann,
    tool,
    waiting,
  }) => {
    const call = async (name: string, args: object) => {
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
      const { body } = await stranger(service).post('/mcp', message, bearer(tool.tokens.access_token))
      return JSON.parse(body.result.content[0].text)
    }
    const held = await call('submit_feedback', IDEA)
    const pending = await call('get_approval', { id: held.approval_id })
    await ann.post('/api/decide_approval', { id: held.approval_id, approve: true })
    const done = await call('get_approval', { id: held.approval_id })

    assert.notEqual(held.approval_id, waiting.id)
    assert.deepEqual(
      [held.code, pending, done.status],
      ['APPROVAL_REQUIRED', { status: 'pending' }, 'approved'],
    )
  })

  it('checklist 116: of a connection that has ended waits no more, and is not carried out', async ({
    ann,
    grantId,
    waiting,
    feedbacks,
  }) => {
    await ann.post('/api/revoke_grant', { id: grantId })
    const listed = await ann.post('/api/list_approvals')
    const decided = await ann.post('/api/decide_approval', { id: waiting.id, approve: true })

    assert.deepEqual([listed.body.items, listed.body.total], [[], 0])
    assert.equal(decided.body.result.status, 401)
    assert.equal(await feedbacks(), 0)
  })

  it('checklist 116: no more than fifty wait at once', async ({ tool, waiting }) => {
    assert.ok(waiting.id)
    const answers = []
    for (let sent = 0; sent < 52; sent++) answers.push(await tool.post('/api/submit_feedback', IDEA))

    assert.equal(answers.filter(({ status }) => status === 202).length, 49)
    assertRefused(answers.at(-1) ?? assert.fail(), 'RATE_LIMITED')
  })

  it('checklist 116: no more than fifty wait when a hundred come at the same moment', async ({
    tool,
    waiting,
  }) => {
    assert.ok(waiting.id)
    const calls = Array.from({ length: 100 }, () => tool.post('/api/submit_feedback', IDEA))

    assert.equal((await Promise.all(calls)).filter(({ status }) => status === 202).length, 49)
  })

  it('checklist 107: leaves nothing when it has been over for a day', async ({
    service,
    ann,
    tool,
    waiting,
  }) => {
    const { total } = (await ann.post('/api/list_notifications')).body
    await tool.post('/api/submit_feedback', IDEA)
    service.clock.advance({ days: 1, minutes: 11 })
    const sweep = () => service.runJob('approvals-sweep')
    await besideHeld(service, { sql: `select from notifications where type = 'approval' for update` }, sweep)
    await sweep()

    assert.ok(waiting.id)
    assert.equal((await ann.post('/api/list_notifications')).body.total, total - 1)
    assert.equal((await ann.post('/api/count_unread_notifications')).body.count, total - 1)
  })
})

describe('a user is told', () => {
  it('by a notification, live on open pages', async ({ service, ann, tool, grantId }) => {
    const page = await openPage(service, ann)
    await page.next()
    await ann.post('/api/update_grant', { id: grantId, approval: 'writes' })
    await tool.post('/api/submit_feedback', IDEA)
    await service.runJob('events')
    const told = await page.next()
    await page.close()

    assert.deepEqual([told.event, told.data?.type], ['notification', 'approval'])
    const { body } = await ann.post('/api/list_notifications')
    const { title, link } = body.items[0]
    assert.deepEqual(
      [title, link],
      ['Command-line client asks for your approval', `${service.config.baseUrl}/settings/access`],
    )
  })

  it('in the operator’s first language', async ({ administrator, ann, tool, grantId }) => {
    await administrator.saveSettings('brand', { languages: ['zh', 'en'] })
    await ann.post('/api/update_grant', { id: grantId, approval: 'writes' })
    await tool.post('/api/submit_feedback', IDEA)

    const { body } = await ann.post('/api/list_notifications')
    assert.match(body.items[0].title, /请求您的批准$/)
    assert.match(body.items[0].content, /submit_feedback。请在十分钟内/)
  })
})

describe('a limit for a day', () => {
  it('counts every call of the connection in a UTC day, those before it was set too', async ({
    service,
    ann,
    tool,
    grantId,
  }) => {
    const read = () => tool.post('/api/list_notifications')
    await Promise.all([read(), read()])
    const set = await ann.post('/api/update_grant', { id: grantId, daily_limit: 4 })
    const within = [await read(), await tool.post('/api/submit_feedback', { type: 'idea' })]
    const beyond = await read()
    const other = await (await grantFor(ann, ...SCOPES)).post('/api/list_notifications')
    const listed = await ann.post('/api/list_grants')

    assert.equal(set.body.daily_limit, 4)
    assert.deepEqual(
      within.map(({ status }) => status),
      [200, 400],
    )
    assertRefused(beyond, 'RATE_LIMITED')
    assert.equal(Number(beyond.headers.get('retry-after')), 12 * 3_600)
    assert.equal(other.status, 200)
    assert.deepEqual(
      listed.body.items.map(({ daily_limit }: { daily_limit: number | null }) => daily_limit).toSorted(),
      [4, null],
    )
    assert.equal((await ann.post('/api/update_grant', { id: grantId, daily_limit: null })).status, 200)
    assert.equal((await read()).status, 200)
    assert.ok(service)
  })

  it('counts more calls than are listed, and goes on when it is changed', async ({
    service,
    ann,
    tool,
    grantId,
  }) => {
    const read = () => tool.post('/api/list_notifications')
    for (let turn = 0; turn < 11; turn++) {
      await Promise.all(Array.from({ length: 100 }, read))
      await service.runJob('grant-acts')
    }
    await ann.post('/api/update_grant', { id: grantId, daily_limit: 2_000 })
    await read()
    await ann.post('/api/update_grant', { id: grantId, daily_limit: 1_102 })
    const answers = [await read(), await read()]

    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 429],
    )
  })
})

describe('what a connection did', () => {
  it('is listed for its user, newest first, with result and approval', async ({
    service,
    ann,
    ben,
    tool,
    grantId,
    waiting,
  }) => {
    await tool.post('/api/list_notifications')
    await ann.post('/api/decide_approval', { id: waiting.id, approve: true })
    const { body } = await ann.post('/api/list_grant_acts', { id: grantId })
    const foreign = await ben.post('/api/list_grant_acts', { id: grantId })

    const here = { ip: '127.0.0.1', service: null, isNow: true }
    assert.deepEqual(
      body.items.map(({ id: _, created_at, ...act }: { id: string; created_at: number }) => ({
        ...act,
        isNow: created_at === service.clock.now(),
      })),
      [
        { route: '/api/submit_feedback', status: 200, approval_id: waiting.id, ...here },
        { route: '/api/list_notifications', status: 200, approval_id: null, ...here },
        { route: '/api/submit_feedback', status: 202, approval_id: waiting.id, ...here },
      ],
    )
    assertRefused(foreign, 'NOT_FOUND')
  })

  it('ends with its user, and is bounded', async ({ service, ann, tool, grantId }) => {
    for (let turn = 0; turn < 11; turn++) {
      await Promise.all(Array.from({ length: 100 }, () => tool.post('/api/list_notifications')))
      await service.runJob('grant-acts')
    }
    const { body } = await ann.post('/api/list_grant_acts', { id: grantId })
    await ann.post('/api/auth/delete-user', { password: ann.password })
    await service.runJob('grant-acts')

    assert.equal(body.total, 1_000)
    assert.equal((await newcomer(service, 'dora@example.com')).email, 'dora@example.com')
  })
})
