import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { describe } from 'vitest'
import type { Installation } from '../processes/installation.ts'
import { it } from '../processes/it.ts'
import { environmentOf } from '../processes/new-stores.ts'
import { Person } from '../service/people.ts'

/** Follows docs/postgresql.md: a database, a schema for each shard, the same ids. */
const IDS = ['apac-1', 'weur-1', 'oc-1'] as const

/** Served for a while, then stopped. */
async function livedIn(program: Installation) {
  const credentials = await program.prepare()
  const life = await program.serve()
  const ann = await life.signedUp('ann')
  const administrator = await life.signedIn(credentials)
  await administrator.saveSettings('authentication', {
    provider_a_client_id: 'an-id',
    provider_a_client_secret: { action: 'replace', value: 'a client secret' },
    email_user_action_cooldown_seconds: 77,
  })
  await administrator.post('/api/admin/create_notification', { title: 'Hello', content: 'All' })
  for (const content of ['one', 'two\u2028in two lines', 'three'])
    await ann.post('/api/submit_feedback', { type: 'idea', content })
  await ann.post('/api/read_all_notifications')
  await life.end()
  return { ann, administrator }
}

describe('an embedded installation becomes one on PostgreSQL', () => {
  it('with its people, passwords, sessions, feedback, marks and settings', async ({ program, places }) => {
    const { ann, administrator } = await livedIn(program)
    const file = join(program.dataDir, 'all.jsonl')
    const plain = join(program.dataDir, 'plain.jsonl')
    const env = await places.empty(...IDS)

    const exported = await program.run(['export', file, '--with-secrets'])
    await program.run(['export', plain])
    const imported = await program.run(['import', file], env)
    const life = await program.serve(env)

    assert.equal(exported.code, 0, exported.stderr)
    assert.equal(imported.code, 0, imported.stderr)
    const hasSecret = [file, plain].map((one) => readFileSync(one, 'utf8').includes('a client secret'))
    assert.deepEqual(hasSecret, [true, false])
    assert.equal(statSync(file).mode & 0o777, 0o600)
    const again = await life.signedIn(ann)
    const notifications = await life.meets(ann).post('/api/list_notifications')
    assert.equal(again.id, ann.id)
    assert.deepEqual(
      notifications.body.items.map((item: { title: string; read: boolean }) => [item.title, item.read]),
      [['Hello', true]],
    )
    const there = life.meets(administrator)
    const feedback = await there.post('/api/admin/list_feedbacks', { user_id: ann.id })
    const { body: config } = await there.post('/api/admin/get_authentication_config')
    assert.deepEqual(
      [feedback.body.total, config.email_user_action_cooldown_seconds, config.provider_a_client_secret_configured],
      [3, 77, true],
    )
    const verified = await program.run(['shards', 'verify'], env)
    assert.deepEqual([verified.code, verified.stdout], [0, ''])
    assert.doesNotMatch((await life.end()).stdout, /Password/)
  })

  it('an import that was stopped is repeated; any other file, and a place with users, are refused', async ({
    program,
    places,
  }) => {
    await program.run(['prepare'])
    const file = join(program.dataDir, 'all.jsonl')
    const cut = join(program.dataDir, 'cut.jsonl')
    const other = join(program.dataDir, 'other.jsonl')
    await program.run(['export', file])
    await program.run(['export', other])
    const lines = readFileSync(file, 'utf8').split('\n')
    writeFileSync(cut, lines.slice(0, lines.length / 2).join('\n'))
    const env = await places.empty(...IDS)

    const stopped = await program.run(['import', cut], env)
    const refused = await program.run(['import', other], env)
    const repeated = await program.run(['import', file], env)
    const late = await program.run(['import', other], env)

    assert.deepEqual([stopped.code, refused.code, repeated.code, late.code], [1, 1, 0, 1], repeated.stderr)
    assert.match(
      stopped.stderr,
      /gatehouse: the file was cut short; import the whole one, or export again and import into empty stores\n$/,
    )
    assert.match(
      refused.stderr,
      /another file has been imported in part; finish that import, or import into empty stores\n$/,
    )
    assert.match(late.stderr, /there are users already/)
  })

  it('a file that is not an export, or one of other shards, leaves the place empty', async ({ program, elsewhere }) => {
    const [all, notes, empty] = ['all.jsonl', 'notes.txt', 'empty'].map((name) => join(program.dataDir, name))
    await program.run(['prepare'])
    await program.run(['export', all ?? ''])
    writeFileSync(notes ?? '', 'Some notes.')
    writeFileSync(empty ?? '', '')
    const env = environmentOf(['eu-1'], (id) => join(elsewhere.dataDir, `${id}.sqlite`))

    const refused = [await elsewhere.run(['import', notes ?? '']), await elsewhere.run(['import', empty ?? ''])]
    const ofOthers = await elsewhere.run(['import', all ?? ''], env)

    assert.deepEqual(
      [...refused, ofOthers].map(({ code }) => code),
      [1, 1, 1],
    )
    assert.match(ofOthers.stderr, /SHARDS must list apac-1, oc-1, weur-1/)
    const made = readdirSync(elsewhere.dataDir).filter((name) => /secrets|sqlite/.test(name))
    assert.deepEqual(made, [])
  })

  it('nothing but the same import uses stores that were imported in part', async ({ program, places }) => {
    await program.run(['prepare'])
    const file = join(program.dataDir, 'all.jsonl')
    const cut = join(program.dataDir, 'cut.jsonl')
    await program.run(['export', file])
    const lines = readFileSync(file, 'utf8').split('\n')
    for (const part of [2, lines.length - 2]) {
      writeFileSync(cut, lines.slice(0, part).join('\n'))
      const env = await places.empty(...IDS)
      await program.run(['import', cut], env)

      const others = [['prepare'], ['serve'], ['shards', 'list'], ['export', '-']]
      const refused = await Promise.all(others.map((words) => program.run(words, env)))
      const repeated = await program.run(['import', file], env)
      const prepared = await program.run(['prepare'], env)

      for (const { code, stdout, stderr } of refused) {
        assert.deepEqual([code, stdout], [1, ''])
        assert.match(stderr, /is not finished; run `gatehouse import` again with the same file\n$/)
      }
      assert.equal(repeated.code, 0, repeated.stderr)
      assert.deepEqual([prepared.code, prepared.stdout], [0, ''], 'the administrator is the imported one')
    }
  })

  it('is refused while the service runs, into a file that exists, and if SHARDS does not name what the file has', async ({
    program,
    places,
  }) => {
    await program.run(['prepare'])
    const file = join(program.dataDir, 'all.jsonl')
    await program.run(['export', file])
    const { child } = await program.serve()
    const { DATABASE_URL = '', SHARDS = '' } = await places.empty(...IDS)
    const [first = ''] = SHARDS.split(',')

    const again = join(program.dataDir, 'again.jsonl')
    const serving = await program.run(['export', again])
    const taken = await program.run(['export', file])
    const fewer = await program.run(['import', file], { DATABASE_URL, SHARDS: first })

    assert.ok(serving.stderr.includes(`in use by process ${child.pid}`), serving.stderr)
    assert.equal(existsSync(again), false)
    assert.equal(taken.stderr, `gatehouse: ${file} already exists; choose another file\n`)
    assert.match(readFileSync(file, 'utf8'), /\{"end":true,"rows":\d+\}\n$/)
    assert.match(fewer.stderr, /SHARDS must list apac-1, oc-1, weur-1/)
  })
})

