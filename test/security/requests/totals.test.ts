import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { z } from 'zod'
import { routes } from '../../../src/app.ts'
import type { Route } from '../../../src/http/route.ts'
import { actAs } from '../../service/acting.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { grantFor } from '../../service/grants.ts'
import { it } from '../../service/it.ts'
import { inNewBrowser } from '../../service/new-browser.ts'
import { type Answer, newcomer, type Person } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'

const declared: readonly Route[] = routes

const ROUNDS = 8
const AT_ONCE = 4
// No list grows past one page, so each has as many rows as its total says.
const ONE_PAGE = { page: 1, page_size: 100 }

interface World {
  readonly service: Service
  readonly administrator: Person
  readonly ann: Person
}

type Act = (world: World, i: number) => Promise<unknown>
type Filter = object | ((world: World) => Promise<object>)

async function whereAllowed({ service }: World) {
  await changeSettings(service, 'authentication', { impersonation: 'read_only' })
  return {}
}
/** Each from a session of its own. */
const actOnce: Act = async ({ service, administrator, ann }) => {
  const elsewhere = inNewBrowser(service, administrator)
  await elsewhere.signIn()
  return actAs(elsewhere, ann)
}
const submit: Act = ({ ann }, i) => ann.post('/api/submit_feedback', { type: 'idea', content: `${i} owls` })
const publish: Act = ({ administrator }, i) =>
  administrator.post('/api/admin/create_notification', { title: `${i}`, content: 'New.' })
const give: Act = ({ administrator, ann }) => administrator.post('/api/admin/give_credits', { id: ann.id, amount: 1 })
const generate: Act = ({ administrator }) => administrator.post('/api/admin/generate_beta_codes', { count: 1 })
const connect: Act = ({ ann }) => grantFor(ann, 'account:profile:read')
const tools = new WeakMap<Service, ReturnType<typeof waitingTool>[]>()
async function waitingTool({ ann }: World) {
  const tool = await grantFor(ann, 'operations:feedback:write')
  const { id } = (await ann.post('/api/list_grants')).body.items[0]
  await ann.post('/api/update_grant', { id, approval: 'writes' })
  return { id, tool }
}
/** Ten calls of each tool can wait. Tools are connected in turn. */
async function toolOf(world: World, i = 0) {
  const known = tools.get(world.service) ?? []
  tools.set(world.service, known)
  while (known.length * 10 <= i) known.push(Promise.allSettled(known).then(() => waitingTool(world)))
  return known[Math.floor(i / 10)] ?? assert.fail()
}
const ask: Act = async (world, i) => {
  const { tool } = await toolOf(world, i)
  return tool.post('/api/submit_feedback', { type: 'idea', content: `${i} owls` })
}
/** Beyond ten, calls are refused, and listed all the same. */
const ofOneTool: Act = (world) => ask(world, 0)
const ofGrant = async (world: World) => ({ id: (await toolOf(world)).id })
const makeToken: Act = ({ ann }, i) => {
  const sent = { name: `${i}`, scopes: ['account:profile:read'], expires_in_days: 1 }
  return ann.post('/api/create_personal_token', sent)
}
const register: Act = ({ administrator }, i) =>
  administrator.post('/api/admin/create_application', { name: `${i}`, kind: 'service' })
const declare: Act = ({ administrator }, i) => {
  const sent = { scope: `product:${'a'.repeat(i + 1)}:read`, description: 'Read.' }
  return administrator.post('/api/admin/declare_product_scope', sent)
}
const addWebhook = ({ administrator }: World, i: number) =>
  administrator.post('/api/admin/create_webhook', { url: `http://127.0.0.1:1/${i}` })
/** Nobody listens there; the delivery is listed. */
const testWebhook: Act = async ({ administrator }) => {
  const { body } = await administrator.post('/api/admin/list_webhooks')
  return administrator.post('/api/admin/test_webhook', { id: body.items[0].id })
}

