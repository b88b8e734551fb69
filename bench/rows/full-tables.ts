import type { InsertObject, Kysely } from 'kysely'
import { v7 as newId } from 'uuid'
import type { Meta, Shard } from '../../src/database/store.ts'
import { MOST_PERSONAL_TOKENS } from '../../src/features/access/grants/statements.ts'
import { MOST_LIVING } from '../../src/features/access/grants/tokens/redeeming-store.ts'
import { bytesOf, MOST_FEEDBACK_BYTES } from '../../src/features/operations/feedback/counts-store.ts'
import type { Platform } from '../../src/platform/platform.ts'
import { SCOPES } from '../../src/rules/scopes.ts'
import { DAY_MILLISECONDS } from '../../src/rules/time.ts'
import { tokenHash } from '../../src/rules/tokens.ts'
import { accessToken, sessionToken, userId } from '../ours.ts'

/** Each of these ten thousand characters takes six in JSON; no text of a user takes more. */
const UGLY = '\u0001'.repeat(10_000)
const LONG = '語'.repeat(10_000)
const AGENT = '語"\\'.repeat(85)
const ALL_SCOPES = Object.keys(SCOPES).join(' ')

export const ANN = userId(0)
export const BEN = userId(1)
/** Users to be deleted, moved or suspended: one for each call. */
export const OTHERS = Array.from({ length: 400 }, (_, i) => userId(2 + i))
/** Those of them who have as many sessions and grants as a user can have. */
const CROWDED = [0, 10, 20, 40, 80].flatMap((first) => OTHERS.slice(first, first + 4))
export const TOKENS = { ann: sessionToken(0), administrator: sessionToken(-1), tool: accessToken(0) }
const USERS = 20_000

/** Personal tokens, and then as many living connections of tools and of applications as a user can have. */
const MOST_GRANTS = MOST_PERSONAL_TOKENS + MOST_LIVING.tool + MOST_LIVING.application
function kindOf(i: number) {
  if (i < MOST_PERSONAL_TOKENS) return { client_id: 'personal', kind: 'personal' } as const
  if (i < MOST_PERSONAL_TOKENS + MOST_LIVING.tool) return { client_id: 'cli-client', kind: 'tool' } as const
  return { client_id: 'shop', kind: 'application' } as const
}

/** Inserts in statements of a size that both engines accept. */
async function fill<Tables, Table extends keyof Tables & string>(
  store: Kysely<Tables>,
  table: Table,
  count: number,
  row: (i: number) => InsertObject<Tables, Table>,
  atOnce = 50,
) {
  for (let from = 0; from < count; from += atOnce) {
    const rows = Array.from({ length: Math.min(atOnce, count - from) }, (_, i) => row(from + i))
    await store.insertInto(table).values(rows).execute()
  }
}

/**
 * Every table that a user or the administrator can write, up to its quota, with the most awkward values that are
 * allowed.
 */
export async function fillTables(platform: Platform): Promise<World> {
  const { meta, shards } = platform
  const now = Date.now()
  const administrator = await meta
    .selectFrom('user')
    .select('id')
    .where('role', '=', 'administrator')
    .executeTakeFirstOrThrow()
  const shard = shards.get('apac-1')
  const other = shards.get('weur-1')
  if (!shard || !other) throw new Error('the first shards are missing')
  await insertUsers(meta, now)
  await insertAccess(meta, now, administrator.id)
  await insertEvents(meta, now)
  await insertPublished(meta, now)
  await insertDeliveries(platform, now)
  const feedbacks = await insertFeedbacks(shard, ANN, MOST_FEEDBACK_BYTES, now)
  await insertFeedbacks(other, BEN, MOST_FEEDBACK_BYTES / 4, now)
  await insertMarks(shard, now)
  return { administratorId: administrator.id, feedbacks }
}

export interface World {
  readonly administratorId: string
  readonly feedbacks: readonly string[]
}

async function insertUsers(meta: Meta, now: number) {
  const people = (i: number) => ({
    id: userId(i),
    name: `${'語'.repeat(240)} ${i}`,
    folded_name: `${'語'.repeat(240)} ${i}`,
    email: `person-${i}@example.com`,
    email_verified: 1 as const,
    aff_code: `BENCH${i}`,
    role: 'user' as const,
    factors: '' as const,
    suspended_at: null,
    created_at: now - i,
    updated_at: now - i,
    last_sign_in_at: now,
  })
  await fill(meta, 'user', USERS, people)
  const homes = { created_at: now, signup_reward: 0, moves: 0 }
  await fill(meta, 'user_shards', USERS, (i) => ({
    user_id: userId(i),
    shard_id: i === 1 ? 'weur-1' : 'apac-1',
    ...homes,
  }))
}

