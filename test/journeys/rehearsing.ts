import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { metaMigrations } from '../../src/database/migrations/meta.ts'
import type { Rehearsal } from '../../src/operator/rehearsal/rehearsal.ts'
import { RELEASES } from '../fixtures/lived-in.ts'
import { oldInstallation } from '../fixtures/old-program.ts'
import { patchedProgram, STARTS_ON_NEWER, withMigration } from '../fixtures/patched-program.ts'
import { countingServer } from '../processes/counting-server.ts'
import { type Env, type Finished, Installation } from '../processes/installation.ts'
import { lineWith } from '../processes/line-with.ts'
import { descendants } from '../processes/process-tree.ts'

export const [RELEASE] = RELEASES
export const ALL_OF_META = metaMigrations.slice(1).map(({ name }) => name)

/** An installation of the old release, on stores of either kind, and its program. */
export interface House {
  readonly folder: string
  readonly old: string
  readonly env: Env
  /** Of the global store. */
  rows(statement: string): Promise<readonly Readonly<Record<string, unknown>>[]>
  /** What is left of a rehearsal. */
  remains(): Promise<readonly string[]>
}

/** Migrations that lose something or cannot be made, and what is said of each. */
export const WRONG_MIGRATIONS = [
  ['changes data', `update "user" set name = 'nobody'`, /changes what is in user$/],
  ['removes rows', 'delete from session where true', /removes (\d+) of \1 rows of session$/],
  ['drops a column', 'alter table settings drop column ai', /drops settings\.ai$/],
  ['is refused by the store', 'alter table "user" add column x text not null', /fails: .*(NOT NULL|null values)/],
] as const

export function rehearsalIn({ stdout, stderr }: Finished): Rehearsal {
  assert.notEqual(stdout, '', stderr)
  return JSON.parse(stdout)
}

/** Rehearses while the old program serves the installation; `more` is the environment of the rehearsal alone. */
export async function rehearseWhileServed(
  program: Installation,
  { old, env, rows, remains }: House,
  { args, more = {} }: { readonly args: readonly string[]; readonly more?: Env },
): Promise<Rehearsal> {
  await using stack = new AsyncDisposableStack()
  const life = await oldInstallation(stack, RELEASE).serve(env)
  const person = await life.signedUp('ann-again')

  const finished = await program.run(['rehearse', old, ...args, '--json'], { ...env, ...more })

  const rehearsal = rehearsalIn(finished)
  const { from, migrations, background, unread, way_back, problems } = rehearsal
  assert.deepEqual([finished.code, problems, unread, from], [0, [], [], RELEASE])
  assert.deepEqual(
    migrations.filter(({ store }) => store === 'meta').map(({ name }) => name),
    ALL_OF_META,
  )
  assert.deepEqual([...new Set(migrations.map(({ store }) => store))], ['meta', 'apac-1', 'weur-1', 'oc-1'])
  // Every user is in the tables of the search, with a table of its own that takes room.
  const search = migrations.find(({ name }) => name === '0004-user-search')
  assert.ok(search && search.rows > 5 && search.bytes > 0 && search.longest_lock_ms > 0)
  assert.ok(background.some(({ name }) => name === 'search-index'))
  assert.deepEqual([way_back.possible, way_back.until], [false, null])
  assert.match(way_back.words, /0002-token-exchange.*restore the backup/)
  assert.deepEqual(await remains(), [])
  const { body } = await person.get('/api/auth/get-session')
  assert.equal(body.user.id, person.id)
  await life.end()
  assert.deepEqual(await rows('select name from schema_migration'), [{ name: '0001-baseline' }])
  assert.deepEqual(await rows(`select id from "user" where email like 'rehearsal-%'`), [])
  return rehearsal
}

