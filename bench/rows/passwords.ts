import { pbkdf2Sync } from 'node:crypto'
import { recommendedPasswordIterations } from '../../src/prepare.ts'
import { rawRequest } from '../load/load.ts'
import { Closing, type Folder, userId } from '../ours.ts'

const PASSWORD = 'a long walk in the rain'

/** One hash for all users: checking costs the same for each. */
export function insertPasswords(folder: Folder, count: number, iterations = recommendedPasswordIterations): void {
  const salt = Buffer.from('00112233445566ff', 'hex')
  const key = pbkdf2Sync(PASSWORD, salt, iterations, 20, 'sha1')
  const stored = `${salt.toString('hex')}:${key.toString('hex')}`
  using meta = new Closing(folder.open('meta'))
  const row = meta.prepare(
    `insert into account (id, user_id, provider, provider_account_id, password_hash, created_at, updated_at)
     values (?, ?, 'credential', ?, ?, 0, 0)`,
  )
  meta.inOneCommit(() => {
    for (let i = 0; i < count; i++) row.run(userId(i), userId(i), userId(i), stored)
  })
}

export function signInRequests(people: number): readonly string[] {
  return Array.from({ length: people }, (_, i) => signInRequest(i))
}

/** `address` counts if the server trusts this machine as a proxy. */
export function signInRequest(person: number, address?: string, password = PASSWORD): string {
  const headers = {
    'content-type': 'application/json',
    ...(address !== undefined && { 'x-forwarded-for': address }),
  }
  const body = JSON.stringify({ email: `person-${person}@example.com`, password })
  return rawRequest('POST', '/api/auth/sign-in/email', headers, body)
}
