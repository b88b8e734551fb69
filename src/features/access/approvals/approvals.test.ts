import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { besideHeld } from '../../../../test/postgres/held-user.ts'
import { assertRefused, statuses } from '../../../../test/service/answers.ts'
import { bearer } from '../../../../test/service/applications.ts'
import { type Approval, decide, needs, type Waiting } from '../../../../test/service/approvals.ts'
import { type ConnectedClient, grantFor, refreshWith } from '../../../../test/service/grants.ts'
import { it as withService } from '../../../../test/service/it.ts'
import { type Answer, newcomer, type Person, stranger } from '../../../../test/service/people.ts'
import { openPage } from '../../../../test/service/wire/live-page.ts'

const SCOPES = ['operations:feedback:write', 'operations:notifications:read']
const IDEA = { type: 'idea', content: 'More dоors ​é\u2028<b>"\\' }

interface Given {
  readonly tool: ConnectedClient
  readonly submit: (headers?: Readonly<Record<string, string>>, body?: object) => Promise<Answer<Waiting>>
  readonly grantId: string
  readonly need: (approval: Approval) => Promise<void>
  /** A write of the tool, whose writes wait for approval. */
  readonly waiting: Answer<Waiting>
  readonly decided: (
    held: Answer<Partial<Waiting>>,
    approve?: boolean,
  ) => Promise<Answer<{ status: string; result: { status: number; body: Record<string, unknown> } }>>
  /** The outcome as the tool sees it. */
  readonly result: (held: Answer<Waiting>) => Promise<unknown>
  readonly feedbacks: () => Promise<number>
  /** Makes 1,100 calls. */
  readonly manyCalls: () => Promise<void>
}

const it = withService.extend<Given>({
  tool: async ({ ann }, use) => use(await grantFor(ann, ...SCOPES)),
  grantId: async ({ ann, tool }, use) => {
    assert.ok(tool)
    const { body } = await ann.post('/api/list_grants')
    await use(body.items[0].id)
  },
  submit: async ({ service, tool }, use) =>
    use((headers = {}, body = IDEA) =>
      stranger(service).post('/api/submit_feedback', body, {
        ...bearer(tool.tokens.access_token),
        ...headers,
      }),
    ),
  need: async ({ ann, tool }, use) => {
    assert.ok(tool)
    await use((approval) => needs(ann, approval))
  },
  waiting: async ({ submit, need }, use) => {
    await need('writes')
    await use(await submit())
  },
  decided: async ({ ann }, use) => use((held, approve) => decide(ann, held, approve)),
  result: async ({ tool }, use) =>
    use(async ({ body }) => (await tool.post('/api/get_approval', { id: body.approval_id })).body),
  feedbacks: async ({ administrator }, use) =>
    use(async () => (await administrator.post('/api/admin/list_feedbacks')).body.total),
  manyCalls: async ({ service, tool }, use) =>
    use(async () => {
      for (let turn = 0; turn < 11; turn++) {
        await Promise.all(Array.from({ length: 100 }, () => tool.post('/api/list_notifications')))
        await service.runJob('grant-acts')
      }
    }),
})

