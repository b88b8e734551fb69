import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { type Answer, newcomer, type Person } from '../service/people.ts'
import { onStaff, proven } from '../service/staff.ts'
import { atOnce, it } from './it.ts'
import type { ScheduledStage } from './stage.ts'

const ORDERS = 30
const SCOPES = ['admin:users:read', 'admin:users:write']

interface Cast {
  readonly administrator: Person
  /** On the staff. */
  readonly ann: Person
  /** A user with a proven address. */
  readonly ben: Person
}

type Act = (cast: Cast) => Promise<Answer<{ readonly code?: string }>>

const update = (of: 'ann' | 'ben', scopes: readonly string[]): Act => {
  return (cast) => cast.administrator.post('/api/admin/update_staff', { user_id: cast[of].id, scopes })
}
const suspend = (by: 'ann' | 'administrator', of: 'ann' | 'ben'): Act => {
  return (cast) => cast[by].post('/api/admin/suspend_user', { id: cast[of].id, reason: 'Spam.' })
}
const erase = (by: 'ann' | 'administrator', of: 'ann' | 'ben'): Act => {
  return (cast) => cast[by].post('/api/admin/delete_user', { id: cast[of].id })
}

/** What is so after two acts, as a line of text. */
async function after({ administrator, ann, ben }: Cast): Promise<string> {
  const { body: staff } = await administrator.post('/api/admin/list_staff')
  const stateOf = async (name: string, person: Person) => {
    const { status, body } = await administrator.post('/api/admin/get_user', { id: person.id })
    const isMember = staff.items.some((item: { readonly user_id: string }) => item.user_id === person.id)
    const state = status === 404 ? 'deleted' : body.suspended_at === null ? 'active' : 'suspended'
    return `${name} ${state}${isMember ? ' member' : ''}`
  }
  const next = await ann.post('/api/admin/list_users')
  return [await stateOf('ann', ann), await stateOf('ben', ben), `ann’s next ${next.status}`].join(', ')
}

const REMOVED = 'ann active, ben'
const PAIRS: Readonly<Record<string, readonly [Act, Act, readonly string[]]>> = {
  'a member suspends a user while removed': [
    suspend('ann', 'ben'),
    update('ann', []),
    [`200 200: ${REMOVED} suspended, ann’s next 403`, `403 200: ${REMOVED} active, ann’s next 403`],
  ],
  'a member deletes a user while removed': [
    erase('ann', 'ben'),
    update('ann', []),
    [`200 200: ${REMOVED} deleted, ann’s next 403`, `403 200: ${REMOVED} active, ann’s next 403`],
  ],
  'a member suspends a user while suspended': [
    suspend('ann', 'ben'),
    suspend('administrator', 'ann'),
    ['200 200: ann suspended, ben suspended, ann’s next 401', '401 200: ann suspended, ben active, ann’s next 401'],
  ],
  'a member gets other scopes while suspended': [
    update('ann', ['admin:users:read']),
    suspend('administrator', 'ann'),
    ['200 200: ann suspended, ben active, ann’s next 401', '400 200: ann suspended, ben active, ann’s next 401'],
  ],
  'a member gets other scopes while deleted': [
    update('ann', ['admin:users:read']),
    erase('administrator', 'ann'),
    ['200 200: ann deleted, ben active, ann’s next 401', '404 200: ann deleted, ben active, ann’s next 401'],
  ],
  'a member suspends a user who becomes a member': [
    suspend('ann', 'ben'),
    update('ben', SCOPES),
    [
      '200 400: ann active member, ben suspended, ann’s next 200',
      '403 200: ann active member, ben active member, ann’s next 200',
    ],
  ],
  'a member deletes a user who becomes a member': [
    erase('ann', 'ben'),
    update('ben', SCOPES),
    [
      '200 404: ann active member, ben deleted, ann’s next 200',
      '403 200: ann active member, ben active member, ann’s next 200',
    ],
  ],
}

async function castOn(stage: ScheduledStage): Promise<Cast> {
  stage.startOver()
  const { service, administrator } = stage
  const ann = await newcomer(service, 'ann@example.com')
  const ben = await newcomer(service, 'ben@example.com')
  await administrator.post('/api/auth/confirm', { password: administrator.password })
  await onStaff(service, administrator, ann, ...SCOPES)
  await proven(service, ben)
  return { administrator, ann, ben }
}

describe('130. staff, statement by statement', () => {
  it.for(Object.entries(PAIRS))(
    '%s: one act comes first, and the other knows it',
    async ([, [first, second, allowed]], { stage }) => {
      for (let i = 0; i < ORDERS; i++) {
        const cast = await castOn(stage)
        const { answers, words } = await atOnce(stage, [() => first(cast), () => second(cast)], i)
        const end = `${answers.map(({ status }) => status).join(' ')}: ${await after(cast)}`
        assert.ok(allowed.includes(end), `${words}: ${end}`)
      }
    },
  )
})