async function insertAccess(meta: Meta, now: number, administratorId: string) {
  const lasting = {
    created_at: now,
    refreshed_at: now,
    expires_at: now + 30 * DAY_MILLISECONDS,
    last_used_at: now,
  }
  const seen = { ip: '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', user_agent: AGENT, place: '語'.repeat(60) }
  const sessionOf = (user_id: string, token: string, id: string) => ({
    ...{ id, user_id, token_hash: tokenHash(token), confirmed_at: now },
    ...{ ...lasting, ...seen },
  })
  const grantOf = (user_id: string, id: string, i: number) => ({
    ...{ id, user_id, ...kindOf(i), client_name: '語'.repeat(100), target_origin: 'https://example.com' },
    ...{ scopes: ALL_SCOPES, is_offline: 1 as const, approval: 'none' as const, created_at: now - i },
    ...{ last_used_at: now, expires_at: now + 30 * DAY_MILLISECONDS },
  })
  for (const [owner, token] of [
    [ANN, TOKENS.ann],
    [administratorId, TOKENS.administrator],
  ] as const) {
    await fill(meta, 'session', 100, (i) => sessionOf(owner, i === 0 ? token : `ghs_${owner}${i}`, `${owner} ${i}`))
    await fill(meta, 'trusted_device', 20, (i) => ({
      id: `device ${owner} ${i}`,
      user_id: owner,
      token_hash: `${owner} ${i}`,
      ...seen,
      ...{ created_at: now, expires_at: now + DAY_MILLISECONDS, last_used_at: now },
    }))
  }
  await meta
    .insertInto('account')
    .values({
      ...{ id: 'account', user_id: ANN, provider: 'credential', issuer: '', provider_account_id: ANN },
      ...{
        password_hash: `${'0'.repeat(16)}:${'1'.repeat(40)}`,
        password_is_initial: 0,
        created_at: now,
        updated_at: now,
      },
    })
    .execute()
  await fill(meta, 'api_grant', MOST_GRANTS, (i) => grantOf(ANN, `grant ${i}`, i))
  for (const owner of CROWDED) {
    await fill(meta, 'session', 100, (i) => sessionOf(owner, `ghs_${owner}${i}`, `${owner} ${i}`))
    await fill(meta, 'api_grant', MOST_GRANTS, (i) => grantOf(owner, `grant ${owner} ${i}`, i))
  }
  await meta
    .insertInto('access_token')
    .values({
      token_hash: tokenHash(TOKENS.tool),
      grant_id: 'grant 600',
      scopes: ALL_SCOPES,
      created_at: now,
      expires_at: now + DAY_MILLISECONDS,
    })
    .execute()
  await fill(meta, 'grant_act', 1_000, (i) => ({
    id: newId(),
    grant_id: 'grant 600',
    path: '/api/admin/update_notification',
    ip: seen.ip,
    approval_id: newId(),
    status: 200,
    created_at: now - i,
  }))
  const input = JSON.stringify({ title: 'One', content: UGLY })
  await fill(meta, 'approval', 50, (i) => ({
    id: newId(),
    grant_id: 'grant 600',
    user_id: ANN,
    method: 'POST',
    path: '/api/submit_feedback',
    input,
    state: 'pending' as const,
    created_at: now - i,
    expires_at: now + DAY_MILLISECONDS,
  }))
  await fill(meta, 'notification_preference', 100, (i) => ({
    user_id: ANN,
    type: `${'語'.repeat(60)}${i}`,
    email: 'off' as const,
  }))
  await fill(meta, 'passkey', 20, (i) => ({
    ...{
      id: `passkey ${i}`,
      user_id: ANN,
      credential_id: `credential-${i}`,
      public_key: 'A'.repeat(500),
      counter: 0,
    },
    ...{
      device_type: 'multiDevice',
      is_backed_up: 1 as const,
      is_user_verified: 0 as const,
      transports: 'usb,nfc,ble',
    },
    ...{ aaguid: newId(), rp_id: 'localhost', name: '語'.repeat(64), last_use: '', created_at: now },
  }))
}

function insertEvents(meta: Meta, now: number) {
  const details = JSON.stringify({ user_id: ANN, note: UGLY })
  return fill(
    meta,
    'event',
    2_000,
    (i) => ({
      ...{ id: newId(), created_at: now - i, action: 'feedback.update', actor_id: ANN, subject_type: 'user' },
      ...{ subject_id: ANN, ip: '192.0.2.1', details, type: 'feedback.updated' as const, user_id: ANN },
      ...{ data: details, position: now * 1_000 + i },
    }),
    20,
  )
}

