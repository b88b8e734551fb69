import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe } from 'vitest'
import { untilSo } from '../faults/support/replicated.ts'
import { bringSecrets, clockAfter, type LivedIn, RELEASES, restoreDump, unpackRelease } from '../fixtures/lived-in.ts'
import { oldInstallation } from '../fixtures/old-program.ts'
import { command } from '../postgres/databases.ts'
import type { Env, Installation, Life } from '../processes/installation.ts'
import { it as ofProgram } from '../processes/it.ts'
import { startSmtpServer } from '../processes/smtp-server.ts'
import { signInVia, whoIs } from '../providers/journey.ts'
import { startPlainProvider } from '../providers/plain-provider.ts'
import { refreshWith } from '../service/grants.ts'
import { Person } from '../service/people.ts'

const IDS = ['apac-1', 'weur-1', 'oc-1']

/** A folder for what an old release left behind. */
const it = ofProgram.extend<{ folder: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  folder: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-upgrade-'))
    await use(folder)
    rmSync(folder, { recursive: true })
  },
})

describe('data of an older release', () => {
  it.for(RELEASES)(
    '%s is served as it is by the program that replaces the old one',
    async (release, { folder, program }) => {
      const lived = unpackRelease(release, folder)
      const env = { ...clockAfter(lived), DATA_DIR: join(folder, 'data') }

      await livesOn(program, lived, env)

      const again = await program.run(['prepare'], env)
      const community = { COMMUNITY_AUTH_URL: 'https://forum.example.com' }
      const doctor = await program.run(['doctor'], { ...env, ...community })
      assert.deepEqual([again.code, again.stdout], [0, ''])
      assert.equal(doctor.code, 0, doctor.stdout)
    },
  )

  it.for(RELEASES)(
    '%s comes back from its backup, and moves to PostgreSQL by an export of this program',
    async (release, { folder, program, places }) => {
      const lived = unpackRelease(release, folder)
      bringSecrets(folder, program.dataDir)
      const file = join(folder, 'new.jsonl')
      const env = { ...clockAfter(lived), ...(await places.empty(...IDS)) }

      const restored = await program.run(['restore', join(folder, 'backup.tar.gz')])
      const exported = await program.run(['export', file, '--with-secrets'], clockAfter(lived))
      const imported = await program.run(['import', file], env)

      assert.deepEqual([restored.code, exported.code, imported.code], [0, 0, 0], imported.stderr)
      await livesOn(program, lived, env)
      await livesOn(program, lived, clockAfter(lived))
    },
  )

  it.for(RELEASES)(
    '%s moves to PostgreSQL by the export that it wrote',
    async (release, { folder, program, places }) => {
      const lived = unpackRelease(release, folder)
      bringSecrets(folder, program.dataDir)
      const env = { ...clockAfter(lived), ...(await places.empty(...IDS)) }

      const imported = await program.run(['import', join(folder, 'export.jsonl')], env)

      assert.equal(imported.code, 0, imported.stderr)
      await livesOn(program, lived, env)
    },
  )

  it.for(RELEASES)('%s on PostgreSQL is served from its dump', async (release, { folder, program, places }) => {
    const lived = unpackRelease(release, folder)
    bringSecrets(folder, program.dataDir)
    const database = await places.empty(...IDS)
    await restoreDump(folder, database.DATABASE_URL ?? '')

    await livesOn(program, lived, { ...clockAfter(lived), ...database })
  })
})

describe('a process of this program beside an older one', () => {
  it.for(RELEASES)(
    'of %s: every letter arrives once, whichever process wrote it',
    async (release, { program, places }) => {
      await using stack = new AsyncDisposableStack()
      const smtp = stack.use(await startSmtpServer())
      const database = await places.empty(...IDS)
      const env = { ...database, DATA_DIR: program.dataDir, SMTP_URL: smtp.url }
      const older = oldInstallation(stack, release)
      const prepared = await older.run(['prepare'], env)
      assert.equal(prepared.code, 0, prepared.stderr)
      await command(database.DATABASE_URL ?? '', BY_SMTP)
      const first = await older.serve(env)
      const second = await program.serve(env)

      for (const [i, life] of [first, second, first, second, first, second].entries()) {
        const there = life === first ? second : first
        const person = await life.signedUp(`person-${i}`)
        const asked = { email: person.email, type: 'email-verification' }
        const sent = await life.meets(person).post('/api/auth/email-otp/send-verification-otp', asked)
        const change = { currentPassword: person.password, newPassword: `${person.password} again` }
        const changed = await there.meets(person).post('/api/auth/change-password', change)
        assert.deepEqual([sent.status, changed.status], [200, 200])
      }
      await first.end()
      await using stores = await program.openStores(env)
      await untilSo('no letter waits', async () => {
        const inWords = await stores.meta.selectFrom('mail_queue').select('id').execute()
        const asData = await stores.meta.selectFrom('letter_queue').select('id').execute()
        return inWords.length + asData.length === 0
      })

      const arrived = smtp.messages.map((message) => {
        const [, to] = /^To: (\S+)$/m.exec(message) ?? []
        return `${to}: ${/^\s*\d{6}\s*$/m.test(message) ? 'code' : 'notice'}`
      })
      const expected = Array.from({ length: 6 }, (_, i) =>
        [0, 1].map((n) => `person-${i}@example.com: ${['code', 'notice'][n]}`),
      )
      assert.deepEqual(arrived.toSorted(), expected.flat())
    },
  )
})

