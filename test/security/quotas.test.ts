import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe } from 'vitest'
import type { TABLE_OWNERS } from '../../src/database/schema/tables.ts'
import { MOST_PERSONAL_TOKENS } from '../../src/features/access/grants/statements.ts'
import { MOST_READ_MARKS } from '../../src/features/operations/notifications/marks-store.ts'
import { insertTrustedDevice, MOST_TRUSTED_DEVICES } from '../../src/features/people/sessions/store.ts'
import { getShard } from '../../src/features/tenancy/shards/shards.ts'
import { assertRefused } from '../service/answers.ts'
import { it } from '../service/it.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

type Table = keyof typeof TABLE_OWNERS

/** The most that one user can have, and the check that holds it. */
interface Quota {
  readonly most: string
  readonly file: string
  readonly line: string
}

const ACTS = 'src/features/ground/limits/acts.ts'
const LIMITS = 'src/features/ground/limits/limits.ts'

/** Or why it is not for users to write. A new table does not compile without its entry. */
const QUOTAS: Readonly<Record<Table, Quota | string>> = {
  account: {
    most: 'one for each provider, and a password',
    file: 'src/features/people/account/providers/linking.ts',
    line: 'PROVIDER_ALREADY_LINKED',
  },
  session: { most: '100', file: 'src/features/people/sessions/sessions.ts', line: 'SESSIONS_AT_MOST = 100' },
  pending_sign_in: { most: '60 in 15 minutes, each for 10', file: LIMITS, line: "'sign-ins': { most: 60" },
  trusted_device: {
    most: '20',
    file: 'src/features/people/sessions/store.ts',
    line: 'MOST_TRUSTED_DEVICES = 20',
  },
  known_network: {
    most: '20',
    file: 'src/features/people/sessions/store.ts',
    line: 'MOST_KNOWN_NETWORKS = 20',
  },
  totp_factor: {
    most: 'one in use and one that is not confirmed',
    file: 'src/database/migrations/baseline/people.ts',
    line: 'constraint totp_factor_user_unique unique (user_id, is_confirmed)',
  },
  backup_code: { most: '10', file: ACTS, line: "'factor-changes': { most: 60" },
  passkey: { most: '20', file: 'src/features/people/second-factor/passkeys/store.ts', line: 'MOST_PASSKEYS = 20' },
  mailed_code: {
    most: '12 a day of each kind',
    file: 'src/features/people/account/codes/sending.ts',
    line: 'LETTERS_A_DAY = 12',
  },
  code_letters: {
    most: 'one for each kind and day',
    file: 'src/database/migrations/baseline/people.ts',
    line: 'code_letters',
  },
  code_guesses: { most: 'one for each day and network', file: LIMITS, line: "'network-code-requests'" },
  provider_flow: { most: '120 a minute, each for 10', file: LIMITS, line: "'provider-starts': { most: 120" },
  authorization_request: {
    most: '120 in 10 minutes, each for a day',
    file: ACTS,
    line: "'authorization-requests': { most: 120",
  },
  api_grant: {
    most: '500 access tokens; living ones of tools 200, of applications 250',
    file: 'src/features/access/grants/tokens/redeeming-store.ts',
    line: 'MOST_LIVING: Readonly<Record<Crowding, number>> = { tool: 200, application: 250 }',
  },
  approval: {
    most: '50 that wait, 10 for each grant, each for a day',
    file: 'src/features/access/approvals/rules.ts',
    line: 'MOST_PENDING = 50',
  },
  grant_act: {
    most: '1,000 for each grant',
    file: 'src/features/access/grant-calls/store.ts',
    line: 'KEPT_ACTS = 1_000',
  },
  consent: { most: 'one for each application', file: ACTS, line: "'authorization-requests': { most: 120" },
  access_token: { most: 'those of the grants', file: ACTS, line: "'authorization-requests': { most: 120" },
  refresh_token: { most: 'those of the grants', file: ACTS, line: "'authorization-requests': { most: 120" },
  notification_preference: {
    most: '100',
    file: 'src/features/operations/notifications/input.ts',
    line: 'PREFERENCES_AT_MOST = 100',
  },
  beta_codes: {
    most: '1',
    file: 'src/features/operations/beta-codes/beta-codes.ts',
    line: 'BETA_CODE_ALREADY_BOUND',
  },
  idempotency_keys: { most: '600 in 10 minutes, each for a day', file: ACTS, line: 'feedback: { most: 600' },
  feedbacks: {
    most: '100 MB',
    file: 'src/features/operations/feedback/counts-store.ts',
    line: 'MOST_FEEDBACK_BYTES = 100_000_000',
  },
  feedback_counts: {
    most: 'one for each type of their feedback',
    file: 'src/features/operations/feedback/counts-store.ts',
    line: 'BYTES_BESIDE_TEXT = 100',
  },
  notification_reads: {
    most: '50,000',
    file: 'src/features/operations/notifications/marks-store.ts',
    line: 'MOST_READ_MARKS = 50_000',
  },
  event: { most: 'one for each act, for as long as the log is kept', file: ACTS, line: 'export const ACTS' },
  event_outbox: { most: 'one for each act, until it is relayed', file: ACTS, line: 'export const ACTS' },
  mail_queue: 'written by the administrator, by programs of theirs or by jobs',
  letter_queue: {
    most: '10,000 of all users',
    file: 'src/features/delivery/mail/queue.ts',
    line: 'MOST_WAITING = 10_000',
  },
  user: 'one row for each user or home',
  user_shards: 'one row for each user or home',
  residents: 'one row for each user or home',
  credit_balance: 'one row for each user or home',
  erasure: 'one row for each user or home, for 30 days',
  shard_moves: 'one row for each user or home',
  user_search: 'one row for each user or home',
  application: 'written by the administrator, by programs of theirs or by jobs',
  product_scope: 'written by the administrator, by programs of theirs or by jobs',
  notifications: {
    most: 'one for each approval of two days; all others are written by the administrator',
    file: 'src/features/access/approvals/sweep.ts',
    line: 'await deleteNotifications(meta, ids)',
  },
  announcement: 'written by the administrator, by programs of theirs or by jobs',
  digest_entry: 'written by the administrator, by programs of theirs or by jobs',
  credit_entries: 'written by the administrator, by programs of theirs or by jobs',
  settings: 'written by the administrator, by programs of theirs or by jobs',
  webhook: 'written by the administrator, by programs of theirs or by jobs',
  webhook_delivery: 'written by the administrator, by programs of theirs or by jobs',
  refused_address: 'written by the administrator, by programs of theirs or by jobs',
  saved_view: 'written by the administrator, by programs of theirs or by jobs',
  signing_key: 'of the installation itself',
  shards: 'of the installation itself',
  event_order: 'of the installation itself',
  row_counts: 'of the installation itself',
  instance: 'of the installation itself',
  schema_migration: 'of the installation itself',
  key_value: 'short-lived, one row for each limit',
  application_refusal: {
    most: '100 of each application',
    file: 'src/features/access/refusals/store.ts',
    line: 'KEPT_REFUSALS = 100',
  },
  application_sign_in: {
    most: 'one for each application and session',
    file: 'src/features/people/sessions/sessions.ts',
    line: 'SESSIONS_AT_MOST = 100',
  },
}

