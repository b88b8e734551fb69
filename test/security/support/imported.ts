import { randomBytes, scryptSync } from 'node:crypto'
import { Person } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'

type Credentials = Pick<Person, 'email' | 'password'>

/** The user's password is stored as another product had stored it. */
export async function asImported(service: Service, credentials: Credentials): Promise<Credentials> {
  const salt = randomBytes(16).toString('hex')
  const cost = { N: 16_384, r: 16, p: 1, maxmem: 64 * 1024 * 1024 }
  const key = scryptSync(credentials.password, salt, 64, cost).toString('hex')
  const { meta } = service.platform
  const { id } = await meta
    .selectFrom('user')
    .select('id')
    .where('email', '=', credentials.email)
    .executeTakeFirstOrThrow()
  await meta
    .updateTable('account')
    .set({ password_hash: `${salt}:${key}` })
    .where('user_id', '=', id)
    .execute()
  return credentials
}

export function fiveBrowsers(service: Service, { email, password }: Credentials): readonly Person[] {
  return Array.from({ length: 5 }, () => new Person(service, email, password))
}
