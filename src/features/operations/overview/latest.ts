import { unlessUnavailable } from '../../../database/store.ts'
import type { Platform } from '../../../platform/platform.ts'
import { onOneLine } from '../../../rules/one-line.ts'
import { routeActionOf, scopeOfRoute } from '../../../rules/scopes.ts'
import { latestActs } from '../../access/grant-calls/listing.ts'
import { listAuditEntries } from '../../ground/audit/log.ts'
import { namesOfUsers } from '../../people/users/statements.ts'
import { listUsers } from '../../people/users/users.ts'
import { homeColumn } from '../../tenancy/shards/statements.ts'
import { listFeedbacks } from '../feedback/listing.ts'
import type { Latest } from './input.ts'

const SHOWN = 10
const EXCERPT = 120
const FIRST = { order: 'newest', page: 1, page_size: SHOWN } as const
const REFUSALS = ['user.sign_in_refused', 'user.sign_up_refused']

/** What has happened last, newest first; without the feedback while a shard is down. */
export async function latestOf(platform: Platform): Promise<{ items: Latest[] }> {
  const all = await Promise.all([signUps(platform), refusals(platform), feedbacks(platform), acts(platform)])
  const items = all.flat().toSorted((a, b) => b.at - a.at)
  return { items: items.slice(0, SHOWN) }
}

async function signUps({ meta }: Platform): Promise<readonly Latest[]> {
  const { items } = await listUsers(meta, FIRST, (id) => homeColumn(meta, id))
  return items.map(({ id, email, created_at }) => ({
    ...{ id, kind: 'sign_up' as const, at: created_at, user_id: id },
    ...{ who: email, text: '', action: null },
  }))
}

async function refusals(platform: Platform): Promise<readonly Latest[]> {
  const { items } = await listAuditEntries(platform, { ...FIRST, action: REFUSALS })
  return items.map(({ id, action, created_at, actor_id, actor_email, ip, details }) => ({
    ...{ id, kind: 'refusal' as const, at: created_at, user_id: actor_id, action },
    who: actor_email ?? String(details.address ?? ip ?? ''),
    text: String(details.code ?? ''),
  }))
}

async function feedbacks(platform: Platform): Promise<readonly Latest[]> {
  const list = await listFeedbacks(platform, FIRST).catch(unlessUnavailable)
  const rows = list?.items ?? []
  const names = await namesOfUsers(platform.meta, [...new Set(rows.map(({ user_id }) => user_id))])
  return rows.map(({ id, user_id, content, created_at }) => ({
    ...{ id, kind: 'feedback' as const, at: created_at, user_id, action: null },
    ...{ who: names.get(user_id) ?? '', text: onOneLine(content).slice(0, EXCERPT).toWellFormed() },
  }))
}

const ACCEPTED = 202

/** Without calls that read, of which a program can make hundreds in a minute, and those that wait for approval. */
async function acts(platform: Platform): Promise<readonly Latest[]> {
  const rows = await latestActs(platform)
  const writes = rows.filter(
    ({ path, status }) => status !== ACCEPTED && scopeOfRoute(path)?.endsWith(':read') === false,
  )
  return writes.slice(0, SHOWN).map(({ id, path, user_id, client_name, created_at, status }) => ({
    ...{ id, kind: 'assistant' as const, at: created_at, user_id, action: routeActionOf(path) ?? null },
    ...{ who: client_name, text: status >= 400 ? String(status) : '' },
  }))
}
