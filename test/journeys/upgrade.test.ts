import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  bringSecrets,
  clockAfter,
  type LivedIn,
  RELEASES,
  type Release,
  unpackOldRelease,
} from '../fixtures/lived-in.ts'
import { putOnPostgres } from '../fixtures/old-release-on-postgres.ts'
import { command, freshDatabase, schemaUrl, testServer } from '../postgres/databases.ts'
import { Installation } from '../processes/installation.ts'
import { signInVia, whoIs } from '../providers/journey.ts'
import { startPlainProvider } from '../providers/plain-provider.ts'
import { after, describe, it, type TestContext } from '../running/node-test.ts'
import { refreshWith } from '../service/grants.ts'
import { Person } from '../service/people.ts'

type Environment = Readonly<Record<string, string>>

const server = await testServer()
after(() => server.stop())

for (const release of RELEASES) {
  describe(`data of release ${release}`, () => {
    it('is served as it is by the program that replaces the old one', async (t) => {
      const { folder, lived } = unpacked(t, release)
      await using program = new Installation()
      const env = { ...clockAfter(lived), DATA_DIR: join(folder, 'data') }

      const log = await livesOn(program, lived, env)

      assert.match(log, /"migration":"0026-counts-filled","msg":"migration starts"/)
      const again = await program.run(['prepare'], env)
      const doctor = await program.run(['doctor'], env)
      assert.deepEqual([again.code, again.stdout], [0, ''])
      assert.equal(doctor.code, 0, doctor.stdout)
    })

    it(`comes back from a backup that ${release} made`, async (t) => {
      const { folder, lived } = unpacked(t, release)
      await using program = new Installation()
      bringSecrets(folder, program.dataDir)

      const restored = await program.run(['restore', join(folder, 'backup.tar.gz')])

      assert.equal(restored.code, 0, restored.stderr)
      await livesOn(program, lived, clockAfter(lived))
    })

    it(`moves to PostgreSQL by the export that ${release} wrote`, async (t) => {
      const { folder, lived } = unpacked(t, release)
      await using program = new Installation()
      bringSecrets(folder, program.dataDir)
      const env = { ...clockAfter(lived), ...(await emptyDatabase(t)) }

      const imported = await program.run(['import', join(folder, 'export.jsonl')], env)

      assert.equal(imported.code, 0, imported.stderr)
      await livesOn(program, lived, env)
    })

    it('moves to PostgreSQL by an export of this program, restored first from the old backup', async (t) => {
      const { folder, lived } = unpacked(t, release)
      await using program = new Installation()
      bringSecrets(folder, program.dataDir)
      const file = join(folder, 'new.jsonl')
      const env = { ...clockAfter(lived), ...(await emptyDatabase(t)) }

      const restored = await program.run(['restore', join(folder, 'backup.tar.gz')])
      const exported = await program.run(['export', file, '--with-secrets'], clockAfter(lived))
      const imported = await program.run(['import', file], env)

      assert.deepEqual([restored.code, exported.code, imported.code], [0, 0, 0], imported.stderr)
      await livesOn(program, lived, env)
    })

    it('on PostgreSQL is migrated in place', async (t) => {
      const { folder, lived } = unpacked(t, release)
      await using program = new Installation()
      bringSecrets(folder, program.dataDir)
      const database = await emptyDatabase(t)
      await putOnPostgres(join(folder, 'data'), database)

      await livesOn(program, lived, { ...clockAfter(lived), ...database })
    })
  })
}

function unpacked(t: TestContext, release: Release): { readonly folder: string; readonly lived: LivedIn } {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-upgrade-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return { folder, lived: unpackOldRelease(release, folder) }
}

async function emptyDatabase(t: TestContext): Promise<Environment> {
  const ids = ['apac-1', 'weur-1', 'oc-1']
  const database = await freshDatabase(server.url)
  t.after(() => database.drop())
  await command(database.url, ids.map((id) => `create schema "${id}";`).join(''))
  const shards = ids.map((id) => `${id}:${id.replace('-1', '')}=${schemaUrl(database.url, id)}`).join(',')
  return { DATABASE_URL: database.url, SHARDS: shards }
}