describe('people of a better-auth service', () => {
  it('sign in with their old password, which is then hashed as ours', async ({ program }) => {
    const file = join(program.dataDir, 'theirs.sqlite')
    await theirDatabase(file)
    await program.prepare()

    const imported = await program.run(['import', '--from', 'better-auth', file])
    const again = await program.run(['import', '--from', 'better-auth', file])
    const life = await program.serve()
    const signIn = (password: string) => new Person(life, 'ann@example.com', password).signIn()
    const lengths = () => accountsOf(program).flatMap(({ length }) => length ?? [])
    const before = lengths()
    const wrong = await signIn('not her password')
    const right = await signIn('a long walk in the rain')
    const after = lengths()
    const next = await signIn('a long walk in the rain')

    assert.equal(imported.code, 0, imported.stderr)
    assert.match(
      imported.stdout,
      /^taken: 2 users, 1 accounts at providers, 2 passwords\nnot taken: 1 unknown accounts\n$/,
    )
    assert.match(again.stderr, /left out: ann@example\.com, the address or account already exists here/)
    assert.deepEqual([again.code, statSync(`${file}.left-out.jsonl`).mode & 0o777], [1, 0o600])
    const leftOut = readFileSync(`${file}.left-out.jsonl`, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const reason = 'the address or account already exists here'
    assert.deepEqual(
      leftOut.map(({ line, reason }) => [line, reason]),
      [
        [1, reason],
        [2, reason],
      ],
    )
    assert.deepEqual(leftOut.map(({ email }) => email).toSorted(), ['ann@example.com', 'ben@example.com'])
    assert.deepEqual([wrong.status, right.status, next.status], [401, 200, 200])
    const { createdAt } = Object(right.body.user)
    assert.equal(createdAt, '2025-01-02T03:04:05.678Z')
    assert.deepEqual([before, new Set(after)], [[161, 161], new Set([57, 161])])
    const providers = accountsOf(program).map(({ provider }) => provider)
    assert.deepEqual(providers, ['credential', 'credential', 'provider_b'])
  })

  it('cannot be added while another process uses the data folder, and are added once it has ended', async ({
    program,
  }) => {
    const file = join(program.dataDir, 'theirs.sqlite')
    await theirDatabase(file)
    const { child, output } = await program.serve()

    const refused = await program.run(['import', '--from', 'better-auth', file])
    child.kill('SIGTERM')
    await output
    const imported = await program.run(['import', '--from', 'better-auth', file])

    assert.deepEqual([refused.code, refused.stdout], [1, ''])
    assert.match(refused.stderr, new RegExp(`is in use by process ${child.pid}; stop it first`))
    assert.match(
      imported.stdout,
      /^taken: 2 users, 1 accounts at providers, 2 passwords\nnot taken: 1 unknown accounts\n$/,
    )
  })

  it.for<[string, string, RegExp]>([
    ['that is not its database', '', /has no table user; is it a database of better-auth\?\n$/],
    [
      'with other names for its columns',
      `create table user (id text, name text, email text, email_verified int, image text, created_at int);
       create table account (id text, account_id text, provider_id text, user_id text, password text);
       create table session (id text); create table verification (id text)`,
      /(^|\n)gatehouse: \S+ has other names for its columns than better-auth; [^\n]*`--from users`[^\n]*emailVerified[^\n]*\n$/,
    ],
  ])('a file %s is refused in one line', async ([, tables, words], { program }) => {
    await program.run(['prepare'])
    program.alter('theirs', tables)
    const file = join(program.dataDir, 'theirs.sqlite')

    const { code, stderr } = await program.run(['import', '--from', 'better-auth', file])

    assert.equal(code, 1)
    assert.match(stderr, words)
  })
})

describe('people of any other service', () => {
  it('have been there since the same time, whatever the zone of this machine: a time without one is UTC', async ({
    program,
  }) => {
    const file = join(program.dataDir, 'users.jsonl')
    const times = ['2024-05-01 12:00:00', '2024-05-01T12:00:00.000', '2024-05-01 17:30:00.0+05:30']
    const users = times.map((created_at, at) => ({ email: `user-${at}@example.com`, created_at }))
    await program.run(['prepare'])
    writeFileSync(file, users.map((user) => JSON.stringify(user)).join('\n'))

    const { code } = await program.run(['import', '--from', 'users', file], { TZ: 'America/New_York' })

    const rows = program.rows('meta', `select created_at from "user" where role = 'user'`)
    assert.equal(code, 0)
    assert.deepEqual(
      rows.map(({ created_at }) => new Date(Number(created_at)).toISOString()),
      times.map(() => '2024-05-01T12:00:00.000Z'),
    )
  })
})

/** Made by the package itself. */
async function theirDatabase(file: string): Promise<void> {
  using database = new DatabaseSync(file)
  const options = {
    database,
    secret: 'Vx3-q_8Zr1.mN7pLs9Kd2Wt5Yb6Hc4Jf0Ga',
    baseURL: 'http://localhost',
    emailAndPassword: { enabled: true },
  }
  const { runMigrations } = await getMigrations(options)
  await runMigrations()
  const auth = betterAuth(options)
  for (const name of ['ann', 'ben'])
    await auth.api.signUpEmail({
      body: { email: `${name}@example.com`, password: 'a long walk in the rain', name },
    })
  database.exec(`update "user" set "createdAt" = '2025-01-02T03:04:05.678Z'`)
  for (const [id, provider, name] of [
    ['4711', 'github', 'ann'],
    ['4712', 'unknown', 'ben'],
  ])
    database.exec(`insert into account (id, "accountId", "providerId", "userId", "createdAt", "updatedAt")
      select '${id}', '${id}', '${provider}', id, '2025-01-02T03:04:05Z', '2025-01-02T03:04:05Z'
      from "user" where email = '${name}@example.com'`)
}

function accountsOf(program: Installation) {
  return program.rows(
    'meta',
    `select provider, length(password_hash) as length from account
     where user_id in (select id from "user" where role = 'user') order by provider`,
  )
}
