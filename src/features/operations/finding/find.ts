import type { Compilable } from 'kysely'
import { z } from 'zod'
import type { FoundRow } from '../../../database/sql/found.ts'
import { type Meta, type Shard, unlessUnavailable } from '../../../database/store.ts'
import { hasScope } from '../../../http/protect.ts'
import type { ProtectedCall } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Scope } from '../../../rules/scopes.ts'
import { foundApproval } from '../../access/approvals/found-statements.ts'
import {
  foundApplication,
  foundApplicationSecret,
  foundApplicationsNamed,
} from '../../access/clients/found-statements.ts'
import { foundGrant, foundRequest, foundToken } from '../../access/grants/found-statements.ts'
import { foundProductScope } from '../../access/product-scopes/found-statements.ts'
import { foundDelivery, foundWebhook } from '../../delivery/webhooks/found-statements.ts'
import { foundEntry } from '../../ground/events/found-statements.ts'
import { foundPasskey } from '../../people/second-factor/found-statements.ts'
import { foundPendingSignIn, foundSession, foundTrustedDevice } from '../../people/sessions/found-statements.ts'
import { listUsersWithShards } from '../../people/user-data/user-data.ts'
import { foundUser } from '../../people/users/found-statements.ts'
import { usersShown } from '../../people/users/statements.ts'
import { foundShard } from '../../tenancy/shards/found-statements.ts'
import { readableShards } from '../../tenancy/shards/shards.ts'
import { foundBetaCode } from '../beta-codes/found-statements.ts'
import { foundCreditEntry } from '../credits/found-statements.ts'
import { foundFeedback } from '../feedback/found-statements.ts'
import { foundNotification } from '../notifications/found-statements.ts'
import type { Find } from './input.ts'

type Query = Compilable<FoundRow>
/** Each scope with what it lets its holder see. */
type Queries = Partial<Record<Scope, readonly Query[]>>

const MOST_USERS = 8

/** Reads only what the caller's scopes let it read anyway. */
export async function find({ platform, caller }: ProtectedCall, { sha256, text = '' }: Find) {
  const { meta, now } = platform
  const allowed = (queries: Queries) => allowedOf(queries, (scope) => hasScope(caller, scope))
  const read = async (queries: Queries) => (await meta.snapshot(allowed(queries))).flat()
  if (sha256 !== undefined) return shown(meta, await read(ofSecret(meta, sha256, now())))
  if (!z.uuid().safeParse(text).success)
    return shown(meta, [...(await usersNamed(platform, text)), ...(await read(ofWords(meta, text, now())))])
  const [rows, inShards] = await Promise.all([
    read(ofId(meta, text, now())),
    rowsInShards(platform, (shard) => allowed(ofIdInShard(shard, text))),
  ])
  return shown(meta, [...rows, ...inShards])
}

function allowedOf(queries: Queries, isAllowed: (scope: Scope) => boolean): readonly Query[] {
  return Object.entries(queries).flatMap(([scope, some]) => (isAllowed(scope as Scope) ? some : []))
}

function ofSecret(meta: Meta, hash: string, now: number): Queries {
  return {
    'admin:users:read': [
      foundSession(meta, 'token_hash', hash, now),
      foundTrustedDevice(meta, 'token_hash', hash, now),
      foundPendingSignIn(meta, hash, now),
      foundToken(meta, 'access_token', hash, now),
      foundToken(meta, 'refresh_token', hash, now),
      foundRequest(meta, 'code_hash', hash, now),
      foundRequest(meta, 'device_code_hash', hash, now),
    ],
    'admin:applications:read': [foundApplicationSecret(meta, hash)],
  }
}

function ofId(meta: Meta, id: string, now: number): Queries {
  return {
    'admin:users:read': [
      foundUser(meta, 'id', id),
      foundSession(meta, 'id', id, now),
      foundTrustedDevice(meta, 'id', id, now),
      foundPasskey(meta, id),
      foundGrant(meta, id),
      foundApproval(meta, id),
      foundRequest(meta, 'id', id, now),
    ],
    'admin:applications:read': [foundApplication(meta, id)],
    'admin:events:read': [foundWebhook(meta, id), foundDelivery(meta, id)],
    'admin:audit:read': [foundEntry(meta, id)],
    'admin:notifications:read': [foundNotification(meta, id)],
  }
}

function ofIdInShard(shard: Shard, id: string): Queries {
  return { 'admin:feedback:read': [foundFeedback(shard, id)], 'admin:users:read': [foundCreditEntry(shard, id)] }
}

/** Codes are compared as their forms take them: in capitals, and a device's without its hyphen. */
function ofWords(meta: Meta, text: string, now: number): Queries {
  const capitals = text.toUpperCase()
  return {
    'admin:users:read': [
      foundUser(meta, 'aff_code', text),
      foundRequest(meta, 'user_code', capitals.replace(/[^A-Z]/g, ''), now),
      foundPasskey(meta, text),
    ],
    'admin:applications:read': [
      foundApplication(meta, text),
      foundApplicationsNamed(meta, text),
      foundProductScope(meta, text),
    ],
    'admin:beta:read': [foundBetaCode(meta, capitals)],
    'admin:shards:read': [foundShard(meta, text)],
  }
}

/** By a part of the name, the address or the id. */
async function usersNamed(platform: Platform, search: string): Promise<readonly FoundRow[]> {
  const { items } = await listUsersWithShards(platform, {
    ...{ search, search_among: 'first', order: 'newest', page: 1, page_size: MOST_USERS },
  })
  return items.map(({ id, name, email, last_sign_in_at }) => {
    return { kind: 'user', id, title: name || email, owner_id: id, scopes: null, last_used_at: last_sign_in_at }
  })
}

/** Leaves out a shard that is down: the search goes on in the others. */
async function rowsInShards(platform: Platform, queries: (shard: Shard) => readonly Query[]) {
  const shards = (await readableShards(platform).catch(unlessUnavailable)) ?? [...platform.shards.values()]
  const found = await Promise.all(
    shards.map(async (shard) => (await shard.snapshot(queries(shard), 'primary').catch(unlessUnavailable)) ?? []),
  )
  return found.flat(2)
}

/** A row that is being moved is in two shards. */
async function shown(meta: Meta, rows: readonly FoundRow[]) {
  const distinct = [...new Map(rows.map((row) => [`${row.kind} ${row.id}`, row])).values()]
  const owners = await usersShown(
    meta,
    distinct.flatMap(({ owner_id }) => owner_id ?? []),
  )
  return {
    items: distinct.map(({ kind, id, title, owner_id, scopes, last_used_at }) => {
      const owner = owners.get(owner_id ?? '') ?? null
      return { kind, id, title: title ?? '', owner, scopes: scopes?.split(' ').filter(Boolean) ?? [], last_used_at }
    }),
  }
}