/** Every user finds their data, by every sign-in method they had, and continues from there. Returns the log. */
async function livesOn(program: Installation, lived: LivedIn, env: Environment): Promise<string> {
  const resources = { '/api/user': { id: lived.carla.provider_user_id, username: 'carla' } }
  await using forum = await startPlainProvider('community', resources)
  const { child, url, output } = await program.serve({ ...env, COMMUNITY_AUTH_URL: forum.url })
  const browser = {
    request: (path: string, init?: RequestInit) => fetch(url + path, { redirect: 'manual', ...init }),
  }

  await annLivesOn(browser, lived)
  await benLivesOn(browser, lived)
  await administratorLivesOn(browser, lived)
  const carla = new Person(browser, 'carla', '')
  await signInVia(carla, 'community')
  // Since 0.2.0 an account belongs to its provider's address, which is another one here.
  assert.equal((await whoIs(carla)).id === lived.carla.id, lived.carla.issuer === undefined)

  const verified = await program.run(['shards', 'verify'], env)
  assert.deepEqual([verified.code, verified.stdout], [0, ''])
  child.kill('SIGTERM')
  const { stdout, stderr } = await output
  assert.doesNotMatch(stdout, /Password/)
  return stderr
}

type Browser = ConstructorParameters<typeof Person>[0]

async function annLivesOn(browser: Browser, { ann: lived }: LivedIn): Promise<void> {
  const ann = new Person(browser, lived.email, lived.password)
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
  assert.deepEqual(grants.body.items.map(({ status }: { status: string }) => status).toSorted(), [
    'active',
    'revoked',
  ])
}

async function benLivesOn(browser: Browser, { ben: lived }: LivedIn): Promise<void> {
  const ben = new Person(browser, lived.email, lived.password)
  await ben.signIn()

  const notifications = await ben.post('/api/list_notifications')
  const read = await ben.post('/api/read_all_notifications')
  const unread = await ben.post('/api/count_unread_notifications')

  assert.equal(ben.id, lived.id)
  assert.deepEqual(titlesOf(notifications.body), ['Hello'])
  assert.deepEqual([read.body, unread.body], [{ count: 1 }, { count: 0 }])
}

async function administratorLivesOn(browser: Browser, lived: LivedIn): Promise<void> {
  const administrator = new Person(browser, lived.administrator.email, lived.administrator.password)
  await administrator.signIn()

  const feedback = await administrator.post('/api/admin/list_feedbacks')
  const config = await administrator.post('/api/admin/get_authentication_config')
  const codes = await administrator.post('/api/admin/list_beta_codes')
  await administrator.saveSettings('authentication', { email_user_action_cooldown_seconds: 78 })
  const saved = await administrator.post('/api/admin/get_authentication_config')
  const note = { title: 'New', content: 'From the new program', target_user_id: lived.ben.id }
  const published = await administrator.post('/api/admin/create_notification', note)
  const users = await administrator.post('/api/admin/list_users')

  assert.deepEqual(feedback.body.items.map(statusAndContent).toSorted(), [
    'done More tea',
    'new By my tool',
    'new The kettle leaks',
  ])
  assert.equal(config.body.email_user_action_cooldown_seconds, 77)
  assert.equal(config.body.community_client_secret_configured, true)
  assert.equal(saved.body.email_user_action_cooldown_seconds, 78)
  assert.deepEqual([codes.body.total, published.status, users.body.total], [3, 200, 4])
}

function titlesOf({ items }: { items: readonly { title: string; read: boolean }[] }): string[] {
  return items.map(({ title, read }) => (read ? `${title} (read)` : title))
}

function statusAndContent({ status, content }: { status: string; content: string }): string {
  return `${status} ${content}`
}