describe('116. a call that needs approval', () => {
  it('checklist 116: waits for ten minutes, and is shown as it will be done', async ({
    service,
    ann,
    grantId,
    waiting,
  }) => {
    const { body } = await ann.post('/api/list_approvals')
    const { approval_id } = waiting.body

    const expires_at = service.clock.now() + 600_000
    assert.deepEqual([waiting.status, waiting.body], [202, { code: 'APPROVAL_REQUIRED', approval_id, expires_at }])
    const shown = {
      id: approval_id,
      grant_id: grantId,
      kind: 'tool',
      client_name: 'Command-line client',
      client_domain: null,
      service: null,
      route: '/api/submit_feedback',
      action: 'submit_feedback',
      subject: null,
      input: IDEA,
      created_at: service.clock.now(),
      expires_at,
    }
    assert.deepEqual(body, { items: [shown], total: 1 })
  })

  it('checklist 116: is carried out once when approved, byte for byte, and its program gets the result', async ({
    administrator,
    ann,
    waiting,
    decided,
    result,
    feedbacks,
  }) => {
    const before = [await feedbacks(), await result(waiting)]
    const { body: done } = await decided(waiting)
    const late = [await decided(waiting), await decided(waiting, false)]

    assert.deepEqual(before, [0, { status: 'pending' }])
    assert.deepEqual([done.status, done.result.status], ['approved', 200])
    for (const answer of late) assertRefused(answer, 'NOT_FOUND')
    assert.deepEqual(await result(waiting), done)
    const listed = await administrator.post('/api/admin/list_feedbacks')
    const [{ type, content }] = listed.body.items
    assert.deepEqual([listed.body.total, { type, content }], [1, IDEA])
    assert.equal((await ann.post('/api/list_approvals')).body.total, 0)
  })

  it('checklist 116: is carried out once for twenty simultaneous approvals, and at most once beside a denial', async ({
    waiting,
    submit,
    decided,
    feedbacks,
  }) => {
    const raced = await Promise.all(Array.from({ length: 20 }, () => decided(waiting)))
    const once = await feedbacks()
    const other = await submit()
    const mixed = await Promise.all(Array.from({ length: 10 }, (_, i) => decided(other, i % 2 === 0)))

    assert.equal(raced.filter(({ status }) => status === 200).length, 1)
    assert.equal(once, 1)
    const [winner, ...more] = mixed.filter(({ status }) => status === 200)
    assert.equal(more.length, 0)
    assert.equal(await feedbacks(), winner?.body.status === 'approved' ? 2 : 1)
  })

  it('checklist 116: is never carried out when denied or expired', async ({
    service,
    waiting,
    submit,
    decided,
    result,
    feedbacks,
  }) => {
    const late = await submit()
    const denied = await decided(waiting, false)
    const seen = await result(waiting)
    service.clock.advance({ minutes: 10 })

    assert.deepEqual([denied.body, seen], [{ status: 'denied' }, { status: 'denied' }])
    assert.deepEqual(await result(late), { status: 'expired' })
    assertRefused(await decided(late), 'NOT_FOUND')
    assert.equal(await feedbacks(), 0)
  })

  it('checklist 116: can be decided only in a session of its user', async ({
    service,
    administrator,
    ann,
    ben,
    tool,
    waiting,
    feedbacks,
  }) => {
    const id = waiting.body.approval_id
    const answers = []
    for (const person of [tool, stranger(service), ben, administrator])
      answers.push(await person.post('/api/decide_approval', { id, approve: true }))
    const other = await grantFor(ann, ...SCOPES)
    const peeked = await other.post('/api/get_approval', { id })
    const bySession = await ann.post('/api/get_approval', { id })
    const loosened = await tool.post('/api/update_grant', { id, approval: 'none' })

    assert.deepEqual(statuses(answers), [403, 401, 404, 404])
    assertRefused(peeked, 'NOT_FOUND')
    assertRefused(bySession, 'FORBIDDEN')
    assertRefused(loosened, 'FORBIDDEN')
    assert.equal(await feedbacks(), 0)
  })

  it('checklist 116: waits once if sent again under its key, and is refused with another input', async ({
    waiting,
    submit,
    decided,
  }) => {
    const key = { 'idempotency-key': 'a key' }
    const [first, second] = await Promise.all([submit(key), submit(key)])
    const other = await submit(key, { ...IDEA, content: 'Another' })
    await decided(first)
    const afterwards = await submit(key)

    assert.notEqual(first.body.approval_id, waiting.body.approval_id)
    for (const { body } of [second, afterwards]) assert.equal(body.approval_id, first.body.approval_id)
    assertRefused(other, 'IDEMPOTENCY_KEY_REUSED')
  })

  it('checklist 116: is one act with its key, whether it needed approval or not', async ({
    ann,
    submit,
    need,
    feedbacks,
  }) => {
    const [byTap, byCall] = [{ 'idempotency-key': 'by a tap' }, { 'idempotency-key': 'by a call' }]
    const approve = async ({ body }: Answer<Waiting>) => {
      const decision = { id: body.approval_id, approve: true }
      const ofUser = { 'idempotency-key': 'of the user' }
      return (await ann.post('/api/decide_approval', decision, ofUser)).body.result.body
    }
    await need('writes')
    const tapped = await approve(await submit(byTap))
    await need('none')
    const [retried, called] = [await submit(byTap), await submit(byCall)]
    await need('writes')

    assert.deepEqual([retried.body, await approve(await submit(byCall))], [tapped, called.body])
    assert.equal(await feedbacks(), 2)
  })

  it('checklist 116: has at most 16 KiB, so that it can be shown as a whole', async ({ submit, need }) => {
    await need('writes')
    const quotes = (16 * 1024 - JSON.stringify({ type: 'idea', content: '' }).length) / 2
    const sent = (more: string) => submit({}, { type: 'idea', content: '"'.repeat(quotes) + more })

    assert.equal((await sent('')).status, 202)
    assertRefused(await sent('.'), 'PAYLOAD_TOO_LARGE')
  })

  it('checklist 116: is refused for an invalid key, as a call without approval is', async ({ submit, need }) => {
    await need('writes')

    assertRefused(await submit({ 'idempotency-key': 'k'.repeat(256) }), 'INVALID_REQUEST', 'idempotency-key')
  })

  it('checklist 116: cannot be a stream, which would have no result', async ({ service, ann, tool, need }) => {
    await need('everything')
    const asked = await stranger(service).get('/api/live', bearer(tool.tokens.access_token))

    assertRefused(asked, 'FORBIDDEN')
    assert.equal((await ann.post('/api/list_approvals')).body.total, 0)
  })

  it('checklist 116: is carried out with no more scopes than the requesting token had', async ({ administrator }) => {
    const own = await grantFor(administrator, 'admin:applications:write', 'admin:users:read')
    const { body: narrow } = await own.refresh('admin:applications:write')
    await needs(administrator, 'writes')
    const asked = { name: 'Worker', kind: 'service', scopes: ['admin:users:read'] }
    const createdWith = async (token: string) => {
      const held = await administrator.post('/api/admin/create_application', asked, bearer(token))
      return (await decide(administrator, held)).body.result
    }
    const refused = await createdWith(narrow.access_token)

    assert.deepEqual([refused.status, refused.body.code], [403, 'INSUFFICIENT_SCOPE'])
    const { body: whole } = await refreshWith(administrator, narrow.refresh_token)
    assert.equal((await createdWith(whole.access_token)).status, 200)
  })

  it('checklist 116: can have a page as its result', async ({ administrator }) => {
    const tool = await grantFor(administrator, 'config:brand:read')
    await needs(administrator, 'everything')
    const letter = '/api/admin/preview_letter?kind=email-verification&language=en'
    const held = await administrator.get(letter, bearer(tool.tokens.access_token))
    const { result } = (await decide(administrator, held)).body

    assert.equal(result.status, 200)
    assert.match(result.body, /^<!doctype html>/i)
  })

  it('checklist 116: is refused at once if it is not valid; reads wait only if everything does', async ({
    tool,
    need,
    submit,
    decided,
  }) => {
    await need('writes')
    const invalid = await submit({}, { type: 'idea' })
    const read = await tool.post('/api/list_notifications')
    await need('everything')
    const held = await tool.post('/api/list_notifications')
    const { result } = (await decided(held)).body

    assertRefused(invalid, 'INVALID_REQUEST')
    assert.deepEqual([read.status, held.status], [200, 202])
    assert.ok(Number(result.body.total) >= 1)
  })

  it('checklist 116: by an assistant at /mcp waits in the same way, and the assistant asks for the result', async ({
    service,
    tool,
    waiting,
    decided,
  }) => {
    const call = async (name: string, args: object) => {
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
      const answer = await stranger(service).post('/mcp', message, bearer(tool.tokens.access_token))
      return { ...answer, body: JSON.parse(answer.body.result.content[0].text) }
    }
    const held = await call('submit_feedback', IDEA)
    const id = held.body.approval_id
    const pending = await call('get_approval', { id })
    await decided(held)
    const done = await call('get_approval', { id })

    assert.notEqual(id, waiting.body.approval_id)
    assert.deepEqual(
      [held.body.code, pending.body, done.body.status],
      ['APPROVAL_REQUIRED', { status: 'pending' }, 'approved'],
    )
  })

  it('checklist 116: no longer waits once its connection has ended, and is not carried out', async ({
    ann,
    grantId,
    waiting,
    decided,
    feedbacks,
  }) => {
    await ann.post('/api/revoke_grant', { id: grantId })
    const listed = await ann.post('/api/list_approvals')
    const { body } = await decided(waiting)

    assert.deepEqual([listed.body.items, listed.body.total], [[], 0])
    assert.deepEqual([body.status, body.result.status], ['approved', 401])
    assert.equal(await feedbacks(), 0)
  })

  it('checklist 116: waits with at most nine others of its connection, even if a hundred arrive at once', async ({
    need,
    submit,
    decided,
  }) => {
    await need('writes')
    const answers = await Promise.all(Array.from({ length: 100 }, () => submit()))
    const [waiting = [], refused = []] = [202, 429].map((code) => answers.filter(({ status }) => status === code))
    for (const held of waiting.slice(0, 2)) await decided(held, false)
    const later = [await submit(), await submit(), await submit()]

    assert.deepEqual([waiting.length, refused.length], [10, 90])
    for (const answer of refused) {
      assertRefused(answer, 'TOO_MANY_APPROVALS')
      assert.equal(answer.headers.get('retry-after'), '60')
    }
    assert.deepEqual(statuses(later), [202, 202, 429])
  })

  it('checklist 127: waits with at most 49 others of its user, and no connection takes another’s ten', async ({
    ann,
    ben,
    need,
    submit,
  }) => {
    const submitAs = async (person: Person) => {
      const other = await grantFor(person, ...SCOPES)
      await needs(person, 'writes')
      return () => other.post<Waiting>('/api/submit_feedback', IDEA)
    }
    await need('writes')
    const tools: (() => Promise<Answer<Waiting>>)[] = [submit]
    while (tools.length < 5) tools.push(await submitAs(ann))
    const sixth = await submitAs(ann)
    const full = []
    for (const one of tools) full.push(await Promise.all(Array.from({ length: 11 }, () => one())))
    const [beyond, ofBen] = [await sixth(), await (await submitAs(ben))()]

    for (const answers of full) assert.deepEqual(statuses(answers).toSorted(), [...Array(10).fill(202), 429])
    assertRefused(beyond, 'TOO_MANY_APPROVALS')
    assert.equal(ofBen.status, 202)
  })

  it('checklist 107: leaves nothing a day after it has ended', async ({ service, ann, need, submit }) => {
    const { total } = (await ann.post('/api/list_notifications')).body
    await need('writes')
    await Promise.all([submit(), submit()])
    service.clock.advance({ days: 1, minutes: 11 })
    const sweep = () => service.runJob('approvals-sweep')
    await besideHeld(service, { sql: `select from notifications where type = 'approval' for update` }, sweep)
    await sweep()

    assert.equal((await ann.post('/api/list_notifications')).body.total, total)
    assert.equal((await ann.post('/api/count_unread_notifications')).body.count, total)
  })
})

