import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from '../../../../test/running/node-test.ts'
import { foreignHashes } from '../../../../test/service/foreign-hashes.ts'
import { stranger } from '../../../../test/service/people.ts'
import { type Service, startService } from '../../../../test/service/service.ts'
import { importBetterAuth } from './better-auth.ts'
import { importFirebase } from './firebase.ts'
import { importUsers } from './users-file.ts'

const PASSWORD = 'a long walk in the rain'
const SECOND_ON = 1_000

describe('a user who is kept out of another service', () => {
  it('is suspended after an import, with the password that was right', async () => {
    await using service = await startService()
    const { bcrypt: password_hash } = foreignHashes(PASSWORD)
    const users = [
      { email: 'ann@example.com', password_hash, suspended: true },
      { email: 'ben@example.com', password_hash, suspended: null },
    ]

    await importUsers(service.platform, users, () => undefined)

    assert.deepEqual(await signIn(service, 'ann@example.com'), [403, 'ACCOUNT_SUSPENDED'])
    assert.deepEqual(await signIn(service, 'ben@example.com'), [200, undefined])
  })

  it('is suspended if Better Auth has a ban that has not ended', async (t) => {
    await using service = await startService()
    const file = join(folderFor(t), 'theirs.sqlite')
    const now = service.clock.now()
    theirDatabase(file, [
      ['ann', 1, null],
      ['ben', 1, new Date(now + SECOND_ON).toISOString()],
      ['carl', 1, new Date(now - SECOND_ON).toISOString()],
      ['dora', 0, null],
      ['emil', null, null],
    ])

    const { imported } = await importBetterAuth(service.platform, file, () => undefined)

    assert.equal(imported, 5)
    assert.deepEqual(await suspended(service), ['ann@example.com', 'ben@example.com'])
  })

  it('is suspended if Firebase has disabled the account', async (t) => {
    await using service = await startService()
    const folder = folderFor(t)
    const [users, hashConfig] = [join(folder, 'users.json'), join(folder, 'hash.json')]
    const theirs = [
      { localId: 'a', email: 'ann@example.com', disabled: true },
      { localId: 'b', email: 'ben@example.com' },
    ]
    writeFileSync(users, JSON.stringify({ users: theirs }))
    const key = { signer_key: 'Bw==', salt_separator: 'Bw==', rounds: 8, mem_cost: 14 }
    writeFileSync(hashConfig, JSON.stringify(key))

    const { imported } = await importFirebase(service.platform, users, hashConfig, () => undefined)

    assert.equal(imported, 2)
    assert.deepEqual(await suspended(service), ['ann@example.com'])
  })
})

/** With the columns that its `admin` plugin adds. */
function theirDatabase(
  file: string,
  users: readonly (readonly [name: string, banned: number | null, banExpires: string | null])[],
): void {
  using database = new DatabaseSync(file)
  database.exec(`
    create table "user" (id text, name text, email text, "emailVerified" integer, image text, "createdAt" text,
      banned integer, "banExpires" text);
    create table account ("userId" text, "accountId" text, "providerId" text, password text, "createdAt" text);
    create table session (id text);
    create table verification (id text)`)
  const add = database.prepare('insert into "user" values (?, ?, ?, 1, null, ?, ?, ?)')
  for (const [name, banned, banExpires] of users)
    add.run(name, name, `${name}@example.com`, '2024-05-01T12:00:00Z', banned, banExpires)
}

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-suspended-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

async function signIn(service: Service, email: string) {
  const { status, body } = await stranger(service).post('/api/auth/sign-in/email', {
    email,
    password: PASSWORD,
  })
  return [status, body.code]
}

async function suspended({ platform: { meta } }: Service): Promise<readonly string[]> {
  const rows = await meta
    .selectFrom('user')
    .select('email')
    .where('suspended_at', 'is not', null)
    .orderBy('email')
    .execute()
  return rows.map(({ email }) => email)
}
