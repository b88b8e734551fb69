import assert from 'node:assert/strict'
import { openPatiently, whileUserIsHeld } from '../../postgres/held-user.ts'
import { enableProvider } from '../../providers/journey.ts'
import { startPlainProvider } from '../../providers/plain-provider.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { userBehind } from '../../service/grants.ts'
import { type Person, people } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'

export const NEW_PASSWORD = 'a quieter walk in the snow'

/** Whether the first of two acts is first or second at the row that both need. */
export const ORDERS = ['first', 'second'] as const

type Order = (typeof ORDERS)[number]
type Act<T> = () => Promise<T>

interface Redeemed {
  readonly body: { readonly access_token?: string }
}

export async function world() {
  const service = await startService({ open: openPatiently })
  await changeSettings(service, 'email', { provider: 'smtp' })
  return { service, ...(await people(service)), [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

/** The same with a provider through which `username` can sign in. */
export async function worldWithForum(username: string) {
  const stack = new AsyncDisposableStack()
  const forum = stack.use(await startPlainProvider('community', { '/api/user': { id: 7, username } }))
  const env = { COMMUNITY_AUTH_URL: forum.url }
  const service = stack.use(await startService({ env, open: openPatiently }))
  await changeSettings(service, 'email', { provider: 'smtp' })
  await enableProvider(service, 'community')
  return { service, ...(await people(service)), [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** Both acts wait for the user's row, in the given order. Returns their results in that order. */
export function lineUp<A, B>(
  service: Service,
  { id }: Person,
  order: Order,
  act: Act<A>,
  other: Act<B>,
): Promise<readonly (A | B)[]> {
  return whileUserIsHeld<A | B>(service, id, order === 'first' ? [act, other] : [other, act])
}

export function changePassword(person: Person) {
  return person.post('/api/auth/change-password', {
    currentPassword: person.password,
    newPassword: NEW_PASSWORD,
    revokeOtherSessions: true,
  })
}

export function deleteUser(person: Person) {
  return person.post('/api/auth/delete-user', { password: person.password })
}

export function assertNoFault(answers: readonly { readonly status: number }[]): void {
  const statuses = answers.map(({ status }) => status)
  assert.ok(
    statuses.every((status) => status < 500),
    `statuses: ${statuses.join(', ')}`,
  )
  assert.ok(statuses.includes(200))
}

export async function assertNoTokenWorks(answers: readonly Redeemed[], caller: Person): Promise<void> {
  for (const { body } of answers) {
    if (body.access_token) assert.equal(await userBehind(caller, body.access_token), undefined)
  }
}