describe('a user learns of a call that waits', () => {
  it('by a notification, live on open pages', async ({ service, ann, need, submit }) => {
    const page = await openPage(service, ann)
    await page.next()
    await need('writes')
    await submit()
    await service.runJob('events')
    const told = await page.next()
    await page.close()

    assert.deepEqual([told.event, told.data?.type], ['notification', 'approval'])
    const { body } = await ann.post('/api/list_notifications', {}, { 'accept-language': 'en' })
    const { title, content, kind, data, link } = body.items[0]
    assert.deepEqual([kind, title], ['approval', 'Command-line client wants to send feedback'])
    assert.equal(content, 'Send feedback in your name.\nApprove or deny it within ten minutes.')
    assert.equal(link, `${service.config.baseUrl}/settings/access?approval=${data.approval_id}`)
  })

  it('in the language that the request asks for, or else the one that the user used last', async ({
    ann,
    need,
    submit,
  }) => {
    await need('writes')
    await submit()
    const titleIn = async (headers: Readonly<Record<string, string>> = {}) =>
      (await ann.post('/api/list_notifications', {}, headers)).body.items[0].title
    const english = 'Command-line client wants to send feedback'

    assert.equal(await titleIn(), english)
    assert.equal(await titleIn({ 'accept-language': 'zh-CN,zh;q=0.9,en;q=0.8' }), 'Command-line client 想要发送反馈')
    assert.equal(await titleIn(), 'Command-line client 想要发送反馈')
    assert.equal(await titleIn({ 'accept-language': 'en' }), english)
    assert.equal(await titleIn(), english)
  })

  it('whose language is written a few times a minute, however often the browsers take turns', async ({
    service,
    ann,
  }) => {
    const { meta } = service.platform
    const noted = async () =>
      (await meta.selectFrom('user').select('language').where('id', '=', ann.id).executeTakeFirstOrThrow()).language
    const seen: (string | null)[] = []
    for (let turn = 0; turn < 12; turn++) {
      await ann.get('/api/auth/get-session', { 'accept-language': turn % 2 === 0 ? 'zh' : 'en' })
      seen.push(await noted())
    }
    service.clock.advance({ minutes: 1 })
    await ann.get('/api/auth/get-session', { 'accept-language': seen.at(-1) === 'zh' ? 'en' : 'zh' })

    assert.deepEqual(seen.slice(0, 4), ['zh', 'en', 'zh', 'en'])
    assert.deepEqual([...new Set(seen.slice(4))], ['en'])
    assert.equal(await noted(), 'zh')
  })

  it('without what the call sends, which stays sealed', async ({ ann, need, submit }) => {
    await need('writes')
    await submit({}, { type: 'idea', content: 'a secret of mine' })

    const { body } = await ann.post('/api/list_notifications')

    assert.equal(body.items[0].data.route, '/api/submit_feedback')
    assert.doesNotMatch(JSON.stringify(body), /a secret of mine/)
  })
})

