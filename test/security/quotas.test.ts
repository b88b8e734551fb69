import assert from 'node:assert/strict'
import { describe } from 'vitest'
import type { TABLE_OWNERS } from '../../src/database/schema/tables.ts'
import { MOST_PENDING } from '../../src/features/access/approvals/rules.ts'
import { KEPT_ACTS } from '../../src/features/access/grant-calls/store.ts'
import { MOST_PERSONAL_TOKENS } from '../../src/features/access/grants/statements.ts'
import { MOST_LIVING } from '../../src/features/access/grants/tokens/redeeming-store.ts'
import { KEPT_REFUSALS } from '../../src/features/access/refusals/store.ts'
import { MOST_WAITING } from '../../src/features/delivery/mail/queue.ts'
import { LIMITS } from '../../src/features/ground/limits/limits.ts'
import { MOST_FEEDBACK_BYTES } from '../../src/features/operations/feedback/counts-store.ts'
import { PREFERENCES_AT_MOST } from '../../src/features/operations/notifications/input.ts'
import { MOST_READ_MARKS } from '../../src/features/operations/notifications/marks-store.ts'
import { CHANGES_A_WEEK } from '../../src/features/people/account/changing-email.ts'
import { LETTERS_A_DAY } from '../../src/features/people/account/codes/sending.ts'
import { MOST_ACTS } from '../../src/features/people/impersonations/store.ts'
import { MOST_PASSKEYS } from '../../src/features/people/second-factor/passkeys/store.ts'
import { SESSIONS_AT_MOST } from '../../src/features/people/sessions/sessions.ts'
import {
  insertTrustedDevice,
  MOST_KNOWN_NETWORKS,
  MOST_TRUSTED_DEVICES,
} from '../../src/features/people/sessions/store.ts'
import { getShard } from '../../src/features/tenancy/shards/shards.ts'
import { CALLER_LIMITS } from '../../src/rules/caller-limits.ts'
import { assertRefused } from '../service/answers.ts'
import { CALLBACK, register } from '../service/applications.ts'
import { it } from '../service/it.ts'

type Table = keyof typeof TABLE_OWNERS

/** The most that one user can have: the promised figure, and the one that the program uses. */
interface Quota {
  readonly most: number
  readonly used: number
  /** What the figure counts. */
  readonly of?: string
}

const { 'factor-changes': factorChanges, 'authorization-requests': requests, feedback } = CALLER_LIMITS

/**
 * The quota of each table, or what else bounds it, or why users cannot write it. A new table does not compile without
 * its entry.
 */