async function insertPublished(meta: Meta, now: number) {
  await fill(
    meta,
    'notifications',
    2_000,
    (i) => ({
      ...{ id: `notification ${i}`, type: '語'.repeat(64), title: '語'.repeat(200), content: UGLY },
      ...{
        target_user_id: i % 2 === 0 ? ANN : null,
        link: null,
        level: 'info' as const,
        also_email: 0 as const,
      },
      ...{ created_at: now - i, updated_at: now },
    }),
    20,
  )
  // The most that a body of 64 KB can have, a hundred times.
  const filters = JSON.stringify(
    Object.fromEntries(Array.from({ length: 230 }, (_, i) => [`filter ${i}`, 'a'.repeat(254)])),
  )
  await fill(meta, 'saved_view', 100, (i) => ({
    id: `view ${i}`,
    list: 'users',
    name: `View ${i}`,
    filters,
    created_at: now,
  }))
  await fill(meta, 'beta_codes', 10_000, (i) => ({
    code: `CODE-${i}`,
    used_by: null,
    created_at: now - i,
    used_at: null,
  }))
  await fill(
    meta,
    'application',
    200,
    (i) => ({
      ...{ id: `application ${i}`, name: '語'.repeat(100), kind: 'web' as const, scopes: ALL_SCOPES },
      ...{
        redirect_uris: JSON.stringify(
          Array.from({ length: 20 }, (_, n) => `https://example.com/${'a'.repeat(2_000)}${n}`),
        ),
      },
      ...{ post_logout_redirect_uris: '[]', skip_consent: 0 as const, id_token_algorithm: 'RS256' as const },
      ...{ require_pkce: 1 as const, origin: 'administrator' as const, created_at: now - i, updated_at: now },
    }),
    10,
  )
  await fill(meta, 'product_scope', 200, (i) => ({
    scope: `product:area-${i}:read`,
    description: '語'.repeat(200),
    created_at: now,
  }))
}

async function insertDeliveries({ meta, secretBox }: Platform, now: number) {
  const webhooks = Array.from({ length: 100 }, (_, i) => ({
    ...{
      id: `webhook ${i}`,
      url: `https://example.com/${'a'.repeat(2_000)}`,
      types: '[]',
      enabled: 0 as const,
    },
    ...{ sealed: secretBox.seal('webhook', 'whsec_MTIz'), position: 0, created_at: now, updated_at: now },
    ...{ claimed_by: '', claimed_until: 0 },
  }))
  await meta.insertInto('webhook').values(webhooks).execute()
  const answer = '\u0001'.repeat(1_000)
  await fill(meta, 'webhook_delivery', 5_000, (i) => ({
    ...{
      id: `delivery ${i}`,
      webhook_id: 'webhook 0',
      event_id: `event ${i}`,
      position: i,
      type: 'user.updated',
    },
    ...{
      user_id: ANN,
      state: 'failed' as const,
      tries: 30,
      created_at: now - i,
      begun_at: now,
      next_attempt_at: now,
    },
    ...{ last_attempt_at: now, status: 500, answer, error: 'status', milliseconds: 10 },
  }))
}

/** Fills this many bytes of what counts: the administrator's note and reply do not. */
async function insertFeedbacks(shard: Shard, user_id: string, bytes: number, now: number) {
  const context = JSON.stringify({ page: 'a'.repeat(2_000) })
  const sent = { type: '\u0001'.repeat(64), content: LONG, context }
  const texts = [UGLY, LONG]
  const each = bytesOf({ ...sent, content: UGLY }) / 2 + bytesOf(sent) / 2
  const count = Math.floor(bytes / each)
  const ids: string[] = []
  await fill(
    shard,
    'feedbacks',
    count,
    (i) => {
      const id = newId()
      ids.push(id)
      const content = texts[i % 2] ?? LONG
      return {
        ...{
          id,
          user_id,
          ...sent,
          content,
          folded_content: content === LONG ? LONG : null,
          status: 'new' as const,
        },
        ...{ note: UGLY, reply: LONG, replied_at: now, created_at: now - count + i, updated_at: now },
      }
    },
    20,
  )
  const counted = { slot: 0, feedbacks: count }
  await shard
    .insertInto('feedback_counts')
    .values([
      { kind: 'user', value: user_id, bytes, ...counted },
      { kind: 'all', value: '', bytes: null, ...counted },
      { kind: 'type', value: sent.type, bytes: null, ...counted },
    ])
    .execute()
  return ids
}

async function insertMarks(shard: Shard, now: number) {
  await fill(
    shard,
    'notification_reads',
    50_000,
    (i) => ({ notification_id: i < 1_000 ? `notification ${i}` : `${'語'.repeat(118)}${i}`, user_id: ANN }),
    500,
  )
  await shard.insertInto('credit_balance').values({ user_id: ANN, balance: 10 }).execute()
  await fill(
    shard,
    'credit_entries',
    10_000,
    (i) => ({
      id: newId(),
      user_id: ANN,
      source_type: 'administrator',
      source_id: `${i}`,
      amount: 1,
      balance_after: i,
      created_at: now - i,
    }),
    200,
  )
}
