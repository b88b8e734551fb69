import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { z } from 'zod'
import { routes } from '../../../src/app.ts'
import type { Route } from '../../../src/http/route.ts'
import { grantFor } from '../../service/grants.ts'
import { type Answer, type Person, people, stranger } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

const declared: readonly Route[] = routes

const ROUNDS = 8
const AT_ONCE = 4
// No list grows past one page, so each has as many rows as its total says.
const ONE_PAGE = { page: 1, page_size: 100 }

interface World {
  readonly administrator: Person
  readonly ann: Person
  readonly newcomer: (i: number) => Person
}

type Act = (world: World, i: number) => Promise<unknown>
type Filter = object | ((world: World) => Promise<object>)

/** A list, and what makes it grow. */
const LISTS: readonly (readonly [list: string, reader: 'administrator' | 'ann', filter: Filter, act: Act])[] =
  [
    ['/api/admin/list_users', 'administrator', {}, ({ newcomer }, i) => newcomer(i).signUp()],
    ['/api/admin/list_feedbacks', 'administrator', {}, submit],
    ['/api/admin/list_feedbacks', 'administrator', { type: 'idea' }, submit],
    ['/api/admin/list_feedbacks', 'administrator', { status: 'new' }, submit],
    ['/api/admin/list_feedbacks', 'administrator', { search: 'owls' }, submit],
    ['/api/admin/list_notifications', 'administrator', {}, publish],
    ['/api/list_notifications', 'ann', {}, publish],
    ['/api/list_notifications', 'ann', { read: false }, publish],
    ['/api/list_credit_entries', 'ann', {}, give],
    ['/api/admin/list_beta_codes', 'administrator', { used: false }, generate],
    ['/api/admin/list_audit_entries', 'administrator', {}, generate],
    ['/api/admin/list_audit_entries', 'administrator', { action: 'beta_codes.generate' }, generate],
    ['/api/list_grants', 'ann', {}, connect],
    ['/api/list_personal_tokens', 'ann', {}, makeToken],
    ['/api/admin/list_user_grants', 'administrator', ofUserAnn, connect],
    ['/api/admin/list_user_credits', 'administrator', ofAnn, give],
    ['/api/admin/list_applications', 'administrator', {}, registerOne],
    ['/api/admin/list_product_scopes', 'administrator', {}, declare],
    ['/api/list_product_scopes', 'ann', {}, declare],
    ['/api/admin/list_webhooks', 'administrator', {}, addWebhook],
    ['/api/admin/list_webhook_deliveries', 'administrator', ofOneWebhook, testWebhook],
  ]

/** Its rows are those of the settings. */
const NEVER_GROWS = ['/api/admin/list_shards']

describe('checklist 98: total and rows', () => {
  it('are tested of every list that can grow', () => {
    const lists = declared.filter(({ output }) => output instanceof z.ZodObject && 'total' in output.shape)

    const tested = new Set([...LISTS.map(([list]) => list), ...NEVER_GROWS])
    assert.deepEqual(new Set(lists.map(({ path }) => path)), tested)
  })

  for (const [list, reader, filter, act] of LISTS) {
    it(`of ${list} ${typeof filter === 'function' ? filter.name : JSON.stringify(filter)} are of the same moment while it grows`, async () => {
      await using service = await startService({ env: { WEBHOOK_NETWORKS: '127.0.0.0/8' } })
      const { administrator, ann } = await people(service)
      const newcomer = (i: number) => stranger(service, `person-${i}@example.com`)
      const world = { administrator, ann, newcomer }
      const sent = { ...(typeof filter === 'function' ? await filter(world) : filter), ...ONE_PAGE }
      const read = () => world[reader].post<Listed>(list, sent)

      const first = await read()
      const answers: Answer<Listed>[] = [first]
      const keep = async () => {
        answers.push(await read())
      }
      for (let round = 0; round < ROUNDS; round++) {
        const numbers = Array.from({ length: AT_ONCE }, (_, i) => round * AT_ONCE + i)
        await Promise.all(numbers.flatMap((i) => [keep(), act(world, i), keep()]))
      }
      const last = await read()

      for (const { status, body } of answers)
        assert.deepEqual([status, body.items?.length], [200, body.total], JSON.stringify(body))
      assert.equal(last.body.total - first.body.total, ROUNDS * AT_ONCE)
    })
  }
})

interface Listed {
  readonly items: readonly unknown[]
  readonly total: number
}

function submit({ ann }: World, i: number) {
  return ann.post('/api/submit_feedback', { type: 'idea', content: `${i} owls` })
}

function publish({ administrator }: World, i: number) {
  return administrator.post('/api/admin/create_notification', { title: `${i}`, content: 'New.' })
}

function give({ administrator, ann }: World) {
  return administrator.post('/api/admin/give_credits', { id: ann.id, amount: 1 })
}

function generate({ administrator }: World) {
  return administrator.post('/api/admin/generate_beta_codes', { count: 1 })
}

async function ofUserAnn({ ann }: World) {
  return { user_id: ann.id }
}

async function ofAnn({ ann }: World) {
  return { id: ann.id }
}

function connect({ ann }: World) {
  return grantFor(ann, 'account:profile:read')
}

function makeToken({ ann }: World, i: number) {
  return ann.post('/api/create_personal_token', {
    name: `${i}`,
    scopes: ['account:profile:read'],
    expires_in_days: 1,
  })
}

function registerOne({ administrator }: World, i: number) {
  return administrator.post('/api/admin/create_application', { name: `${i}`, kind: 'service' })
}

function declare({ administrator }: World, i: number) {
  return administrator.post('/api/admin/declare_product_scope', {
    scope: `product:${'a'.repeat(i + 1)}:read`,
    description: 'Read.',
  })
}

function addWebhook({ administrator }: World, i: number) {
  return administrator.post('/api/admin/create_webhook', { url: `http://127.0.0.1:1/${i}` })
}

async function ofOneWebhook(world: World) {
  const { body } = await addWebhook(world, 0)
  return { webhook_id: body.id }
}

/** Nobody listens there; the delivery is listed. */
async function testWebhook({ administrator }: World) {
  const { body } = await administrator.post('/api/admin/list_webhooks')
  return administrator.post('/api/admin/test_webhook', { id: body.items[0].id })
}
