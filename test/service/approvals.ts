import type { Answer, Person } from './people.ts'

export interface Waiting {
  readonly code: string
  readonly approval_id: string
  readonly expires_at: number
}

export type Approval = 'none' | 'writes' | 'everything'

/** Sets which calls of the newest connection wait. */
export async function needs(person: Person, approval: Approval): Promise<void> {
  const [{ id }] = (await person.post('/api/list_grants')).body.items
  const { status, body } = await person.post('/api/update_grant', { id, approval })
  if (status !== 200) throw new Error(`no change: ${JSON.stringify(body)}`)
}

export function decide(person: Person, { body }: Answer<Partial<Waiting>>, approve = true) {
  return person.post('/api/decide_approval', { id: body.approval_id, approve })
}
