import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe } from 'vitest'
import { actAs, stopActing } from '../../../../test/service/acting.ts'
import { changeSettings } from '../../../../test/service/change-settings.ts'
import { addApp } from '../../../../test/service/devices/factors.ts'
import { submitted } from '../../../../test/service/feedback.ts'
import { grantFor, revoke } from '../../../../test/service/grants.ts'
import { it } from '../../../../test/service/it.ts'
import { join, organizationOf, wire } from '../../../../test/service/organizations.ts'
import { newcomer, Person, people } from '../../../../test/service/people.ts'
import type { Service } from '../../../../test/service/service.ts'
import { proven } from '../../../../test/service/staff.ts'
import { EVENT_TYPES } from '../../../rules/event-types.ts'

const text = readFileSync(new URL('../../../../docs/events.md', import.meta.url), 'utf8')

interface Told {
  readonly type: string
  readonly data: object
}

/** Each type with its example, as the table has them. */
function examples(): readonly (readonly [string, string])[] {
  const rows = [...text.matchAll(/^\| `([a-z_]+\.[a-z_]+)` .*\| `(\{.*\})` +\|$/gm)]
  return rows.map(([, type = '', example = '']) => [type, shapeOf(JSON.parse(example))])
}

/** Names and kinds of the values, in any order. */
function shapeOf(data: object): string {
  const kinds = Object.entries(data).map(([name, value]) => `${name}: ${kindOf(value)}`)
  return kinds.toSorted().join(', ')
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? `list of ${[...new Set(value.map(kindOf))].join(' and ')}` : typeof value
}

/** Causes an event of every type, through the API. */
async function everything(service: Service): Promise<void> {
  const { administrator, ann } = await people(service)
  const act = async (path: string, body: object = {}) => {
    const answer = await administrator.post(`/api/admin/${path}`, body)
    assert.equal(answer.status, 200, `${path}: ${JSON.stringify(answer.body)}`)
    return answer
  }
  await administrator.saveSettings('email', { provider: 'smtp' })
  await administrator.saveSettings('credits', { signup_reward_enabled: true, signup_reward_amount: 5 })
  const carl = await newcomer(service)
  await carl.post('/api/get_credit_summary')
  await carl.post('/api/auth/update-user', { name: 'Carl' })
  await act('update_user_data', { id: carl.id, public: { plan: 'pro' }, own: { theme: 'dark' } })
  await act('mark_verified', { id: carl.id })
  await act('suspend_user', { id: carl.id, reason: 'Sent spam.' })
  await act('restore_user', { id: carl.id })
  const { body: codes } = await act('generate_beta_codes')
  await ann.post('/api/bind_beta_code', { beta_code: codes.codes[0] })
  await act('update_feedback', { id: await submitted(ann), user_id: ann.id, status: 'done' })
  const { body: notification } = await act('create_notification', { title: 'T', content: 'C' })
  await act('archive_notification', { id: notification.id })
  const client = await grantFor(ann, 'account:profile:read')
  await revoke(ann, client.tokens.refresh_token)
  await addApp(service, ann)
  await changeSettings(service, 'authentication', { impersonation: 'read_only' })
  await actAs(administrator, ann)
  await stopActing(administrator)
  await ann.post('/api/auth/two-factor/disable', { password: ann.password })
  await proven(service, ann)
  for (const scopes of [['admin:users:read'], ['admin:users:write'], []])
    await act('update_staff', { user_id: ann.id, scopes })
  await inAnOrganization(service, administrator, ann)
  const elsewhere = new Person(service, ann.email, ann.password)
  await elsewhere.signIn()
  await elsewhere.post('/api/auth/sign-out')
}

async function inAnOrganization(service: Service, owner: Person, member: Person): Promise<void> {
  const made = await organizationOf(owner)
  const memberId = await join(service, made, member)
  const { post } = wire(owner)
  await post('update', { data: { name: 'Rowing Club' } })
  await owner.post('/api/update_organization_data', { organization_id: made.id, own: { tier: 'gold' } })
  await post('create-role', { role: 'cox', permission: { ac: ['read'] } })
  await post('update-role', { roleName: 'cox', data: { permission: { ac: ['read'] } } })
  await post('delete-role', { roleName: 'cox' })
  await post('update-member-role', { memberId, role: 'admin' })
  const { body: team } = await post('create-team', { name: 'Eight' })
  await post('update-team', { teamId: team.id, data: { name: 'Four' } })
  await post('add-team-member', { teamId: team.id, userId: member.id })
  await post('remove-team-member', { teamId: team.id, userId: member.id })
  await post('remove-team', { teamId: team.id })
  await wire(member).post('set-active', { organizationId: made.id })
  await post('remove-member', { memberIdOrEmail: memberId })
  for (const answer of ['cancel-invitation', 'reject-invitation', 'accept-invitation']) {
    const { body: invitation } = await post('invite-member', { email: member.email, role: 'member' })
    const answering = answer === 'cancel-invitation' ? owner : member
    await wire(answering).post(answer, { invitationId: invitation.id })
  }
  await owner.post('/api/admin/suspend_organization', { id: made.id, reason: 'Spam.' })
  await owner.post('/api/admin/restore_organization', { id: made.id })
  await post('delete', { organizationId: made.id })
}

async function told(service: Service): Promise<readonly Told[]> {
  await service.runJob('events')
  const { administrator } = service
  const reader = new Person(service, administrator.email, administrator.password)
  await reader.signIn()
  const { body } = await reader.post('/api/admin/list_events', { limit: 1_000 })
  return body.items
}

describe('docs/events.md', () => {
  it('names every type', () => {
    assert.deepEqual(
      examples().map(([type]) => type),
      [...EVENT_TYPES],
    )
  })

  it('shows what an event of every type contains', async ({ service }) => {
    await everything(service)
    const before = await told(service)
    const gone = await newcomer(service, 'gone@example.com')
    const { status } = await gone.post('/api/auth/delete-user', { password: gone.password })
    assert.equal(status, 200)
    const events = [...before, ...(await told(service))]

    const differing = examples().filter(
      ([type, shape]) => !events.some((event) => event.type === type && shapeOf(event.data) === shape),
    )
    const real = (type: string) => [
      ...new Set(events.filter((one) => one.type === type).map(({ data }) => shapeOf(data))),
    ]
    assert.deepEqual(
      differing.map(([type, shape]) => ({ type, shape, real: real(type) })),
      [],
    )
  })
})