const BY_SMTP = `update settings set email = (email::jsonb || '{"provider": "smtp"}')::text`

describe('data from before 0.3.0', () => {
  it('is refused in one line, and left as it is', async ({ program }) => {
    const file = join(program.dataDir, 'meta.sqlite')
    await program.run(['prepare'])
    const run = (sql: string) => {
      using database = new DatabaseSync(file)
      database.exec(sql)
      return database.prepare('select name from schema_migration').all()
    }
    const before = run("update schema_migration set name = '0001-instance' where name = '0001-baseline'")

    const started = await program.run(['serve'])
    const doctor = await program.run(['doctor'])

    const words = 'store meta was made by a version before 0.3.0, which this one cannot upgrade'
    assert.equal(started.code, 1)
    assert.match(started.stderr, new RegExp(`${words}[^\\n]*\\n$`))
    assert.match(doctor.stdout, new RegExp(words))
    assert.deepEqual(run(''), before)
  })
})

/** Every user finds their data, by every sign-in method they had, and continues from there. */
async function livesOn(program: Installation, lived: LivedIn, env: Env): Promise<void> {
  const resources = { '/api/user': { id: lived.carla.provider_user_id, username: 'carla' } }
  await using forum = await startPlainProvider('community', resources)
  const life = await program.serve({ ...env, COMMUNITY_AUTH_URL: forum.url })

  await annLivesOn(life, lived)
  await benLivesOn(life, lived)
  await administratorLivesOn(life, lived)
  const carla = new Person(life, 'carla', '')
  await signInVia(carla, 'community')
  // An account belongs to its provider's address, which is another one here.
  assert.notEqual((await whoIs(carla)).id, lived.carla.id)

  const verified = await program.run(['shards', 'verify'], env)
  assert.deepEqual([verified.code, verified.stdout], [0, ''])
  const { stdout } = await life.end()
  assert.doesNotMatch(stdout, /Password/)
}

async function annLivesOn(life: Life, { ann: lived }: LivedIn): Promise<void> {
  const ann = new Person(life, lived.email, lived.password)
  const session = { authorization: `Bearer ${lived.session_token}` }
  const tool = { authorization: `Bearer ${lived.access_token}` }

  const { body: kept } = await ann.get('/api/auth/get-session', session)
  const granted = await ann.post('/api/submit_feedback', { type: 'idea', content: 'By my tool' }, tool)
  const refreshed = await refreshWith(ann, lived.refresh_token)
  const revoked = await refreshWith(ann, lived.revoked_refresh_token)
  await ann.signIn()
  const notifications = await ann.post('/api/list_notifications')
  const credits = await ann.post('/api/get_credit_summary')
  const grants = await ann.post('/api/list_grants')

  assert.deepEqual([kept?.user.id, ann.id], [lived.id, lived.id])
  assert.deepEqual([granted.status, refreshed.status, revoked.body.error], [200, 200, 'invalid_grant'])
  assert.deepEqual(titlesOf(notifications.body), ['For Ann', 'Hello (read)'])
  assert.equal(credits.body.balance, 25)
  assert.deepEqual(grants.body.items.map(({ status }: { status: string }) => status).toSorted(), ['active', 'revoked'])
}

async function benLivesOn(life: Life, { ben: lived }: LivedIn): Promise<void> {
  const ben = await life.signedIn(lived)

  const notifications = await ben.post('/api/list_notifications')
  const read = await ben.post('/api/read_all_notifications')
  const unread = await ben.post('/api/count_unread_notifications')

  assert.equal(ben.id, lived.id)
  assert.deepEqual(titlesOf(notifications.body), ['Hello'])
  assert.deepEqual([read.body, unread.body], [{ count: 1 }, { count: 0 }])
}

async function administratorLivesOn(life: Life, lived: LivedIn): Promise<void> {
  const administrator = await life.signedIn(lived.administrator)

  const feedback = await administrator.post('/api/admin/list_feedbacks')
  const config = await administrator.post('/api/admin/get_authentication_config')
  const codes = await administrator.post('/api/admin/list_beta_codes')
  await administrator.saveSettings('authentication', { email_user_action_cooldown_seconds: 78 })
  const saved = await administrator.post('/api/admin/get_authentication_config')
  const note = { title: 'New', content: 'From the new program', target_user_id: lived.ben.id }
  const published = await administrator.post('/api/admin/create_notification', note)
  const users = await administrator.post('/api/admin/list_users')
  const others = []
  for (const list of ['applications', 'product_scopes', 'views'])
    others.push((await administrator.post(`/api/admin/list_${list}`)).body.items.length)

  assert.deepEqual(feedback.body.items.map(statusAndContent).toSorted(), [
    'done More tea',
    'new By my tool',
    'new The kettle leaks',
  ])
  assert.equal(config.body.email_user_action_cooldown_seconds, 77)
  assert.equal(config.body.community_client_secret_configured, true)
  assert.equal(saved.body.email_user_action_cooldown_seconds, 78)
  assert.deepEqual([codes.body.total, published.status, users.body.total], [3, 200, 4])
  assert.deepEqual(others, [1, 1, 1])
}

function titlesOf({ items }: { items: readonly { title: string; read: boolean }[] }): string[] {
  return items.map(({ title, read }) => (read ? `${title} (read)` : title))
}

function statusAndContent({ status, content }: { status: string; content: string }): string {
  return `${status} ${content}`
}
