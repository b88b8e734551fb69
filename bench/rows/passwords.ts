import { pbkdf2Sync } from 'node:crypto'
import { recommendedPasswordIterations } from '../../src/prepare.ts'
import { jsonRequest } from '../load/load.ts'
import { type Folder, insertRows, userId } from '../ours.ts'

const PASSWORD = 'a long walk in the rain'

/** One hash for all users: checking costs the same for each. */
export function insertPasswords(folder: Folder, count: number, iterations = recommendedPasswordIterations): void {
  const salt = Buffer.from('00112233445566ff', 'hex')
  const key = pbkdf2Sync(PASSWORD, salt, iterations, 20, 'sha1')
  const password_hash = `${salt.toString('hex')}:${key.toString('hex')}`
  const account = { provider: 'credential', password_hash, created_at: 0, updated_at: 0 }
  insertRows(folder, 'meta', 'account', count, (i) => {
    return { id: userId(i), user_id: userId(i), provider_account_id: userId(i), ...account }
  })
}

/** `address` counts if the server trusts this machine as a proxy. */
export function signInRequest(person: number, address = '', password = PASSWORD): string {
  const sender: Record<string, string> = address === '' ? {} : { 'x-forwarded-for': address }
  return jsonRequest('/api/auth/sign-in/email', { email: `person-${person}@example.com`, password }, sender)
}
