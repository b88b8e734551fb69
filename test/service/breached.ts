import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setPassword } from '../../src/features/people/account/store.ts'
import { buildFilter } from '../../src/operator/breaches/build.ts'
import { OPERATOR } from '../../src/platform/passwords/passwords.ts'
import { Person } from './people.ts'
import type { Service } from './service.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Builds the list at `path`, and replaces what is there. */
export async function listStolen(path: string, passwords: readonly string[]): Promise<void> {
  const input = join(temporaryFolder(), 'passwords.txt')
  await writeFile(input, passwords.join('\n'))
  await buildFilter([input], path, { isPlain: true, countAtLeast: 1 }, 0)
}

/** The same user with a password that was chosen before it was listed. */
export async function withPassword(service: Service, { id, email }: Person, password: string): Promise<Person> {
  const { meta, passwords, now } = service.platform
  await meta.primary.run(setPassword(meta, id, await passwords.hash(password, OPERATOR), now()))
  return new Person(service, email, password)
}
