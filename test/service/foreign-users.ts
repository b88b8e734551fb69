import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import type { Imported } from '../../src/operator/user-import/at-once.ts'
import { importBetterAuth } from '../../src/operator/user-import/better-auth.ts'
import { importFirebase } from '../../src/operator/user-import/firebase.ts'
import type { Service } from './service.ts'
import { temporaryFolder } from './temporary-folder.ts'

export type Row = Readonly<Record<string, SQLInputValue>>

/** The parameters of Firebase's hashes, with a key that fits no hash. */
export const FIREBASE_HASHES = { signer_key: 'Bw==', salt_separator: 'Bw==', rounds: 8, mem_cost: 14 }

export const silent = () => undefined

export function fileWith(content: string | Buffer): string {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, content)
  return file
}

export function fromFirebase({ platform }: Service, users: readonly unknown[], hashes: object = FIREBASE_HASHES) {
  return importFirebase(platform, fileWith(JSON.stringify({ users })), fileWith(JSON.stringify(hashes)), silent)
}

export function fromBetterAuth({ platform }: Service, users: readonly Row[], accounts: readonly Row[] = []) {
  return importBetterAuth(platform, betterAuthFile(users, accounts), silent)
}

export function betterAuthUser(id: string, changes: Row = {}): Row {
  const facts = { id, name: id, email: `${id}@example.com`, emailVerified: 1, image: null }
  return { ...facts, createdAt: '2024-05-01T12:00:00.000Z', banned: null, banExpires: null, ...changes }
}

export function betterAuthAccount(userId: string, changes: Row = {}): Row {
  const facts = { userId, accountId: userId, providerId: 'credential', password: null, createdAt: 1 }
  return { ...facts, ...changes }
}

/** Has the columns that its `admin` plugin adds. */
export function betterAuthFile(users: readonly Row[], accounts: readonly Row[]): string {
  const file = fileWith('')
  using database = new DatabaseSync(file)
  database.exec(`
    create table "user" (id, name, email, "emailVerified", image, "createdAt", banned, "banExpires");
    create table account ("userId", "accountId", "providerId", password, "createdAt");
    create table session (id text);
    create table verification (id text)`)
  const addUser = database.prepare('insert into "user" values (?, ?, ?, ?, ?, ?, ?, ?)')
  const addAccount = database.prepare('insert into account values (?, ?, ?, ?, ?)')
  for (const user of users) addUser.run(...Object.values(user))
  for (const account of accounts) addAccount.run(...Object.values(account))
  return file
}

/** The users who were left out, and why. */
export function wordsOf({ imported, skipped }: Imported) {
  return { imported, skipped: skipped.map(({ who, why }) => ({ who, why })) }
}
