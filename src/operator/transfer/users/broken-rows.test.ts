import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { describe, it, type TestContext } from '../../../../test/running/node-test.ts'
import { foreignHashes } from '../../../../test/service/foreign-hashes.ts'
import { stranger } from '../../../../test/service/people.ts'
import { type Service, startService } from '../../../../test/service/service.ts'
import { importBetterAuth } from './better-auth.ts'
import { importFirebase } from './firebase.ts'
import { importUsers } from './users-file.ts'

const MAY_2024 = Date.parse('2024-05-01T12:00:00Z')
const NO_HASHES = JSON.stringify({ signer_key: 'Bw==', salt_separator: 'Bw==', rounds: 8, mem_cost: 14 })

type Row = Readonly<Record<string, SQLInputValue>>

type Broken = readonly (readonly [what: string, field: string, row: Row])[]

const BROKEN_USERS: Broken = [
  ['an id with a control character', 'id', { id: 'a\0b' }],
  ['a name of 255 characters', 'name', { name: 'n'.repeat(255) }],
  ['an address with a local part of 65 characters', 'email', { email: `${'a'.repeat(65)}@example.com` }],
  ['a number instead of yes or no', 'emailVerified', { emailVerified: 2n ** 60n }],
  ['a word instead of a time', 'createdAt', { createdAt: 'yesterday' }],
  ['a time in nanoseconds', 'createdAt', { createdAt: 1_714_564_800_000_000_000n }],
  ['a time of zero', 'createdAt', { createdAt: 0 }],
  ['a ban that ends at no time', 'banExpires', { banned: 1, banExpires: 'tomorrow' }],
]
const BROKEN_ACCOUNTS: Broken = [
  ['bytes instead of a password hash', 'accounts.0.password', { password: new Uint8Array([1]) }],
  ['a control character in the id at a provider', 'accounts.0.accountId', { accountId: 'a\0b' }],
  ['an id of 256 characters at a provider', 'accounts.0.accountId', { accountId: 'a'.repeat(256) }],
]

describe('a database of Better Auth', () => {
  for (const [what, field, row] of BROKEN_USERS)
    it(`leaves out a user with ${what}, and imports the others`, async (t) => {
      await using service = await startService()
      const broken = userRow('ben', row)

      const result = await importBetterAuth(
        service.platform,
        theirDatabase(t, [userRow('ann'), broken, userRow('carl')]),
        () => undefined,
      )

      assert.deepEqual(result, {
        imported: 2,
        skipped: [{ who: broken.email, why: `its ${field} is malformed` }],
      })
    })

  for (const [what, field, row] of BROKEN_ACCOUNTS)
    it(`leaves out a user with ${what}, and imports the others`, async (t) => {
      await using service = await startService()
      const users = ['ann', 'ben', 'carl'].map((id) => userRow(id))

      const file = theirDatabase(t, users, [{ ...accountRow('ben'), ...row }])
      const result = await importBetterAuth(service.platform, file, () => undefined)

      assert.deepEqual(result, {
        imported: 2,
        skipped: [{ who: 'ben@example.com', why: `its ${field} is malformed` }],
      })
    })

  it('has passwords that its owner hashes in another way, which are kept, or named if they cannot be', async (t) => {
    await using service = await startService()
    const { bcrypt } = foreignHashes('a long walk in the rain')
    const accounts = [
      { ...accountRow('ann'), password: bcrypt },
      { ...accountRow('ben'), password: 'md5:5f4dcc3b5aa765d61d8327deb882cf99' },
      { ...accountRow('carl'), password: '' },
    ]

    const result = await importBetterAuth(
      service.platform,
      theirDatabase(
        t,
        ['ann', 'ben', 'carl'].map((id) => userRow(id)),
        accounts,
      ),
      () => undefined,
    )

    const why = 'its password hash has an unsupported form, or would take too long to check'
    assert.deepEqual(result, { imported: 2, skipped: [{ who: 'ben@example.com', why }] })
    assert.equal(await signIn(service, 'ann@example.com', 'a long walk in the rain'), 200)
    assert.equal(await signIn(service, 'carl@example.com', ''), 401)
  })

  it('has times as text, in seconds or in milliseconds', async (t) => {
    await using service = await startService()
    const times = ['2024-05-01T12:00:00.000Z', MAY_2024 / 1000, MAY_2024]
    const users = times.map((createdAt, at) => userRow(`user-${at}`, { createdAt }))

    await importBetterAuth(service.platform, theirDatabase(t, users), () => undefined)

    assert.deepEqual(
      await column(service, 'created_at'),
      times.map(() => MAY_2024),
    )
  })

  it('is a file: a pipe, which SQLite cannot read, is refused in words', async (t) => {
    await using service = await startService()
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-pipe-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    // Opened for both, so that nobody waits for the other end.
    await using _ends = await open(pipe, 'r+')

    await assert.rejects(
      importBetterAuth(service.platform, pipe, () => undefined),
      { name: 'TransferRefused', message: `${pipe} cannot be read; is it a SQLite database?` },
    )
  })

  it('has the end of a ban in seconds too', async (t) => {
    await using service = await startService()
    const inAnHour = Math.floor(service.clock.now() / 1000) + 3_600
    const ann = userRow('ann', { banned: 1, banExpires: inAnHour })

    await importBetterAuth(service.platform, theirDatabase(t, [ann]), () => undefined)

    assert.deepEqual(await column(service, 'suspended_at'), [service.clock.now()])
  })
})

