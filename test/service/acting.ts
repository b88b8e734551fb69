import { type Answer, Person } from './people.ts'
import type { Service } from './service.ts'

/** Makes the administrator's browser act as the user. */
// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
export function actAs(administrator: Person, { id }: Pick<Person, 'id'>, more: object = {}): Promise<Answer<any>> {
  return administrator.post('/api/auth/admin/impersonate-user', { userId: id, ...more })
}

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
export function stopActing(administrator: Person): Promise<Answer<any>> {
  return administrator.post('/api/auth/admin/stop-impersonating')
}

/** Another browser with the same cookies, or only with those named. */
export function copyOf(service: Service, person: Person, ...names: readonly string[]): Person {
  const copy = new Person(service, person.email, person.password)
  for (const [name, value] of person.cookies)
    if (names.length === 0 || names.includes(name)) copy.cookies.set(name, value)
  return copy
}