const QUOTAS: Readonly<Record<Table, Quota | string>> = {
  account: 'one for each provider, and a password: PROVIDER_ALREADY_LINKED',
  session: { most: 100, used: SESSIONS_AT_MOST },
  impersonation: 'of the administrator, one at a time for each session',
  impersonation_act: { most: 1_000, used: MOST_ACTS, of: 'for each user, by the administrator' },
  pending_sign_in: { most: 60, used: LIMITS['sign-ins'].most, of: 'in 15 minutes, each for 10' },
  trusted_device: { most: 20, used: MOST_TRUSTED_DEVICES },
  known_network: { most: 20, used: MOST_KNOWN_NETWORKS },
  totp_factor: 'one in use and one that is not confirmed: unique (user_id, is_confirmed)',
  backup_code: { most: 60, used: factorChanges.most, of: 'in 10 minutes, in place of the ten before' },
  passkey: { most: 20, used: MOST_PASSKEYS },
  email_change: { most: 10, used: CHANGES_A_WEEK, of: 'a week, each for a week' },
  mailed_code: { most: 12, used: LETTERS_A_DAY, of: 'a day of each kind' },
  code_letters: 'one for each kind and day',
  code_guesses: { most: 60, used: LIMITS['network-code-requests'].most, of: 'an hour from each network' },
  provider_flow: { most: 120, used: LIMITS['provider-starts'].most, of: 'a minute, each for 10' },
  authorization_request: { most: 120, used: requests.most, of: 'in 10 minutes, each for a day' },
  api_grant: { most: 700, used: MOST_PERSONAL_TOKENS + MOST_LIVING.tool, of: 'access tokens and living ones of tools' },
  approval: { most: 50, used: MOST_PENDING, of: 'that wait, each for a day' },
  grant_act: { most: 1_000, used: KEPT_ACTS, of: 'for each grant, and some that are soon dropped' },
  consent: { most: 120, used: requests.most, of: 'in 10 minutes, one for each application' },
  access_token: { most: 120, used: requests.most, of: 'in 10 minutes, those of the grants' },
  refresh_token: { most: 120, used: requests.most, of: 'in 10 minutes, those of the grants' },
  notification_preference: { most: 100, used: PREFERENCES_AT_MOST },
  beta_codes: 'one: BETA_CODE_ALREADY_BOUND',
  idempotency_keys: { most: 600, used: feedback.most, of: 'in 10 minutes, each for a day' },
  feedbacks: { most: 100_000_000, used: MOST_FEEDBACK_BYTES, of: 'bytes' },
  feedback_counts: 'one for each type of their feedback',
  notification_reads: { most: 50_000, used: MOST_READ_MARKS },
  event: 'one for each act, which is limited, for as long as the log is kept',
  event_outbox: 'one for each act, which is limited, until it is relayed',
  mail_queue: 'written by the administrator, by programs of theirs or by jobs',
  letter_queue: { most: 10_000, used: MOST_WAITING, of: 'of all users' },
  organization: 'one for each that they own, of which the settings have a limit; 0 unless everyone can create them',
  organization_search: 'one for each of their organisations',
  organization_slug: 'one for each slug of their organisations, whose changes are limited',
  organization_remains: 'one for each organisation or team that they delete, for minutes',
  organization_role: '20 in each organisation',
  organization_invitation: '500 that wait in each organisation, each for 37 days',
  organization_invitation_link: 'one for each letter of an invitation, of which a day has 200',
  member: '200 for each user',
  member_role: 'five for each membership',
  team: '500 in each organisation',
  team_member: 'one for each team of their organisations',
  user: 'one row for each user or home',
  user_data: 'one row for each user or home, with three objects of 8 KiB',
  user_shards: 'one row for each user or home',
  residents: 'one row for each user or home',
  credit_balance: 'one row for each user or home',
  erasure: 'one row for each user or home, for 30 days',
  shard_moves: 'one row for each user or home',
  user_search: 'one row for each user or home',
  application: 'written by the administrator, by programs of theirs or by jobs',
  application_picture: 'written by the administrator, by programs of theirs or by jobs',
  product_scope: 'written by the administrator, by programs of theirs or by jobs',
  notifications: 'one for each approval of two days; all others are written by the administrator',
  announcement: 'written by the administrator, by programs of theirs or by jobs',
  digest_entry: 'written by the administrator, by programs of theirs or by jobs',
  credit_entries: 'written by the administrator, by programs of theirs or by jobs',
  settings: 'written by the administrator, by programs of theirs or by jobs',
  webhook: 'written by the administrator, by programs of theirs or by jobs',
  webhook_delivery: 'written by the administrator, by programs of theirs or by jobs',
  refused_address: 'written by the administrator, by programs of theirs or by jobs',
  saved_reply: 'written by the administrator, by programs of theirs or by jobs',
  saved_view: 'written by the administrator, by programs of theirs or by jobs',
  signing_key: 'of the installation itself',
  shards: 'of the installation itself',
  event_order: 'of the installation itself',
  row_counts: 'of the installation itself',
  instance: 'of the installation itself',
  schema_migration: 'of the installation itself',
  key_value: 'short-lived, one row for each limit',
  application_refusal: { most: 100, used: KEPT_REFUSALS, of: 'of each application' },
  application_sign_in: { most: 100, used: SESSIONS_AT_MOST, of: 'for each application' },
}

describe('107. each table that a user can write', () => {
  it('checklist 107: has a quota for one user, which is the figure that the program uses', () => {
    const others = Object.entries(QUOTAS).filter(([, quota]) => typeof quota === 'object' && quota.most !== quota.used)

    assert.deepEqual(others, [])
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

  it('applications end at 500, however many are created at once', async ({ service, administrator }) => {
    const { meta } = service.platform
    const { id } = await register(administrator)
    const shop = await meta.selectFrom('application').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const others = Array.from({ length: 494 }, (_, i) => ({ ...shop, id: `application-${i}`, name: `Shop ${i}` }))
    for (let i = 0; i < others.length; i += 100)
      await meta
        .insertInto('application')
        .values(others.slice(i, i + 100))
        .execute()
    const fields = { kind: 'web', redirect_uris: [CALLBACK] }

    const created = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        administrator.post('/api/admin/create_application', { ...fields, name: `Shop at once ${i}` }),
      ),
    )

    const refused = created.filter(({ status }) => status !== 200)
    assert.equal(refused.length, 25)
    for (const answer of refused) assertRefused(answer, 'QUOTA_EXCEEDED')
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
