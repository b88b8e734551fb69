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
) {
  for (let from = 0; from < count; from += ROWS_AT_ONCE) {
    const rows = Array.from({ length: Math.min(ROWS_AT_ONCE, count - from) }, (_, i) => row(from + i))
    await store.insertInto(table).values(rows).execute()
  }
}

const ROWS_AT_ONCE = 50

/**
 * Fills every table that a user or the administrator can write, up to its quota, with the ugliest that is allowed.
 * Returns the ids of Ann's feedback.
 */
export async function fillTables(platform: Platform): Promise<readonly string[]> {
  const { meta, shards } = platform
  const now = Date.now()
  const ofAdministrator = meta.selectFrom('user').select('id').where('role', '=', 'administrator')
  const { id: administratorId } = await ofAdministrator.executeTakeFirstOrThrow()
  const shard = shards.get('apac-1')
  const other = shards.get('weur-1')
  if (!shard || !other) throw new Error('the first shards are missing')
  await insertUsers(meta, now)
  await insertSessions(meta, now, administratorId)
  await insertGrants(meta, now)
  await insertOwn(meta, now)
  await insertEvents(meta, now)
  await insertPublished(meta, now)
  await insertDeliveries(platform, now)
  const feedbacks = await insertFeedbacks(shard, ANN, MOST_FEEDBACK_BYTES, now)
  await insertFeedbacks(other, BEN, MOST_FEEDBACK_BYTES / 4, now)
  await insertMarks(shard, now)
  return feedbacks
}

async function insertUsers(meta: Meta, now: number) {
  const common = { email_verified: 1, role: 'user', factors: '', suspended_at: null, last_sign_in_at: now } as const
  await fill(meta, 'user', USERS, (i) => {
    const name = `${'語'.repeat(240)} ${i}`
    const own = { id: userId(i), name, folded_name: name, email: `person-${i}@example.com`, aff_code: `BENCH${i}` }
    return { ...common, ...own, created_at: now - i, updated_at: now - i }
  })
  const home = { created_at: now, signup_reward: 0, moves: 0 }
  const shardOf = (i: number) => (i === 1 ? 'weur-1' : 'apac-1')
  await fill(meta, 'user_shards', USERS, (i) => ({ user_id: userId(i), shard_id: shardOf(i), ...home }))
}

const SEEN = { ip: '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', user_agent: AGENT, place: '語'.repeat(60) }

async function insertSessions(meta: Meta, now: number, administratorId: string) {
  const times = { created_at: now, refreshed_at: now, last_used_at: now, confirmed_at: now }
  const session = { ...times, expires_at: now + 30 * DAY_MILLISECONDS, ...SEEN }
  const tokens = { [ANN]: TOKENS.ann, [administratorId]: TOKENS.administrator }
  for (const user_id of [ANN, administratorId, ...CROWDED])
    await fill(meta, 'session', 100, (i) => {
      const token = (i === 0 && tokens[user_id]) || `ghs_${user_id}${i}`
      return { id: `${user_id} ${i}`, user_id, token_hash: tokenHash(token), ...session }
    })
  const by = { user_id: ANN, administrator_id: administratorId, administrator_session_id: `${administratorId} 1` }
  const acted = { ...by, reason: '語'.repeat(500), mode: 'read_and_write', ended_at: now } as const
  await fill(meta, 'impersonation', 300, (i) => ({ id: `impersonation ${i}`, ...acted, started_at: now - i }))
  const act = { impersonation_id: 'impersonation 1', user_id: ANN, route: '/api/submit_feedback' }
  await fill(meta, 'impersonation_act', 1_000, (i) => ({ id: newId(), ...act, at: now - i }))
  const trust = { created_at: now, expires_at: now + DAY_MILLISECONDS, last_used_at: now, ...SEEN }
  for (const user_id of [ANN, administratorId])
    await fill(meta, 'trusted_device', 20, (i) => {
      return { id: `device ${user_id} ${i}`, user_id, token_hash: `${user_id} ${i}`, ...trust }
    })
}

