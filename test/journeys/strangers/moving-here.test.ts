import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { hashSync } from 'bcryptjs'
import { raw } from 'jq-wasm'
import { Client } from 'pg'
import { describe } from 'vitest'
import { importUsersFile } from '../../../src/operator/user-import/users-file.ts'
import { freshDatabase, testServer } from '../../postgres/databases.ts'
import { foreignHashes } from '../../service/foreign-hashes.ts'
import { it as ofService } from '../../service/it.ts'
import { stranger } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'

const PASSWORD = 'a long walk in the rain'
const ANN = 'ann@example.com'
const BEN = 'ben@example.com'

/** Their database, with what the document says to run in it, and a folder for their files. */
const it = ofService.extend<{ theirs: Theirs; folder: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-moving-'))
    await use(folder)
    await rm(folder, { recursive: true })
  },
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  theirs: async ({}, use) => {
    const { url, drop } = await freshDatabase(await testServer())
    const client = new Client(url)
    await client.connect()
    await use({
      query: (sql, values = []) => client.query(sql, [...values]),
      async lines(from, change = (sql) => sql) {
        const { rows } = await client.query({ text: change(await commandFor(from)), rowMode: 'array' })
        return rows.map(([line]) => JSON.stringify(line)).join('\n')
      },
    })
    await client.end()
    await drop()
  },
})

interface Theirs {
  query(sql: string, values?: readonly unknown[]): Promise<unknown>
  lines(from: string, change?: (sql: string) => string): Promise<string>
}