export async function assertFindsMigration(house: House, args: readonly string[], statement: string, words: RegExp) {
  await using later = new Installation(
    patchedProgram(join(house.folder, 'later'), withMigration('9999-wrong', statement)),
  )

  const finished = await later.run(['rehearse', house.old, ...args, '--json'], house.env)

  const wrong = 'migration 9999-wrong of meta '
  const [named = ''] = rehearsalIn(finished).problems.filter((problem) => problem.startsWith(wrong))
  assert.equal(finished.code, 2)
  assert.match(named.slice(wrong.length), new RegExp(`^${words.source}`))
  assert.deepEqual(await house.remains(), [])
}

export async function assertFindsWayBack(house: House, args: readonly string[]): Promise<void> {
  const [old, later] = [
    patchedProgram(join(house.folder, 'old'), STARTS_ON_NEWER),
    patchedProgram(join(house.folder, 'later'), withMigration('9999-later', 'create table later (id text)')),
  ]
  await using first = new Installation(old)
  await using next = new Installation(later)
  await first.run(['prepare'], house.env)

  const upgraded = rehearsalIn(await next.run(['rehearse', old, ...args, '--json'], house.env))
  const same = rehearsalIn(await next.run(['rehearse', later, ...args, '--json'], house.env))

  assert.deepEqual(upgraded.way_back, {
    ...{ possible: true, until: '9999-later' },
    words: 'the old program starts again and goes on with what the new program wrote',
  })
  assert.deepEqual([upgraded.migrations.length, upgraded.problems, upgraded.unread], [1, [], []])
  // A program that makes a step itself has no step left to rehearse.
  assert.deepEqual([same.migrations, same.way_back.possible, same.problems], [[], true, []])
}

export async function assertInterrupted(
  program: Installation,
  { old, env, remains }: House,
  { args, at }: { readonly args: readonly string[]; readonly at: readonly string[] },
): Promise<void> {
  for (const words of at) {
    const child = program.start(['rehearse', old, ...args], env)
    assert.ok(child.pid !== undefined && child.stderr)
    await lineWith(words, child.stderr)
    const ended = once(child, 'exit')
    child.kill('SIGINT')

    const [code] = await ended
    assert.deepEqual([code, descendants(child.pid), await remains()], [1, [], []])
  }
}

export async function assertSendsNothing(program: Installation, house: House, args: readonly string[]): Promise<void> {
  await using stranger = await countingServer()
  const { url, port } = stranger
  const elsewhere = {
    ...{ SMTP_URL: `smtp://${url}`, EMAIL_API_URL: `http://${url}`, KV_URL: `redis://${url}` },
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: `http://${url}`, CHALLENGE_VERIFY_URL: `http://${url}` },
    ...{ WEBHOOK_NETWORKS: '127.0.0.1', PORT: String(port), METRICS_PORT: String(port + 1) },
    ...{ PUBLIC_URL: 'https://id.example.com', SYSTEM_EMAIL: 'admin@example.com' },
  }
  await leaveWaiting(house, `http://${url}`)

  const finished = await program.run(['rehearse', house.old, ...args, '--json'], { ...house.env, ...elsewhere })

  assert.deepEqual(rehearsalIn(finished).problems, [])
  assert.equal(stranger.connections(), 0)
}

/** A letter that could not be sent, and a webhook with events that it was not told. */
async function leaveWaiting({ env, rows }: House, stranger: string): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const [settings] = await rows('select email from settings')
  const email = { ...JSON.parse(String(settings?.email)), provider: 'smtp' }
  await rows(`update settings set email = '${JSON.stringify(email)}'`)
  const life = await oldInstallation(stack, RELEASE).serve({ ...env, SMTP_URL: 'smtp://127.0.0.1:9' })
  const person = await life.signedUp('waits')
  const asked = { email: person.email, type: 'email-verification' }
  assert.equal((await person.post('/api/auth/email-otp/send-verification-otp', asked)).status, 200)
  await life.end()
  await rows(`update webhook set enabled = 1, url = '${stranger}/hook', position = 0`)
  await rows('update mail_queue set next_attempt_at = 0')
  assert.equal((await rows('select id from mail_queue')).length, 1)
}
