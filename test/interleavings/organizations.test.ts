import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { changeSettings } from '../service/change-settings.ts'
import { join, type Made, ORGANIZATIONS, organizationOf, wire } from '../service/organizations.ts'
import { type Answer, type Person, stranger } from '../service/people.ts'
import { proven } from '../service/staff.ts'
import { atOnce, it } from './it.ts'
import type { ScheduledStage } from './stage.ts'

const ORDERS = 12
const DORA = 'dora@example.com'
const EVA = 'eva@example.com'

interface Cast {
  readonly stage: ScheduledStage
  readonly made: Made
  readonly administrator: Person
  /** Both own the organisation, in which nobody else is. */
  readonly ann: Person
  readonly ben: Person
  /** Invited by Ann, with an account. */
  readonly dora: Person
  readonly doraAgain: Person
  /** Invited by Ann, without an account. */
  readonly eva: Person
  readonly evaAgain: Person
  readonly link: string
  readonly linkOfEva: string
  /** Another organisation. */
  readonly other: string
}

type Act = (cast: Cast) => Promise<Answer<{ readonly code?: string }>>

const remove = (by: 'ann' | 'ben', of: 'ann' | 'ben'): Act => {
  return (cast) =>
    wire(cast[by]).post('remove-member', { organizationId: cast.made.id, memberIdOrEmail: cast[of].email })
}
const leave = (who: 'ann' | 'ben'): Act => {
  return (cast) => wire(cast[who]).post('leave', { organizationId: cast.made.id })
}
const deleteAccount = (who: 'ann' | 'ben'): Act => {
  return (cast) => cast[who].post('/api/auth/delete-user', { password: cast[who].password })
}
const byAdministrator = (name: string, of: 'ann' | 'ben', more: object = {}): Act => {
  return ({ administrator, made, ...cast }) =>
    administrator.post(`/api/admin/${name}`, { organization_id: made.id, user_id: cast[of].id, ...more })
}
const demote = (of: 'ann' | 'ben') => byAdministrator('update_member', of, { roles: ['member'] })
const demoteBy = (by: 'ann' | 'ben', of: 'ann' | 'ben'): Act => {
  return async (cast) => {
    const { meta } = cast.stage.service.platform
    const row = meta.selectFrom('member').select('id').where('user_id', '=', cast[of].id)
    const memberId = (await row.executeTakeFirst())?.id ?? 'gone'
    return wire(cast[by]).post('update-member-role', { organizationId: cast.made.id, memberId, role: 'member' })
  }
}
const suspendUser = (of: 'ann' | 'ben'): Act => {
  return ({ administrator, ...cast }) =>
    administrator.post('/api/admin/suspend_user', { id: cast[of].id, reason: 'Spam.' })
}

/** Each takes one of the two owners away; of two, one must stay, unless all is gone. */
const FIRST: Readonly<Record<string, Act>> = {
  'Ann leaves': leave('ann'),
  'Ann is removed by Ben': remove('ben', 'ann'),
  'Ann is demoted by Ben': demoteBy('ben', 'ann'),
  'Ann deletes her account': deleteAccount('ann'),
  'the administrator removes Ann': byAdministrator('remove_member', 'ann'),
  'the administrator demotes Ann': demote('ann'),
}
const SECOND: Readonly<Record<string, Act>> = {
  'Ben leaves': leave('ben'),
  'Ben is removed by Ann': remove('ann', 'ben'),
  'Ben is demoted by Ann': demoteBy('ann', 'ben'),
  'Ben deletes his account': deleteAccount('ben'),
  'the administrator demotes Ben': demote('ben'),
}

const accept: Act = ({ dora, link }) => wire(dora).post('accept-invitation', { invitationId: link })
const joinByLink: Act = ({ eva, linkOfEva }) =>
  eva.post('/api/auth/accept-invitation', { email: EVA, link: linkOfEva, password: eva.password })
const invite = (email: string): Act => {
  return ({ ann, made }) => wire(ann).post('invite-member', { organizationId: made.id, email, role: 'member' })
}
const aboutOrganization = (name: string, more: object = {}): Act => {
  return ({ administrator, made }) => administrator.post(`/api/admin/${name}`, { id: made.id, ...more })
}
const cancel = (email: string): Act => {
  return async ({ stage, ann }) => {
    const { meta } = stage.service.platform
    const row = meta.selectFrom('organization_invitation').select('id').where('email', '=', email)
    const { id } = await row.executeTakeFirstOrThrow()
    return wire(ann).post('cancel-invitation', { invitationId: id })
  }
}
const suspend = aboutOrganization('suspend_organization', { reason: 'Spam.' })
const erase = aboutOrganization('delete_organization')
const noSeatMore: Act = aboutOrganization('update_organization', { seats: 4 })

