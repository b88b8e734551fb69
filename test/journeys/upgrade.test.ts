import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'vitest'
import { bringSecrets, clockAfter, type LivedIn, RELEASES, unpackOldRelease } from '../fixtures/lived-in.ts'
import { putOnPostgres } from '../fixtures/old-release-on-postgres.ts'
import type { Env, Installation, Life } from '../processes/installation.ts'
import { it as ofProgram } from '../processes/it.ts'
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
      const lived = unpackOldRelease(release, folder)
      const env = { ...clockAfter(lived), DATA_DIR: join(folder, 'data') }

      const log = await livesOn(program, lived, env)

      assert.match(log, /"migration":"0026-counts-filled","msg":"migration starts"/)
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
      const lived = unpackOldRelease(release, folder)
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
      const lived = unpackOldRelease(release, folder)
      bringSecrets(folder, program.dataDir)
      const env = { ...clockAfter(lived), ...(await places.empty(...IDS)) }

      const imported = await program.run(['import', join(folder, 'export.jsonl')], env)

      assert.equal(imported.code, 0, imported.stderr)
      await livesOn(program, lived, env)
    },
  )

  it.for(RELEASES)('%s on PostgreSQL is migrated in place', async (release, { folder, program, places }) => {
    const lived = unpackOldRelease(release, folder)
    bringSecrets(folder, program.dataDir)
    const database = await places.empty(...IDS)
    await putOnPostgres(join(folder, 'data'), database)

    await livesOn(program, lived, { ...clockAfter(lived), ...database })
  })
})

/** Every user finds their data, by every sign-in method they had, and continues from there. Returns the log. */
async function livesOn(program: Installation, lived: LivedIn, env: Env): Promise<string> {
  const resources = { '/api/user': { id: lived.carla.provider_user_id, username: 'carla' } }
  await using forum = await startPlainProvider('community', resources)
  const life = await program.serve({ ...env, COMMUNITY_AUTH_URL: forum.url })

  await annLivesOn(life, lived)
  await benLivesOn(life, lived)
  await administratorLivesOn(life, lived)
  const carla = new Person(life, 'carla', '')
  await signInVia(carla, 'community')
  // Since 0.2.0 an account belongs to its provider's address, which is another one here.
  assert.equal((await whoIs(carla)).id === lived.carla.id, lived.carla.issuer === undefined)

  const verified = await program.run(['shards', 'verify'], env)
  assert.deepEqual([verified.code, verified.stdout], [0, ''])
  const { stdout, stderr } = await life.end()
  assert.doesNotMatch(stdout, /Password/)
  return stderr
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
  assert.deepEqual(grants.body.items.map(({ status }: { status: string }) => status).toSorted(), [
    'active',
    'revoked',
  ])
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