describe('an export of Firebase', () => {
  it('leaves out what is not a user, and imports the others', async (t) => {
    await using service = await startService()
    const ann = { localId: 'a', email: 'ann@example.com' }
    const ben = { localId: 'b', email: 'ben@example.com', createdAt: 'yesterday' }
    const carl = {
      localId: 'c',
      email: 'carl@example.com',
      displayName: null,
      photoUrl: null,
      createdAt: null,
    }
    const dora = { localId: 'd', phoneNumber: '+41790000000', createdAt: '1500000000000' }
    const emil = { localId: 'e', email: 'emil@example.com', passwordHash: 'UkVEQUNURUQ=' }
    const users = fileFor(t, 'users.json', JSON.stringify({ users: [ann, null, ben, carl, dora, emil] }))

    const result = await importFirebase(
      service.platform,
      users,
      fileFor(t, 'hash.json', NO_HASHES),
      () => undefined,
    )

    const why = [
      ['user 2', 'it is not a JSON object'],
      ['user 3 (ben@example.com)', 'created_at: malformed'],
      ['user 5 (d)', 'it has no email address'],
      ['emil@example.com', 'its password hash has an unsupported form, or would take too long to check'],
    ]
    assert.deepEqual(result, { imported: 2, skipped: why.map(([who, why]) => ({ who, why })) })
  })
})

describe('a picture of an imported user', () => {
  const pictures = [
    ['https://pictures.example/a.png', 'https://pictures.example/a.png'],
    ['javascript:alert(1)', null],
    ['data:image/png;base64,AA', null],
    ['a\0b', null],
    ['https://pictures.example/a\0b', 'https://pictures.example/a%00b'],
    [`https://pictures.example/${'a'.repeat(2_048)}`, null],
  ] as const
  const sent = pictures.map(([image], at) => ({ id: `user-${at}`, email: `user-${at}@example.com`, image }))

  const imports = {
    'Better Auth': (service: Service, t: TestContext) => {
      const file = theirDatabase(
        t,
        sent.map(({ id, image }) => userRow(id, { image })),
      )
      return importBetterAuth(service.platform, file, () => undefined)
    },
    Firebase: (service: Service, t: TestContext) => {
      const users = sent.map(({ id, email, image }) => ({ localId: id, email, photoUrl: image }))
      const [file, hashes] = [JSON.stringify({ users }), NO_HASHES].map((text) => fileFor(t, 'file', text))
      return importFirebase(service.platform, file ?? '', hashes ?? '', () => undefined)
    },
    'another service': (service: Service) => importUsers(service.platform, sent, () => undefined),
  }
  for (const [from, importThem] of Object.entries(imports))
    it(`from ${from} is a web address, and anything else is not stored`, async (t) => {
      await using service = await startService()

      const { imported } = await importThem(service, t)

      assert.equal(imported, sent.length)
      assert.deepEqual(
        await column(service, 'image'),
        pictures.map(([, stored]) => stored),
      )
    })
})

async function signIn(service: Service, email: string, password: string): Promise<number> {
  return (await stranger(service).post('/api/auth/sign-in/email', { email, password })).status
}

function userRow(id: string, changes: Row = {}): Row {
  const facts = { id, name: id, email: `${id}@example.com`, emailVerified: 1, image: null }
  return { ...facts, createdAt: '2024-05-01T12:00:00.000Z', banned: null, banExpires: null, ...changes }
}

function accountRow(userId: string): Row {
  return { userId, accountId: userId, providerId: 'credential', password: null, createdAt: 1 }
}

function theirDatabase(t: TestContext, users: readonly Row[], accounts: readonly Row[] = []): string {
  const file = fileFor(t, 'theirs.sqlite', '')
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

function fileFor(t: TestContext, name: string, content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-broken-rows-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

async function column({ platform: { meta } }: Service, name: 'created_at' | 'suspended_at' | 'image') {
  const rows = await meta
    .selectFrom('user')
    .select(name)
    .where('role', '=', 'user')
    .orderBy('email')
    .execute()
  return rows.map((row) => Object.values(row)[0])
}
