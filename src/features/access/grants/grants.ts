import type { ApiGrantTable } from '../../../database/schema/products/grants.ts'
import type { Call } from '../../../http/route.ts'
import { type Page, sliceOf } from '../../../rules/paging.ts'
import { getUser } from '../../people/users/users.ts'
import { domainOf } from '../clients/client.ts'
import { namesOfApplications } from '../clients/statements.ts'
import type { Grant } from './input.ts'
import { storedScopes } from './requests/requested-scopes.ts'
import { actorsOfGrants } from './statements.ts'
import * as store from './store.ts'

export async function listGrants({ platform }: Call, userId: string, page: Page, kinds: store.Kinds) {
  const { meta, now } = platform
  const { items, total } = await store.grantsPage(meta, userId, kinds, now(), sliceOf(page))
  const services = await actingServices(
    platform,
    items.flatMap(({ id, revoked_at }) => (revoked_at === null ? id : [])),
  )
  return { items: items.map((grant) => wireGrant(grant, platform.now(), services.get(grant.id))), total }
}

/** The names of the services that act through each grant. */
export async function actingServices({ meta, now }: Call['platform'], grantIds: readonly string[]) {
  const rows = await actorsOfGrants(meta, grantIds, now())
  const names = await namesOfApplications(
    meta,
    rows.flatMap(({ actor_id }) => actor_id ?? []),
  )
  const named = Map.groupBy(rows, ({ grant_id }) => grant_id)
  return new Map(
    [...named].map(([id, actors]) => [id, actors.flatMap(({ actor_id }) => names.get(actor_id ?? '') ?? [])]),
  )
}

export async function listUserGrants(call: Call, userId: string, page: Page) {
  await getUser(call.platform.meta, userId)
  return listGrants(call, userId, page, 'all')
}

type Listed = ApiGrantTable & { readonly ended_with_session: unknown }

export function wireGrant(grant: Listed, now: number, services: readonly string[] = []): Grant {
  return {
    id: grant.id,
    client_name: grant.client_name,
    client_domain: domainOf(grant.client_id),
    kind: grant.kind,
    target_origin: grant.target_origin,
    scopes: [...storedScopes(grant.scopes)],
    status: statusOf(grant, now),
    daily_limit: grant.daily_limit,
    approval: grant.approval,
    acting_services: [...services],
    created_at: grant.created_at,
    last_used_at: grant.last_used_at,
    revoked_at: grant.revoked_at,
    expires_at: grant.expires_at,
  }
}

function statusOf({ revoked_at, expires_at, ended_with_session }: Listed, now: number): Grant['status'] {
  if (revoked_at !== null || ended_with_session) return 'revoked'
  return expires_at <= now ? 'expired' : 'active'
}
