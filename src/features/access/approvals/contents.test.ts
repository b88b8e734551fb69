import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { z } from 'zod'
import { assertRefused, statuses } from '../../../../test/service/answers.ts'
import { bearer } from '../../../../test/service/applications.ts'
import { decide, needs, type Waiting } from '../../../../test/service/approvals.ts'
import { type ConnectedClient, grantFor } from '../../../../test/service/grants.ts'
import { it as withService } from '../../../../test/service/it.ts'
import { type Answer, stranger } from '../../../../test/service/people.ts'
import { routes } from '../../../app.ts'
import type { ApprovalTable } from '../../../database/schema/products/approvals.ts'
import { isProtected, type Route } from '../../../http/route.ts'
import { aesSecretBox } from '../../../platform/secrets/secret-box.ts'
import { routeActionOf } from '../../../rules/scopes.ts'
import { SUBJECTS } from './subjects.ts'

const KEY = 'sk-not-in-clear-789'
const SAVED = { expected_version: 1, api_key: { action: 'replace', value: KEY } }
const WORKER = { name: 'Worker', kind: 'service' }
const SCOPES = [
  'config:ai:write',
  'admin:applications:write',
  'admin:feedback:read',
  'admin:users:write',
  'operations:feedback:write',
]

interface Collected {
  readonly status: string
  readonly result?: { readonly status: number; readonly body: { readonly total?: number } }
  readonly collected_at?: number
}

interface Given {
  /** A tool whose writes wait for the administrator. */
  readonly tool: ConnectedClient
  readonly save: () => Promise<Answer<Waiting>>
  readonly keyed: (content: string) => Promise<Answer<Waiting>>
  /** Asks to create an application, whose secret is shown once. */
  readonly create: () => Promise<Answer<Waiting>>
  readonly resultFor: (held: Answer<Waiting>, token?: string) => Promise<Answer<Collected>>
  readonly rows: () => Promise<readonly ApprovalTable[]>
  readonly change: (held: Answer<Waiting>, row: Partial<ApprovalTable>) => Promise<void>
}

const it = withService.extend<Given>({
  tool: async ({ administrator }, use) => {
    const tool = await grantFor(administrator, ...SCOPES)
    await needs(administrator, 'writes')
    await use(tool)
  },
  save: async ({ tool }, use) => use(() => tool.post('/api/admin/update_ai_config', SAVED)),
  keyed: async ({ service, tool }, use) =>
    use((content) => {
      const headers = { ...bearer(tool.tokens.access_token), 'idempotency-key': 'a key' }
      return stranger(service).post('/api/submit_feedback', { type: 'idea', content }, headers)
    }),
  create: async ({ tool }, use) => use(() => tool.post('/api/admin/create_application', WORKER)),
  resultFor: async ({ service, tool }, use) =>
    use(({ body }, token = tool.tokens.access_token) =>
      stranger(service).post('/api/get_approval', { id: body.approval_id }, bearer(token)),
    ),
  rows: async ({ service }, use) =>
    use(() => service.platform.meta.primary.selectFrom('approval').selectAll().execute()),
  change: async ({ service }, use) =>
    use(async ({ body }, row) => {
      const { meta } = service.platform
      await meta.updateTable('approval').set(row).where('id', '=', body.approval_id).execute()
    }),
})