describe('users of another service, by the command in docs/moving-in.md', () => {
  it('come from Supabase Auth with their ids and passwords', async ({ service, theirs }) => {
    await theirs.query(`
      create schema auth;
      create table auth.users (
        id uuid primary key, email varchar(255), encrypted_password varchar(255), phone text,
        email_confirmed_at timestamptz, raw_user_meta_data jsonb, created_at timestamptz,
        banned_until timestamptz, deleted_at timestamptz, is_anonymous boolean not null default false,
        is_sso_user boolean not null default false
      );
      create table auth.identities (user_id uuid, provider text, provider_id text)`)
    const add = 'insert into auth.users values ($1, $2, $3, $4, $5, $6, $7)'
    const id = '2eb8ff89-2c9a-41ba-a5d9-894eb16e9de2'
    const hash = hashSync(PASSWORD, 4)
    await theirs.query(add, [id, ANN, hash, null, '2026-01-02', '{"name":"Ann"}', '2024-05-01'])
    const ben = '{"full_name":"Ben Ox"}'
    await theirs.query(add, [id.replace('2', '3'), BEN, '', null, null, ben, '2024-05-01'])
    await theirs.query(add, [id.replace('2', '4'), null, '', '+41', null, null, '2024-05-01'])
    for (const [at, what] of ['deleted_at = now()', 'is_anonymous = true', 'banned_until = now()'].entries()) {
      const other = id.replace('2', String(5 + at))
      await theirs.query(add, [other, `user-${at}@example.com`, '', null, null, null, '2024-05-01'])
      await theirs.query(`update auth.users set ${what} where id = $1`, [other])
    }
    for (const identity of [
      [id, 'email', id],
      [id, 'google', '4711'],
      [id.replace('2', '3'), 'facebook', '12'],
    ])
      await theirs.query('insert into auth.identities values ($1, $2, $3)', identity)

    const { imported, accounts, passwords, notTaken, skipped } = await importLines(
      service,
      await theirs.lines('Supabase Auth'),
    )

    assert.deepEqual([imported, accounts, passwords, skipped], [3, 1, 1, []])
    assert.deepEqual([...notTaken], [['facebook accounts', 1]])
    const facts = { email_verified: 1, name: 'Ann', created_at: Date.parse('2024-05-01') }
    assert.deepEqual(await userOf(service, ANN), { id, ...facts })
    assert.equal((await userOf(service, BEN))?.name, 'Ben Ox')
    assert.deepEqual([await signIn(service, ANN), await signIn(service, BEN)], [200, 401])
  })

  it('come from Django with the form of passwords that it uses by default', async ({ service, theirs }) => {
    await theirs.query(`
      create table auth_user (
        id int primary key, password varchar(128) not null, last_login timestamptz, email varchar(254) not null,
        first_name varchar(150) not null, last_name varchar(150) not null, is_active boolean not null,
        date_joined timestamptz not null
      )`)
    const add = 'insert into auth_user values ($1, $2, $3, $4, $5, $6, $7, $8)'
    const hash = foreignHashes(PASSWORD)['PBKDF2 of Django']
    await theirs.query(add, [1, hash, '2024-06-01', ANN, 'Ann', 'Ox', true, '2024-05-01'])
    await theirs.query(add, [2, hash, null, ANN, 'Another', 'Ann', true, '2023-05-01'])
    await theirs.query(add, [3, `!${'x'.repeat(40)}`, null, BEN, '', '', true, '2024-05-01'])
    await theirs.query(add, [4, hash, null, '', 'No', 'Address', true, '2024-05-01'])
    await theirs.query(add, [5, hash, null, 'carl@example.com', 'Carl', '', false, '2024-05-01'])

    const { imported, passwords, skipped } = await importLines(service, await theirs.lines('Django'))

    assert.deepEqual([imported, passwords, skipped.length], [3, 2, 1])
    const facts = { email_verified: 0, name: 'Ann Ox', created_at: Date.parse('2024-05-01') }
    assert.deepEqual(await userOf(service, ANN), { id: '1', ...facts })
    assert.deepEqual(
      [await signIn(service, ANN), await signIn(service, BEN), await signIn(service, 'carl@example.com')],
      [200, 401, 403],
    )
  })

  it('come from Auth.js with their ids, and with the passwords that a product has added', async ({
    service,
    theirs,
  }) => {
    await theirs.query(`
      create table users (
        id serial primary key, name varchar(255), email varchar(255), "emailVerified" timestamptz, image text,
        password varchar(255)
      );
      create table accounts ("userId" int, type text, provider text, "providerAccountId" text)`)
    const add = 'insert into users (name, email, "emailVerified", image, password) values ($1, $2, $3, $4, $5)'
    const picture = 'https://avatars.githubusercontent.com/ann.png'
    await theirs.query(add, ['Ann', ANN, '2026-01-02', picture, hashSync(PASSWORD, 4)])
    await theirs.query(add, [null, BEN, null, null, null])
    await theirs.query(`insert into accounts values (1, 'oauth', 'github', '12'), (2, 'email', 'email', 'x')`)
    await using plain = await startService()

    const without = await importLines(plain, await theirs.lines('Auth.js, PostgreSQL'))
    const lines = await theirs.lines('Auth.js, PostgreSQL', (sql) =>
      sql.replace("'image', image,", "'image', image, 'password_hash', password,"),
    )
    const { imported, skipped } = await importLines(service, lines)

    assert.deepEqual([without.imported, without.accounts, imported, skipped], [2, 1, 2, []])
    const { created_at: _, ...ann } = (await userOf(service, ANN)) ?? {}
    assert.deepEqual(ann, { id: '1', email_verified: 1, name: 'Ann' })
    assert.deepEqual([await signIn(plain, ANN), await signIn(service, ANN)], [401, 200])
  })

  it('come from Auth.js with Drizzle or Prisma, which name the table differently', async ({ service, theirs }) => {
    const imported: number[] = []

    for (const [table, email] of [
      ['"user"', ANN],
      ['"User"', BEN],
    ] as const) {
      await theirs.query(
        `create table ${table} (id text primary key, name text, email text unique, "emailVerified" timestamp, image text)`,
      )
      await theirs.query(`insert into ${table} values ($1, $1, $1, '2026-01-02', null)`, [email])
      const accounts = table.replace('ser', 'serAccount')
      await theirs.query(`create table ${accounts} ("userId" text, type text, provider text, "providerAccountId" text)`)
      const lines = await theirs.lines('Auth.js, PostgreSQL', (sql) =>
        sql.replace('from users', `from ${table}`).replace('from accounts', `from ${accounts}`),
      )
      imported.push((await importLines(service, lines)).imported)
    }

    const { created_at: _, ...ben } = (await userOf(service, BEN)) ?? {}
    assert.deepEqual([imported, ben], [[1, 1], { id: BEN, email_verified: 1, name: BEN }])
  })

  it('come from Auth0 with the ids that products know, passwords and accounts at Google', async ({ service }) => {
    const id = '60425dc43519d90068f82973'
    const passwords = { _id: { $oid: id }, email: ANN, passwordHash: hashSync(PASSWORD, 4), tenant: 'theirs' }
    const facts = { email_verified: true, name: 'Ann', created_at: '2024-05-01T00:00:00.000Z' }
    const identities = [
      { provider: 'auth0', user_id: id },
      { provider: 'google-oauth2', user_id: '4711' },
    ]
    const users = [
      { ...facts, user_id: `auth0|${id}`, email: ANN, identities },
      { ...facts, user_id: 'google-oauth2|12', email: BEN, identities: [{ provider: 'google-oauth2', user_id: '12' }] },
      { ...facts, user_id: 'github|7', email: 'carl@example.com', blocked: true, identities: [] },
      { ...facts, user_id: 'sms|9', phone_number: '+41', identities: [{ provider: 'sms', user_id: '9' }] },
    ]
    const filter = await commandFor('Auth0', "jq -cn '", "' \\\n")
    const lines = await raw([passwords, ...users].map((line) => JSON.stringify(line)).join('\n'), filter, ['-c', '-n'])

    const { imported, accounts, passwords: taken, skipped } = await importLines(service, lines)

    assert.deepEqual([imported, accounts, taken, skipped], [3, 2, 1, []])
    const { created_at: _, ...ann } = (await userOf(service, ANN)) ?? {}
    assert.deepEqual(ann, { id: `auth0|${id}`, email_verified: 1, name: 'Ann' })
    assert.deepEqual([await signIn(service, ANN), await signIn(service, BEN)], [200, 401])
  })

  it('come from Clerk, whose export has passwords and no links to providers', async ({ service, folder }) => {
    const head =
      'id,first_name,last_name,username,primary_email_address,primary_phone_number,verified_email_addresses,' +
      'unverified_email_addresses,verified_phone_numbers,unverified_phone_numbers,totp_secret,password_digest,password_hasher'
    const rows = [
      `user_1,Ann,"Ox, the first",ann,${ANN},,old@example.com|${ANN},,,,,${hashSync(PASSWORD, 4)},bcrypt`,
      `user_2,,,,${BEN},,,${BEN},,,,a-digest,md5`,
      'user_3,No,Address,,,+41,,,+41,,,,',
    ]
    await writeFile(join(folder, 'clerk.csv'), `\ufeff${[head, ...rows].join('\r\n')}\r\n`)
    const script = await commandFor('Clerk', "python3 -c '", "' > FILE")
    const lines = execFileSync('python3', ['-c', script], { cwd: folder, encoding: 'utf8' })

    const { imported, passwords, skipped } = await importLines(service, lines)

    assert.deepEqual([imported, passwords, skipped], [2, 1, []])
    const users = [await userOf(service, ANN), await userOf(service, BEN)]
    assert.deepEqual(
      users.map((user) => [user?.id, user?.email_verified, user?.name]),
      [
        ['user_1', 1, 'Ann Ox, the first'],
        ['user_2', 0, BEN],
      ],
    )
    assert.deepEqual([await signIn(service, ANN), await signIn(service, BEN)], [200, 401])
  })

  it('come from Keycloak with their ids and accounts at providers, and reset their passwords', async ({ service }) => {
    const credentials = [{ type: 'password', secretData: '{}', credentialData: '{"algorithm":"argon2"}' }]
    const users = [
      {
        ...{
          id: 'f0b1',
          username: 'ann',
          email: ANN,
          emailVerified: true,
          enabled: true,
          firstName: 'Ann',
          lastName: 'Ox',
        },
        ...{ createdTimestamp: Date.parse('2024-05-01'), credentials },
        federatedIdentities: [{ identityProvider: 'google', userId: '4711', userName: ANN }],
      },
      { id: 'f0b2', username: 'ben', email: BEN, emailVerified: false, enabled: false, createdTimestamp: 1 },
      { id: 'f0b3', username: 'service-account-shop', email: 'shop@example.com', serviceAccountClientId: 'shop' },
      { id: 'f0b4', username: 'without-an-address', enabled: true },
    ]
    const filter = await commandFor('Keycloak', "jq -c '", "' \\\n")
    const lines = await raw(JSON.stringify({ realm: 'shop', users }), filter, ['-c'])

    const { imported, accounts, passwords, skipped } = await importLines(service, lines)

    assert.deepEqual([imported, accounts, passwords, skipped], [2, 1, 0, []])
    const facts = { email_verified: 1, name: 'Ann Ox', created_at: Date.parse('2024-05-01') }
    assert.deepEqual(await userOf(service, ANN), { id: 'f0b1', ...facts })
    const { platform } = service
    const ben = platform.meta.selectFrom('user').select('suspended_at').where('email', '=', BEN)
    assert.notEqual((await ben.executeTakeFirstOrThrow()).suspended_at, null)
  })

  it('come from Auth.js in SQLite', async ({ service }) => {
    using theirs = new DatabaseSync(':memory:')
    theirs.exec(`
      create table user (id text primary key, name text, email text unique, emailVerified integer, image text);
      insert into user values
        ('theirs-1', 'Ann', '${ANN}', 1767312000000, 'https://avatars.githubusercontent.com/ann.png'),
        ('theirs-2', null, '${BEN}', null, null)`)
    const sql = await commandFor('Auth.js, SQLite', 'sqlite3 theirs.db "')
    const lines = theirs.prepare(sql).all().flatMap(Object.values).join('\n')

    const { imported, skipped } = await importLines(service, lines)

    const users = [await userOf(service, ANN), await userOf(service, BEN)]
    assert.deepEqual([imported, skipped], [2, []])
    assert.deepEqual(
      users.map((user) => [user?.id, user?.email_verified, user?.name]),
      [
        ['theirs-1', 1, 'Ann'],
        ['theirs-2', 0, BEN],
      ],
    )
  })
})

/** The argument that the shell hands to the program. */
async function commandFor(from: string, begin = 'psql -Atc "', end = '" > FILE'): Promise<string> {
  const page = await readFile(new URL('../../../docs/moving-in.md', import.meta.url), 'utf8')
  const part = page.slice(page.indexOf(`**${from}**`))
  const command = part.slice(part.indexOf(begin) + begin.length, part.indexOf(end))
  if (!page.includes(`**${from}**`)) throw new Error(`docs/moving-in.md has no command for ${from}`)
  return command.replaceAll('\\"', '"')
}

async function importLines(service: Service, lines: string) {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-moving-'))
  const file = join(folder, 'users.jsonl')
  await writeFile(file, lines)
  const result = await importUsersFile(service.platform, file, () => undefined)
  await rm(folder, { recursive: true })
  return result
}

function userOf({ platform: { meta } }: Service, email: string) {
  return meta
    .selectFrom('user')
    .select(['id', 'email_verified', 'name', 'created_at'])
    .where('email', '=', email)
    .executeTakeFirst()
}

async function signIn(service: Service, email: string): Promise<number> {
  return (await stranger(service).post('/api/auth/sign-in/email', { email, password: PASSWORD })).status
}