describe('a limit for a day', () => {
  it('counts every call of the connection in a UTC day, including those before it was set', async ({
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
    assert.deepEqual(statuses(within), [200, 400])
    assertRefused(beyond, 'RATE_LIMITED')
    assert.equal(Number(beyond.headers.get('retry-after')), 12 * 3_600)
    assert.equal(other.status, 200)
    assert.deepEqual(
      listed.body.items.map(({ daily_limit }: { daily_limit: number | null }) => daily_limit).toSorted(),
      [4, null],
    )
    assert.equal((await ann.post('/api/update_grant', { id: grantId, daily_limit: null })).status, 200)
    assert.equal((await read()).status, 200)
  })

  it('counts more calls than are listed, and keeps counting when it is changed', async ({
    ann,
    tool,
    grantId,
    manyCalls,
  }) => {
    const read = () => tool.post('/api/list_notifications')
    await manyCalls()
    await ann.post('/api/update_grant', { id: grantId, daily_limit: 2_000 })
    await read()
    await ann.post('/api/update_grant', { id: grantId, daily_limit: 1_102 })
    const answers = [await read(), await read()]

    assert.deepEqual(statuses(answers), [200, 429])
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
    decided,
  }) => {
    await tool.post('/api/list_notifications')
    await decided(waiting)
    const { body } = await ann.post('/api/list_grant_acts', { id: grantId })
    const foreign = await ben.post('/api/list_grant_acts', { id: grantId })

    const { approval_id } = waiting.body
    const here = { ip: '127.0.0.1', service: null, isNow: true }
    assert.deepEqual(
      body.items.map(({ id: _, created_at, ...act }: { id: string; created_at: number }) => ({
        ...act,
        isNow: created_at === service.clock.now(),
      })),
      [
        { route: '/api/submit_feedback', status: 200, approval_id, ...here },
        { route: '/api/list_notifications', status: 200, approval_id: null, ...here },
        { route: '/api/submit_feedback', status: 202, approval_id, ...here },
      ],
    )
    assertRefused(foreign, 'NOT_FOUND')
  })

  it('is deleted with its user, and is bounded', async ({ service, ann, grantId, manyCalls }) => {
    await manyCalls()
    const { body } = await ann.post('/api/list_grant_acts', { id: grantId })
    await ann.post('/api/auth/delete-user', { password: ann.password })
    await service.runJob('grant-acts')

    assert.equal(body.total, 1_000)
    assert.equal((await newcomer(service, 'dora@example.com')).email, 'dora@example.com')
  })
})
