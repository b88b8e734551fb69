import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { hashSync } from 'bcryptjs'
import { Client } from 'pg'
import { describe } from 'vitest'
import { importUsersFile } from '../../../src/operator/user-import/users-file.ts'
import { freshDatabase, testServer } from '../../postgres/databases.ts'
import { it as ofService } from '../../service/it.ts'
import { stranger } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'

const PASSWORD = 'a long walk in the rain'
const ANN = 'ann@example.com'
const BEN = 'ben@example.com'

/** Their database, with what the document says to run in it. */
const it = ofService.extend<{ $file: { address: string }; $test: { theirs: Theirs } }>({
  address: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
    async ({}, use) => {
      const server = await testServer()
      await use(server.url)
      await server.stop()
    },
    { scope: 'file' },
  ],
  theirs: async ({ address }, use) => {
    const { url, drop } = await freshDatabase(address)
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

describe('users of another service, by the command in docs/integrate.md', () => {
  it('come from Supabase Auth with their ids and passwords', async ({ service, theirs }) => {
    await theirs.query(`
      create schema auth;
      create table auth.users (
        id uuid primary key, email varchar(255), encrypted_password varchar(255), phone text,
        email_confirmed_at timestamptz, raw_user_meta_data jsonb, created_at timestamptz,
        banned_until timestamptz
      )`)
    const add = 'insert into auth.users values ($1, $2, $3, $4, $5, $6, $7)'
    const id = '2eb8ff89-2c9a-41ba-a5d9-894eb16e9de2'
    const hash = hashSync(PASSWORD, 4)
    await theirs.query(add, [id, ANN, hash, null, '2026-01-02', '{"name":"Ann"}', '2024-05-01'])
    const ben = '{"full_name":"Ben Ox"}'
    await theirs.query(add, [id.replace('2', '3'), BEN, '', null, null, ben, '2024-05-01'])
    await theirs.query(add, [id.replace('2', '4'), null, '', '+41', null, null, '2024-05-01'])

    const { imported, skipped } = await importLines(service, await theirs.lines('Supabase Auth'))

    assert.deepEqual([imported, skipped.map(({ who }) => who)], [2, ['line 3 (4eb8ff89-2c9a-41ba-a5d9-894eb16e9de2)']])
    const facts = { email_verified: 1, name: 'Ann', created_at: Date.parse('2024-05-01') }
    assert.deepEqual(await userOf(service, ANN), { id, ...facts })
    assert.equal((await userOf(service, BEN))?.name, 'Ben Ox')
    assert.deepEqual([await signIn(service, ANN), await signIn(service, BEN)], [200, 401])
  })

  it('come from Auth.js with their ids, and with the passwords that a product has added', async ({
    service,
    theirs,
  }) => {
    await theirs.query(`
      create table users (
        id serial primary key, name varchar(255), email varchar(255), "emailVerified" timestamptz, image text,
        password varchar(255)
      )`)
    const add = 'insert into users (name, email, "emailVerified", image, password) values ($1, $2, $3, $4, $5)'
    const picture = 'https://avatars.githubusercontent.com/ann.png'
    await theirs.query(add, ['Ann', ANN, '2026-01-02', picture, hashSync(PASSWORD, 4)])
    await theirs.query(add, [null, BEN, null, null, null])
    await using plain = await startService()

    const without = await importLines(plain, await theirs.lines('Auth.js, PostgreSQL'))
    const lines = await theirs.lines('Auth.js, PostgreSQL', (sql) =>
      sql.replace(') from', ", 'password_hash', password) from"),
    )
    const { imported, skipped } = await importLines(service, lines)

    assert.deepEqual([without.imported, imported, skipped], [2, 2, []])
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
      const lines = await theirs.lines('Auth.js, PostgreSQL', (sql) => sql.replace('from users', `from ${table}`))
      imported.push((await importLines(service, lines)).imported)
    }

    const { created_at: _, ...ben } = (await userOf(service, BEN)) ?? {}
    const row = await rowFor('Auth.js, PostgreSQL')
    assert.deepEqual([imported, ben], [[1, 1], { id: BEN, email_verified: 1, name: BEN }])
    assert.ok(row.includes('`\\"user\\"`') && row.includes('`\\"User\\"`'), row)
  })

  it('come from Auth.js in SQLite', async ({ service }) => {
    using theirs = new DatabaseSync(':memory:')
    theirs.exec(`
      create table user (id text primary key, name text, email text unique, emailVerified integer, image text);
      insert into user values
        ('theirs-1', 'Ann', '${ANN}', 1767312000000, 'https://avatars.githubusercontent.com/ann.png'),
        ('theirs-2', null, '${BEN}', null, null)`)
    const [, sql = ''] = /`sqlite3 theirs.db "(.*)" > FILE`/.exec(await rowFor('Auth.js, SQLite')) ?? []
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

/** The arguments that the shell hands to psql. */
async function commandFor(from: string): Promise<string> {
  const [, quoted] = /`psql -Atc "(.*)" > FILE`/.exec(await rowFor(from)) ?? []
  if (quoted === undefined) throw new Error(`docs/integrate.md has no command for ${from}`)
  return quoted.replaceAll('\\"', '"')
}

async function rowFor(from: string): Promise<string> {
  const page = await readFile(new URL('../../../docs/integrate.md', import.meta.url), 'utf8')
  return page.split('\n').find((line) => line.startsWith(`| ${from} `)) ?? ''
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
