import { StoreUnavailable } from '../../database/store.ts'
import { eventsAfter, feedAfter, LATEST } from '../../features/ground/events/listing.ts'
import { readMembers, readOrganizations } from '../../features/people/organizations/kept-by-products.ts'
import { readUsers } from '../../features/people/user-data/kept-by-products.ts'
import type { Platform } from '../../platform/platform.ts'
import { ReadById } from '../../rules/paging.ts'
import { Refusal } from '../../rules/refusal.ts'
import { CursorLost, EVENTS_AT_ONCE, MIRRORED_EVENTS, rowsOf, type Source, Unavailable } from './source.ts'

const READ = { users: readUsers, organizations: readOrganizations, members: readMembers }

/** The stores of this host, beside what serves them. */
export function hostSource(platform: Platform, ended: AbortSignal): Source {
  return {
    hasOrganizations: true,
    feedEnd: () => asked(async () => (await eventsAfter(platform, { after: LATEST, limit: 1 })).next),
    feed: (after, waitSeconds) =>
      asked(() => feedAfter(platform, { after, types: MIRRORED_EVENTS, limit: EVENTS_AT_ONCE }, waitSeconds, ended)),
    read: (table, wanted) =>
      asked(async () => rowsOf(table, (await READ[table](platform, ReadById.parse(wanted))).items)),
  }
}

async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof StoreUnavailable) throw new Unavailable(error.message)
    // The only thing to refuse here is a cursor that is ahead of every event.
    if (error instanceof Refusal && error.code === 'INVALID_REQUEST') throw new CursorLost()
    throw error
  }
}