describe('107. each table that a user can write', () => {
  it('checklist 107: has a quota for one user, which a line of the program holds', () => {
    const missing = Object.entries(QUOTAS).filter(
      ([, quota]) => typeof quota === 'object' && !readFileSync(join(root, quota.file), 'utf8').includes(quota.line),
    )
    assert.deepEqual(missing, [])
  })

  it('checklist 107: read marks end at 50,000, and reading all still works', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    const shard = getShard(service.platform, 'apac-1')
    const beforeLast = MOST_READ_MARKS - 1
    for (let first = 0; first < beforeLast; first += 10_000) {
      const marks = Array.from({ length: Math.min(10_000, beforeLast - first) }, (_, i) => ({
        notification_id: `n-${first + i}`,
        user_id: ann.id,
      }))
      await shard.insertInto('notification_reads').values(marks).execute()
    }
    await administrator.post('/api/admin/create_notification', { title: 'One', content: '1' })

    const last = await ann.post('/api/read_notification', { id: 'the last' })
    const ofBen = await ben.post('/api/read_notification', { id: 'the last' })
    const beyond = await ann.post('/api/read_notification', { id: 'another' })
    const again = await ann.post('/api/read_notification', { id: 'the last' })
    const all = await ann.post('/api/read_all_notifications')

    assertRefused(beyond, 'QUOTA_EXCEEDED')
    assert.deepEqual(
      [last, ofBen, again, all].map(({ status }) => status),
      [200, 200, 200, 200],
    )
    assert.deepEqual(all.body, { count: 1 })
  })

  it('checklist 107: access tokens end at 500', async ({ service, ann, ben }) => {
    const { meta } = service.platform
    const grants = Array.from({ length: MOST_PERSONAL_TOKENS - 1 }, (_, i) => ({
      id: `grant-${i}`,
      user_id: ann.id,
      client_id: 'personal',
      client_name: 'CI',
      kind: 'personal' as const,
      target_origin: service.config.baseUrl,
      scopes: 'account:profile:read',
      is_offline: 0 as const,
      approval: 'none' as const,
      created_at: 1,
      expires_at: Number.MAX_SAFE_INTEGER,
    }))
    await meta.insertInto('api_grant').values(grants).execute()
    const create = (person: typeof ann) =>
      person.post('/api/create_personal_token', {
        name: 'CI',
        scopes: ['account:profile:read'],
        expires_in_days: 1,
      })

    const last = await create(ann)
    const beyond = await create(ann)
    const other = await create(ben)

    assert.deepEqual([last.status, other.status], [200, 200])
    assertRefused(beyond, 'QUOTA_EXCEEDED')
  })

  it('checklist 107: trusted devices end at 20, and the one used least recently is trusted no longer', async ({
    service,
    ann,
  }) => {
    const { meta } = service.platform
    const rows = Array.from({ length: MOST_TRUSTED_DEVICES + 1 }, (_, i) => ({
      id: `device-${i}`,
      user_id: ann.id,
      token_hash: `hash-${i}`,
      created_at: i,
      expires_at: Number.MAX_SAFE_INTEGER,
      last_used_at: i,
      ip: null,
      user_agent: null,
      place: null,
    }))
    for (const row of rows) await meta.batch(insertTrustedDevice(meta, row))

    const kept = await meta.selectFrom('trusted_device').select('id').execute()

    assert.deepEqual(
      kept.map(({ id }) => id).toSorted(),
      rows
        .slice(1)
        .map(({ id }) => id)
        .toSorted(),
    )
  })
})