async function insertGrants(meta: Meta, now: number) {
  const common = { client_name: '語'.repeat(100), target_origin: 'https://example.com', scopes: ALL_SCOPES }
  const kept = { is_offline: 1, approval: 'none', last_used_at: now, expires_at: now + 30 * DAY_MILLISECONDS } as const
  for (const user_id of [ANN, ...CROWDED])
    await fill(meta, 'api_grant', MOST_GRANTS, (i) => {
      const id = user_id === ANN ? `grant ${i}` : `grant ${user_id} ${i}`
      return { id, user_id, ...kindOf(i), ...common, ...kept, created_at: now - i }
    })
  const ofTool = { grant_id: 'grant 600', created_at: now, expires_at: now + DAY_MILLISECONDS }
  await fill(meta, 'access_token', 1, () => ({ token_hash: tokenHash(TOKENS.tool), scopes: ALL_SCOPES, ...ofTool }))
  const act = { grant_id: 'grant 600', path: '/api/admin/update_notification', ip: SEEN.ip, status: 200 }
  await fill(meta, 'grant_act', 1_000, (i) => ({ id: newId(), ...act, approval_id: newId(), created_at: now - i }))
  const input = JSON.stringify({ title: 'One', content: UGLY })
  const call = { user_id: ANN, method: 'POST', path: '/api/submit_feedback', input, state: 'pending' } as const
  await fill(meta, 'approval', 50, (i) => ({ id: newId(), ...call, ...ofTool, created_at: now - i }))
}

async function insertOwn(meta: Meta, now: number) {
  const account = { id: 'account', user_id: ANN, provider: 'credential', issuer: '', provider_account_id: ANN } as const
  const password = { password_hash: `${'0'.repeat(16)}:${'1'.repeat(40)}`, password_is_initial: 0 } as const
  await fill(meta, 'account', 1, () => ({ ...account, ...password, created_at: now, updated_at: now }))
  const kept = JSON.stringify({ text: '\u0001'.repeat(1_300) })
  await fill(meta, 'user_data', 1, () => ({ user_id: ANN, public: kept, private: kept, own: kept, version: 1 }))
  const preference = { user_id: ANN, email: 'off' } as const
  await fill(meta, 'notification_preference', 100, (i) => ({ ...preference, type: `${'語'.repeat(60)}${i}` }))
  const key = { public_key: 'A'.repeat(500), counter: 0, device_type: 'multiDevice', transports: 'usb,nfc,ble' }
  const flags = { is_backed_up: 1, is_user_verified: 0, rp_id: 'localhost', last_use: '', created_at: now } as const
  await fill(meta, 'passkey', 20, (i) => {
    const own = { id: `passkey ${i}`, user_id: ANN, credential_id: `credential-${i}`, aaguid: newId() }
    return { ...own, ...key, ...flags, name: '語'.repeat(64) }
  })
}

function insertEvents(meta: Meta, now: number) {
  const details = JSON.stringify({ user_id: ANN, note: UGLY })
  const entry = { action: 'feedback.update', actor_id: ANN, subject_type: 'user', subject_id: ANN, ip: '192.0.2.1' }
  const event = { details, type: 'feedback.updated', user_id: ANN, data: details } as const
  return fill(meta, 'event', 2_000, (i) => {
    return { id: newId(), created_at: now - i, ...entry, ...event, position: now * 1_000 + i }
  })
}

