import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { grantFor } from '../../service/grants.ts'
import { type Answer, type Person, people, stranger } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

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

/** A list, and what makes it grow. */
const LISTS: readonly (readonly [list: string, reader: 'administrator' | 'ann', filter: object, act: Act])[] =
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
    ['/api/list_grants', 'ann', {}, ({ ann }) => grantFor(ann, 'account:profile:read')],
  ]

describe('checklist 98: total and rows', () => {
  for (const [list, reader, filter, act] of LISTS) {
    it(`of ${list} ${JSON.stringify(filter)} are of the same moment while it grows`, async () => {
      await using service = await startService()
      const { administrator, ann } = await people(service)
      const newcomer = (i: number) => stranger(service, `person-${i}@example.com`)
      const world = { administrator, ann, newcomer }
      const read = () => world[reader].post<Listed>(list, { ...filter, ...ONE_PAGE })

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