/** What the two answer, and how many members there are then, in each order that can be. */
const PAIRS: Readonly<Record<string, readonly [Act, Act, readonly string[]]>> = {
  'an invitation is accepted while it is canceled': [
    accept,
    cancel(DORA),
    ['200 INVITATION_NOT_FOUND: 3', 'INVITATION_NOT_FOUND 200: 2'],
  ],
  'an account is made while its invitation is canceled': [
    joinByLink,
    cancel(EVA),
    ['200 INVITATION_NOT_FOUND: 3', 'INVITATION_NOT_FOUND 200: 2'],
  ],
  'an invitation is accepted while the organisation is deleted': [
    accept,
    erase,
    ['200 200: gone', 'INVITATION_NOT_FOUND 200: gone'],
  ],
  'an account is made while the organisation is deleted': [
    joinByLink,
    erase,
    ['200 200: gone', 'INVITATION_NOT_FOUND 200: gone'],
  ],
  'an invitation is accepted while the organisation is suspended': [
    accept,
    suspend,
    ['200 200: 3', 'ORGANIZATION_SUSPENDED 200: 2'],
  ],
  'an invitation is accepted while its inviter is demoted': [
    accept,
    demote('ann'),
    ['200 200: 3', 'INVITATION_NOT_FOUND 200: 2'],
  ],
  'an invitation is accepted while its inviter deletes the account': [
    accept,
    deleteAccount('ann'),
    ['200 200: 2', 'INVITATION_NOT_FOUND 200: 1'],
  ],
  'an invitation is accepted twice': [
    accept,
    ({ doraAgain, link }) => wire(doraAgain).post('accept-invitation', { invitationId: link }),
    ['200 INVITATION_NOT_FOUND: 3', 'INVITATION_NOT_FOUND 200: 3'],
  ],
  'an account is made twice by one link': [
    joinByLink,
    ({ evaAgain, linkOfEva }) =>
      evaAgain.post('/api/auth/accept-invitation', { email: EVA, link: linkOfEva, password: evaAgain.password }),
    [
      '200 USER_ALREADY_EXISTS: 3',
      'USER_ALREADY_EXISTS 200: 3',
      '200 INVITATION_NOT_FOUND: 3',
      'INVITATION_NOT_FOUND 200: 3',
    ],
  ],
  'an account is made while somebody signs up with the address': [
    joinByLink,
    ({ evaAgain }) => evaAgain.signUp(),
    ['200 USER_ALREADY_EXISTS: 3', 'USER_ALREADY_EXISTS 200: 2'],
  ],
  'an invitation is accepted while the administrator adds the user': [
    accept,
    ({ administrator, made, dora }) =>
      administrator.post('/api/admin/add_member', { organization_id: made.id, user_id: dora.id, roles: ['member'] }),
    ['200 USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: 3', 'INVITATION_NOT_FOUND 200: 3'],
  ],
  'an invitation is accepted while the account is deleted': [
    accept,
    ({ doraAgain }) => doraAgain.post('/api/auth/delete-user', { password: doraAgain.password }),
    ['200 200: 2', 'UNAUTHORIZED 200: 2', 'INVITATION_NOT_FOUND 200: 2'],
  ],
  'an owner leaves while the administrator suspends the other': [
    leave('ann'),
    suspendUser('ben'),
    ['200 200: 1', 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER 200: 2'],
  ],
  'an owner demotes the other while the administrator suspends them': [
    demoteBy('ann', 'ben'),
    suspendUser('ann'),
    ['200 200: 2', 'UNAUTHORIZED 200: 2'],
  ],
  'two organisations take one slug': [
    ({ ann, made }) => wire(ann).post('update', { organizationId: made.id, data: { slug: 'oars' } }),
    ({ administrator, other }) => administrator.post('/api/admin/update_organization', { id: other, slug: 'oars' }),
    ['200 ORGANIZATION_SLUG_ALREADY_TAKEN: 2', 'ORGANIZATION_SLUG_ALREADY_TAKEN 200: 2'],
  ],
  'one address is invited twice': [
    invite('fay@example.com'),
    ({ ben, made }) =>
      wire(ben).post('invite-member', { organizationId: made.id, email: 'fay@example.com', role: 'member' }),
    ['200 USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION: 2', 'USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION 200: 2'],
  ],
  'the last seat is given while it is accepted': [
    accept,
    async (cast) => {
      await noSeatMore(cast)
      return invite('fay@example.com')(cast)
    },
    ['200 ORGANIZATION_MEMBERSHIP_LIMIT_REACHED: 3'],
  ],
}

async function castOn(stage: ScheduledStage): Promise<Cast> {
  stage.startOver()
  const { service, administrator } = stage
  const person = (name: string) => stranger(service, `${name}@example.com`)
  const [ann, ben, dora, eva] = [person('ann'), person('ben'), person('dora'), person('eva')]
  const [doraAgain, evaAgain] = [person('dora'), person('eva')]
  await changeSettings(service, 'email', { provider: 'smtp' })
  await changeSettings(service, 'organizations', ORGANIZATIONS)
  await administrator.post('/api/auth/confirm', { password: administrator.password })
  for (const each of [ann, ben, dora]) {
    await each.signUp()
    await proven(service, each)
  }
  await doraAgain.signIn()
  const made = await organizationOf(ann)
  await join(service, made, ben, 'owner')
  const { body: sailors } = await administrator.post('/api/admin/create_organization', { name: 'Sailors' })
  const parts = { stage, made, other: String(sailors.id), administrator, ann, ben, dora, doraAgain, eva, evaAgain }
  for (const email of [DORA, EVA])
    assert.equal((await invite(email)({ ...parts, link: '', linkOfEva: '' })).status, 200)
  const { mail } = service
  return { ...parts, link: await mail.linkFor(DORA), linkOfEva: await mail.linkFor(EVA) }
}

/** The counters are those of the rows. */
async function membersOf({ stage, made }: Cast) {
  const { meta } = stage.service.platform
  const [organization] = await meta.selectFrom('organization').selectAll().where('id', '=', made.id).execute()
  if (!organization) return undefined
  const rows = await meta.selectFrom('member').selectAll().where('organization_id', '=', made.id).execute()
  const roles = await meta.selectFrom('member_role').selectAll().where('organization_id', '=', made.id).execute()
  const suspended = await meta.selectFrom('user').select('id').where('suspended_at', 'is not', null).execute()
  const owners = rows.filter(
    ({ roles, user_id }) => roles.split(',').includes('owner') && !suspended.some(({ id }) => id === user_id),
  )
  assert.deepEqual([organization.members, organization.owners], [rows.length, owners.length])
  assert.deepEqual(
    roles.map(({ member_id, role }) => `${member_id} ${role}`).toSorted(),
    rows.flatMap(({ id, roles }) => roles.split(',').map((role) => `${id} ${role}`)).toSorted(),
  )
  return { members: rows.length, owners: owners.length, status: organization.status }
}

async function both(stage: ScheduledStage, [first, second]: readonly [Act, Act], i: number) {
  const cast = await castOn(stage)
  const { answers, words } = await atOnce(stage, [() => first(cast), () => second(cast)], i)
  const told = answers.map(({ status, body }) => body.code ?? status).join(' ')
  return { told, words: `${words}: ${told}`, left: await membersOf(cast) }
}

describe('132. organisations, statement by statement', () => {
  const owners = Object.entries(FIRST).flatMap(([one, first]) =>
    Object.entries(SECOND).map(([two, second]) => [`${one}, and ${two}`, first, second] as const),
  )

  it.for(owners)('%s: an owner stays', async ([, first, second], { stage }) => {
    for (let i = 0; i < ORDERS; i++) {
      const { told, words, left } = await both(stage, [first, second], i)
      assert.match(told, /\b200\b/, words)
      assert.ok(left === undefined || left.owners > 0, `${words}, ${JSON.stringify(left)}`)
    }
  })

  it.for(Object.entries(PAIRS))('%s: one comes first', async ([, [first, second, allowed]], { stage }) => {
    for (let i = 0; i < ORDERS; i++) {
      const { told, words, left } = await both(stage, [first, second], i)
      const members = left?.members ?? 'gone'
      assert.ok(allowed.includes(`${told}: ${members}`), `${words}: ${members}`)
    }
  })
})