async function insertPublished(meta: Meta, now: number) {
  const text = { type: '語'.repeat(64), title: '語'.repeat(200), content: UGLY, link: null }
  const sent = { level: 'info', also_email: 0, updated_at: now } as const
  await fill(meta, 'notifications', 2_000, (i) => {
    const target_user_id = i % 2 === 0 ? ANN : null
    return { id: `notification ${i}`, ...text, ...sent, target_user_id, created_at: now - i }
  })
  // The most that a body of 64 KB can have, a hundred times.
  const entries = Array.from({ length: 230 }, (_, i) => [`filter ${i}`, 'a'.repeat(254)])
  const view = { list: 'users' as const, filters: JSON.stringify(Object.fromEntries(entries)), created_at: now }
  await fill(meta, 'saved_view', 100, (i) => ({ id: `view ${i}`, name: `View ${i}`, ...view }))
  await fill(meta, 'saved_reply', 100, (i) => ({ id: `reply ${i}`, name: `Reply ${i}`, text: UGLY, created_at: now }))
  const unused = { used_by: null, used_at: null }
  await fill(meta, 'beta_codes', 10_000, (i) => ({ code: `CODE-${i}`, ...unused, created_at: now - i }))
  const addresses = Array.from({ length: 20 }, (_, i) => `https://example.com/${'a'.repeat(2_000)}${i}`)
  const uris = { redirect_uris: JSON.stringify(addresses), post_logout_redirect_uris: '[]' }
  const rules = { skip_consent: 0, require_pkce: 1, origin: 'administrator', id_token_algorithm: 'RS256' } as const
  const application = { name: '語'.repeat(100), kind: 'web', scopes: ALL_SCOPES, ...uris, ...rules } as const
  await fill(meta, 'application', 200, (i) => {
    return { id: `application ${i}`, ...application, created_at: now - i, updated_at: now }
  })
  const picture = { name: 'logo', type: 'png', digest: '', data: 'a'.repeat(270_000) } as const
  await fill(meta, 'application_picture', 20, (i) => ({ application_id: `application ${i}`, ...picture }))
  const scope = { description: '語'.repeat(200), created_at: now }
  await fill(meta, 'product_scope', 200, (i) => ({ scope: `product:area-${i}:read`, ...scope }))
}

async function insertDeliveries({ meta, secretBox }: Platform, now: number) {
  const sealed = secretBox.seal('webhook', 'whsec_MTIz')
  const url = `https://example.com/${'a'.repeat(2_000)}`
  const endpoint = { url, types: '[]', enabled: 0, sealed, position: 0, claimed_by: '', claimed_until: 0 } as const
  const times = { created_at: now, updated_at: now }
  await fill(meta, 'webhook', 100, (i) => ({ id: `webhook ${i}`, ...endpoint, ...times }))
  const failed = { webhook_id: 'webhook 0', type: 'user.updated', user_id: ANN, state: 'failed', tries: 30 } as const
  const attempted = { begun_at: now, next_attempt_at: now, last_attempt_at: now, milliseconds: 10 }
  const sent = { ...failed, ...attempted, status: 500, answer: '\u0001'.repeat(1_000), error: 'status' }
  await fill(meta, 'webhook_delivery', 5_000, (i) => {
    return { id: `delivery ${i}`, event_id: `event ${i}`, position: i, created_at: now - i, ...sent }
  })
}

/** Up to this many bytes of what counts: a note and a reply of the administrator's do not. */
async function insertFeedbacks(shard: Shard, user_id: string, bytes: number, now: number) {
  const sent = { type: '\u0001'.repeat(64), content: LONG, context: JSON.stringify({ page: 'a'.repeat(2_000) }) }
  const each = bytesOf({ ...sent, content: UGLY }) / 2 + bytesOf(sent) / 2
  const ids = Array.from({ length: Math.floor(bytes / each) }, () => newId())
  const answered = { status: 'new', note: UGLY, reply: LONG, replied_at: now, updated_at: now } as const
  await fill(shard, 'feedbacks', ids.length, (i) => {
    const text = i % 2 === 0 ? { content: UGLY, folded_content: null } : { content: LONG, folded_content: LONG }
    return { id: ids[i] ?? '', user_id, ...sent, ...text, ...answered, created_at: now - ids.length + i }
  })
  const counted = { slot: 0, feedbacks: ids.length }
  const all = { kind: 'all' as const, value: '', bytes: null, ...counted }
  const ofType = { kind: 'type' as const, value: sent.type, bytes: null, ...counted }
  const ofUser = { kind: 'user' as const, value: user_id, bytes, ...counted }
  await shard.insertInto('feedback_counts').values([all, ofType, ofUser]).execute()
  return ids
}

async function insertMarks(shard: Shard, now: number) {
  const idOf = (i: number) => (i < 1_000 ? `notification ${i}` : `${'語'.repeat(118)}${i}`)
  await fill(shard, 'notification_reads', 50_000, (i) => ({ notification_id: idOf(i), user_id: ANN }))
  await fill(shard, 'credit_balance', 1, () => ({ user_id: ANN, balance: 10 }))
  const gift = { user_id: ANN, source_type: 'administrator', amount: 1 }
  await fill(shard, 'credit_entries', 10_000, (i) => {
    return { id: newId(), ...gift, source_id: `${i}`, balance_after: i, created_at: now - i }
  })
}
