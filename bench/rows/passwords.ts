import { pbkdf2Sync } from 'node:crypto'
import { recommendedPasswordIterations } from '../../src/prepare.ts'
import { rawRequest } from '../load/load.ts'
import { type Folder, insertRows, userId } from '../ours.ts'

const PASSWORD = 'a long walk in the rain'

/** One hash for all users: checking costs the same for each. */
export function insertPasswords(folder: Folder, count: number, iterations = recommendedPasswordIterations): void {
  const salt = Buffer.from('00112233445566ff', 'hex')
  const key = pbkdf2Sync(PASSWORD, salt, iterations, 20, 'sha1')
  const stored = `${salt.toString('hex')}:${key.toString('hex')}`
  const account = { provider: 'credential', password_hash: stored, created_at: 0, updated_at: 0 }
  const ids = Array.from({ length: count }, (_, i) => userId(i))
  const rows = ids.map((id) => ({ id, user_id: id, provider_account_id: id, ...account }))
  insertRows(folder, 'meta', 'account', rows)
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