describe('what waits for approval', () => {
  it('checklist 122: is sealed in the store, and deleted with the decision', async ({ administrator, save, rows }) => {
    const [approved, denied] = [await save(), await save()]
    const { body } = await administrator.post('/api/list_approvals')
    const before = await rows()
    await decide(administrator, approved)
    await decide(administrator, denied, false)
    const after = await rows()

    assert.deepEqual(
      body.items.map(({ input }: { input: unknown }) => input),
      [SAVED, SAVED],
    )
    for (const row of [...before, ...after]) assert.doesNotMatch(JSON.stringify(row), new RegExp(KEY))
    assert.deepEqual([before.length, new Set(before.map(({ input }) => input)).size], [2, 2])
    assert.deepEqual(
      after.map(({ input }) => input),
      ['null', 'null'],
    )
  })

  it('checklist 122: is deleted within a minute of its end, if nobody decides', async ({ service, save, rows }) => {
    await save()
    service.clock.advance({ minutes: 9, seconds: 59 })
    await service.runJob('approvals-emptying')
    const [waiting] = await rows()
    service.clock.advance({ seconds: 1 })
    await service.runJob('approvals-emptying')
    const [expired] = await rows()

    assert.match(waiting?.input ?? '', /^"a1\./)
    assert.equal(expired?.input, 'null')
  })

  it('checklist 122: has its result sealed, which is deleted once collected, or after ten minutes', async ({
    service,
    administrator,
    create,
    resultFor,
    rows,
  }) => {
    const held = [await create(), await create()] as const
    const secrets = []
    for (const one of held) secrets.push((await decide(administrator, one)).body.result.body.client_secret)
    const before = await rows()
    await resultFor(held[0])
    service.clock.advance({ minutes: 10 })
    const late = await resultFor(held[1])
    await service.runJob('approvals-emptying')
    const after = await rows()

    const kept = (some: readonly ApprovalTable[]) =>
      some.map(({ result, sealed_result }) => [result, sealed_result !== null])
    assert.deepEqual(
      kept(before),
      [1, 2].map(() => [null, true]),
    )
    assert.deepEqual(
      kept(after),
      [1, 2].map(() => [null, false]),
    )
    assert.deepEqual(late.body, { status: 'approved' })
    for (const secret of secrets)
      for (const row of [...before, ...after]) assert.ok(!JSON.stringify(row).includes(secret))
  })

  it('checklist 122: can be read, decided and collected if a program of 0.3.0 wrote it', async ({
    administrator,
    save,
    create,
    change,
    resultFor,
    rows,
  }) => {
    const bare = { fingerprint: null, input: JSON.stringify(SAVED) }
    const [waiting, decided] = [await save(), await create()]
    await change(waiting, bare)
    await change(decided, { ...bare, state: 'approved', result: '{"status":200,"body":{"id":"a"}}' })
    const { body } = await administrator.post('/api/list_approvals')
    const done = await decide(administrator, waiting)
    const results = [await resultFor(decided), await resultFor(decided)]
    const left = await rows()

    assert.deepEqual([body.items.length, body.items[0].input], [1, SAVED])
    assert.equal(done.body.result.status, 200)
    assert.deepEqual(results[0]?.body, { status: 'approved', result: { status: 200, body: { id: 'a' } } })
    assert.deepEqual(Object.keys(results[1]?.body ?? {}), ['status', 'collected_at'])
    for (const { result } of left) assert.equal(result, null)
  })

  it('checklist 122: is refused by every route if a program of 0.3.0 carries it out', () => {
    const declared: readonly Route[] = routes
    const open = declared.filter(isProtected).filter(({ input }) => input.safeParse('a1.sealed').success)

    assert.deepEqual(
      open.map(({ path }) => path),
      [],
    )
  })

  it('checklist 116: is recognised under its key by its input, even if a program of 0.3.0 wrote it', async ({
    administrator,
    keyed,
    change,
  }) => {
    const first = await keyed('One')
    await change(first, { fingerprint: null, input: JSON.stringify({ type: 'idea', content: 'One' }) })
    const waiting = [await keyed('One'), await keyed('Other')] as const
    await decide(administrator, first)
    const decided = [await keyed('One'), await keyed('Other')] as const

    for (const [same, other] of [waiting, decided]) {
      assert.equal(same.body.approval_id, first.body.approval_id)
      assertRefused(other, 'IDEMPOTENCY_KEY_REUSED')
    }
  })

  it('119. can be denied and not approved if it was sealed under another key', async ({
    administrator,
    save,
    change,
  }) => {
    const held = await save()
    const other = aesSecretBox('cd'.repeat(32))
    await change(held, { input: JSON.stringify(other.seal('any', '{}')) })
    const listed = await administrator.post('/api/list_approvals')
    const approved = await decide(administrator, held)
    const denied = await decide(administrator, held, false)

    assert.deepEqual([listed.status, listed.body.items[0].input], [200, null])
    assertRefused(approved, 'NOT_FOUND')
    assert.deepEqual(denied.body, { status: 'denied' })
  })
})

describe('the result of an approved call', () => {
  it('checklist 124: is given once, and afterwards only the time of that', async ({
    service,
    administrator,
    create,
    resultFor,
  }) => {
    const held = await create()
    const { body: done } = await decide(administrator, held)
    const first = await resultFor(held)
    const collected_at = service.clock.now()
    service.clock.advance({ minutes: 1 })
    const later = await resultFor(held)

    assert.match(done.result.body.client_secret, /^\S{20,}$/)
    assert.deepEqual(first.body, done)
    assert.deepEqual(later.body, { status: 'approved', collected_at })
  })

  it('checklist 124: is given to one of twenty simultaneous requests', async ({ administrator, create, resultFor }) => {
    const held = await create()
    await decide(administrator, held)
    const answers = await Promise.all(Array.from({ length: 20 }, () => resultFor(held)))

    assert.deepEqual(statuses(answers), Array(20).fill(200))
    assert.equal(answers.filter(({ body }) => body.result !== undefined).length, 1)
    assert.equal(answers.filter(({ body }) => body.collected_at !== undefined).length, 19)
  })

  it('checklist 124: is not given to a token without the scope of its route, and stays for one that has it', async ({
    administrator,
    tool,
    create,
    resultFor,
  }) => {
    const held = await create()
    await decide(administrator, held)
    const { body: narrow } = await tool.refresh('admin:feedback:read')
    const refused = await resultFor(held, narrow.access_token)
    const given = await resultFor(held)

    assertRefused(refused, 'INSUFFICIENT_SCOPE')
    assert.equal(given.body.result?.status, 200)
    assert.equal((await administrator.post('/api/list_approvals')).body.total, 0)
  })

  it('checklist 124: is left for another program if it is too long for an assistant', async ({
    service,
    administrator,
    ann,
    tool,
    resultFor,
  }) => {
    for (let sent = 0; sent < 10; sent++)
      await ann.post('/api/submit_feedback', { type: 'idea', content: '語'.repeat(10_000) })
    await needs(administrator, 'everything')
    const held = await tool.post('/api/admin/list_feedbacks')
    await decide(administrator, held)
    const params = { name: 'get_approval', arguments: { id: held.body.approval_id } }
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const { body } = await stranger(service).post('/mcp', message, bearer(tool.tokens.access_token))
    const given = await resultFor(held)

    assert.equal(body.result.isError, true)
    assert.match(body.result.content[0].text, /PAYLOAD_TOO_LARGE/)
    assert.equal(given.body.result?.body.total, 10)
  })
})

describe('a call that waits', () => {
  it('says what is done, and to whom, by the current name', async ({ administrator, ben, tool }) => {
    const asked = { id: ben.id, reason: 'One' }
    await tool.post('/api/admin/suspend_user', asked)
    await tool.post('/api/admin/suspend_user', { ...asked, id: 'nobody' })
    await ben.post('/api/auth/update-user', { name: 'Benjamin' })
    const { body } = await administrator.post('/api/list_approvals')

    assert.deepEqual(
      body.items.map(({ action, subject }: { action: string; subject: unknown }) => [action, subject]),
      [
        ['admin/suspend_user', null],
        ['admin/suspend_user', { kind: 'user', id: ben.id, name: 'Benjamin' }],
      ],
    )
  })

  it('names an application, a notification, a webhook, a shard and a permission', async ({
    administrator,
    service,
  }) => {
    const made = await administrator.post('/api/admin/create_application', WORKER)
    const told = await administrator.post('/api/admin/create_notification', { title: 'News', content: 'One' })
    const url = 'https://example.com/hook'
    const hook = await administrator.post('/api/admin/create_webhook', { url })
    const shard = [...service.platform.shards.keys()][0] ?? ''
    const scopes = ['admin:applications:write', 'admin:notifications:write', 'admin:events:write', 'admin:shards:write']
    const tool = await grantFor(administrator, ...scopes)
    await needs(administrator, 'writes')
    const calls: readonly (readonly [string, object])[] = [
      ['delete_application', { id: made.body.client_id }],
      ['archive_notification', { id: told.body.id }],
      ['delete_webhook', { id: hook.body.id }],
      ['update_shard', { id: shard, state: 'draining' }],
      ['declare_product_scope', { scope: 'product:door:read', description: 'See the door' }],
    ]
    for (const [path, input] of calls) assert.equal((await tool.post(`/api/admin/${path}`, input)).status, 202, path)
    const { body } = await administrator.post('/api/list_approvals')

    const named = body.items.map(({ subject }: { subject: { kind: string; name: string } }) => [
      subject.kind,
      subject.name,
    ])
    assert.deepEqual(named.toReversed(), [
      ['application', 'Worker'],
      ['notification', 'News'],
      ['webhook', url],
      ['shard', shard],
      ['product_scope', 'product:door:read'],
    ])
  })

  it('has a name for what it does, whichever route it is for', () => {
    const declared: readonly Route[] = routes
    const canWait = declared.filter(
      (route) =>
        (isProtected(route) && route.grants !== 'refused') ||
        (route.access === 'caller' && route.approval === 'like a read'),
    )
    const nameless = canWait.filter(({ path }) => routeActionOf(path) === undefined)

    assert.ok(canWait.length > 60)
    assert.deepEqual(
      nameless.map(({ path }) => path),
      [],
    )
  })

  it('names its subject wherever the input of an administrator’s route has an id', () => {
    const declared: readonly Route[] = routes
    const withId = declared.filter(isProtected).filter(({ path, input, grants }) => {
      const isForAll = grants !== 'refused' && path.startsWith('/api/admin/')
      return isForAll && input instanceof z.ZodObject && Object.keys(input.shape).some(isId)
    })
    const actions = withId.map(({ path }) => routeActionOf(path))
    const without = actions.filter((action) => action && !SUBJECTS[action])

    assert.ok(actions.length > 20)
    assert.deepEqual(without, ['admin/list_users'])
  })
})

/** The `client_id` of a provider is a setting. */
const isId = (field: string) => /^(?!.*client_id).*\b(?:id|\w+_id)$/.test(field)
