import type { Meta } from '../../../database/store.ts'
import type { SignedInCall } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { type Page, sliceOf } from '../../../rules/paging.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { namesOfApplications } from '../clients/statements.ts'
import { holdersOf, ownGrants } from '../grants/statements.ts'
import { writeActs } from './acts.ts'
import * as store from './store.ts'

export async function listGrantActs({ platform, caller }: SignedInCall, id: string, page: Page) {
  const [grant] = await ownGrants(platform.meta, caller.user.id, [id])
  if (!grant) throw noSuchConnection()
  await writeActs(platform)
  const { items, total } = await store.actsPage(platform.meta, id, sliceOf(page))
  const serviceOf = await servicesNamed(platform.meta, items)
  return {
    items: items.map(({ path, grant_id: _, actor_id, code, ...act }) => ({
      ...act,
      route: path,
      service: serviceOf(actor_id),
      ...(code !== null && { code }),
    })),
    total,
  }
}

const NEWEST = 100

/** The newest calls of all connections, for the administrator. */
export async function latestActs(platform: Platform) {
  await writeActs(platform)
  const acts = await store.newestActs(platform.meta, NEWEST)
  const grants = await holdersOf(platform.meta, [...new Set(acts.map(({ grant_id }) => grant_id))])
  const byId = new Map(grants.map((grant) => [grant.id, grant]))
  return acts.flatMap((act) => {
    const grant = byId.get(act.grant_id)
    return grant ? [{ ...act, user_id: grant.user_id, client_name: grant.client_name }] : []
  })
}

/** The names of the services that acted through connections. */
export async function servicesNamed(meta: Meta, of: readonly { readonly actor_id: string | null }[]) {
  const names = await namesOfApplications(meta, [...new Set(of.flatMap(({ actor_id }) => actor_id ?? []))])
  return (id: string | null) => id && (names.get(id) ?? id)
}

export function noSuchConnection(): Refusal {
  return new Refusal('NOT_FOUND', 'You have no such connection.')
}