const organize: Act = ({ administrator }, i) => administrator.post('/api/admin/create_organization', { name: `${i}` })
const ofOneOrganization = async (world: World) => {
  await organize(world, 0)
  const { body } = await world.administrator.post('/api/admin/list_organizations')
  return { organization_id: body.items[0].id }
}
const addMember: Act = async ({ service, administrator }, i) => {
  const { id: user_id } = await newcomer(service, `person-${i}@example.com`)
  const { body } = await administrator.post('/api/admin/list_organizations')
  const sent = { organization_id: body.items[0].id, user_id, roles: ['member'] }
  return administrator.post('/api/admin/add_member', sent)
}

const ofUserAnn = async ({ ann }: World) => ({ user_id: ann.id })
const ofAnn = async ({ ann }: World) => ({ id: ann.id })
const ofOneWebhook = async (world: World) => ({ webhook_id: (await addWebhook(world, 0)).body.id })

/** A list, and what makes it grow. */
const LISTS: readonly (readonly [list: string, reader: 'administrator' | 'ann', filter: Filter, act: Act])[] = [
  ['/api/list_own_feedbacks', 'ann', {}, submit],
  ['/api/list_impersonations', 'ann', whereAllowed, actOnce],
  ['/api/admin/list_users', 'administrator', {}, (w, i) => newcomer(w.service, `person-${i}@example.com`)],
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
  ['/api/list_approvals', 'ann', {}, ask],
  ['/api/list_grant_acts', 'ann', ofGrant, ofOneTool],
  ['/api/list_personal_tokens', 'ann', {}, makeToken],
  ['/api/admin/list_user_grants', 'administrator', ofUserAnn, connect],
  ['/api/admin/list_user_credits', 'administrator', ofAnn, give],
  ['/api/admin/list_applications', 'administrator', {}, register],
  ['/api/admin/list_product_scopes', 'administrator', {}, declare],
  ['/api/list_product_scopes', 'ann', {}, declare],
  ['/api/admin/list_organizations', 'administrator', {}, organize],
  ['/api/admin/list_organizations', 'administrator', { status: 'ownerless' }, organize],
  ['/api/admin/list_organization_members', 'administrator', ofOneOrganization, addMember],
  ['/api/admin/list_webhooks', 'administrator', {}, addWebhook],
  ['/api/admin/list_webhook_deliveries', 'administrator', ofOneWebhook, testWebhook],
]

/** Lists whose total is the number of rows that were read: from the settings, or by one statement. */
const COUNTED = [
  '/api/admin/list_application_refusals',
  '/api/admin/list_verifiers',
  '/api/admin/list_shards',
  '/api/admin/list_staff',
  '/api/auth/organization/list-members',
  '/api/admin/list_views',
  '/api/admin/list_replies',
  '/api/admin/list_product_pages',
  '/api/admin/list_hook_answers',
]

interface Listed {
  readonly items: readonly unknown[]
  readonly total: number
}

describe('checklist 98: total and rows', () => {
  it.override('options', { env: { WEBHOOK_NETWORKS: '127.0.0.0/8' } })

  it('are tested for every list that can grow', () => {
    const lists = declared.filter(({ output }) => output instanceof z.ZodObject && 'total' in output.shape)

    const tested = new Set([...LISTS.map(([list]) => list), ...COUNTED])
    assert.deepEqual(new Set(lists.map(({ path }) => path)), tested)
  })

  for (const [list, reader, filter, act] of LISTS) {
    const of = typeof filter === 'function' ? filter.name : JSON.stringify(filter)
    it(`of ${list} ${of} are of the same moment while it grows`, async ({ service, administrator, ann }) => {
      const world = { service, administrator, ann }
      const sent = { ...(typeof filter === 'function' ? await filter(world) : filter), ...ONE_PAGE }
      const answers: Answer<Listed>[] = []
      const read = async () => {
        const answer = await world[reader].post<Listed>(list, sent)
        answers.push(answer)
        return answer.body.total
      }

      const first = await read()
      for (let round = 0; round < ROUNDS; round++) {
        const numbers = Array.from({ length: AT_ONCE }, (_, i) => round * AT_ONCE + i)
        await Promise.all(numbers.flatMap((i) => [read(), act(world, i), read()]))
      }
      const last = await read()

      for (const { status, body } of answers)
        assert.deepEqual([status, body.items?.length], [200, body.total], JSON.stringify(body))
      assert.equal(last - first, ROUNDS * AT_ONCE)
    })
  }
})
