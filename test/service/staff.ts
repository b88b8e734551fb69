import type { Person } from './people.ts'
import type { Service } from './service.ts'

/** Counts the address as proven, as a mailed code would. */
export async function proven({ platform: { meta, now } }: Pick<Service, 'platform'>, { id }: Person): Promise<void> {
  await meta.updateTable('user').set({ email_verified: 1, email_proven_at: now() }).where('id', '=', id).execute()
}

/** The administrator gives exactly these scopes to a user, whose address is then proven. */
export async function onStaff(
  service: Pick<Service, 'platform'>,
  administrator: Person,
  member: Person,
  ...scopes: readonly string[]
): Promise<void> {
  await proven(service, member)
  const { status, body } = await administrator.post('/api/admin/update_staff', { user_id: member.id, scopes })
  if (status !== 200) throw new Error(`not on the staff: ${JSON.stringify(body)}`)
}
