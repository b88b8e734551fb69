import type { Settings } from '../../src/features/ground/settings/model.ts'
import { addMember } from '../../src/features/people/memberships/statements.ts'
import { newId } from '../../src/rules/ids.ts'
import type { Person } from './people.ts'
import type { Service } from './service.ts'

const BASE = '/api/auth/organization'

/** The settings of a service whose users make organisations, for a product with two permissions and a role. */
export const ORGANIZATIONS: Partial<Settings['organizations']> = {
  creation: 'everyone',
  permissions: { project: ['create', 'delete'] },
  roles: { editor: { project: ['create'] } },
}

export interface Made {
  readonly id: string
  readonly slug: string
}

export async function organizationOf(person: Person, fields: object = {}): Promise<Made> {
  const { status, body } = await person.post(`${BASE}/create`, { name: 'Rowers', ...fields })
  if (status !== 200) throw new Error(`organisation not made: ${JSON.stringify(body)}`)
  return body
}

/** Nobody has to be invited. Returns the id of the member. */
export async function join(
  { platform: { meta, now } }: Service,
  { id }: Pick<Made, 'id'>,
  person: Person,
  ...roles: readonly string[]
): Promise<string> {
  const member = { id: newId(), organization_id: id, user_id: person.id, roles: roles.join(',') || 'member' }
  await meta.batch([...addMember(meta, { ...member, created_at: now(), last_active_at: 0 })])
  return member.id
}

/** Calls of the wire, by the name of the route. */
export function wire(person: Person) {
  return {
    post: (name: string, body: object = {}) => person.post(`${BASE}/${name}`, body),
    get: (name: string, query: Readonly<Record<string, string>> = {}) =>
      person.get(`${BASE}/${name}?${new URLSearchParams(query)}`),
  }
}

/** Somebody's invitation to the organisation that is active, with the link of its letter. */
export async function invited({ mail }: Service, person: Person, email: string, role = 'member') {
  const { status, body } = await wire(person).post('invite-member', { email, role })
  if (status !== 200) throw new Error(`not invited: ${JSON.stringify(body)}`)
  const invitationId: string = body.id
  const organizationId: string = body.organizationId
  return { invitationId, organizationId, link: await mail.linkFor(email) }
}
