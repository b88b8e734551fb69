import type { Job } from '../../../platform/background.ts'
import type { Platform } from '../../../platform/platform.ts'
import { DAY_MILLISECONDS, MINUTE_MILLISECONDS } from '../../../rules/time.ts'
import { deleteUnusedGuests } from './guest-statements.ts'
import * as requests from './requests/store.ts'
import * as store from './store.ts'

/** A reused code is recognised for a day. */
const KEEP_REQUESTS_DAYS = 1
/** Anyone can begin a device request, so it is deleted soon after it ends. A device that still polls finds none. */
const KEEP_DEVICE_REQUESTS_MILLISECONDS = 10 * MINUTE_MILLISECONDS
/** How long a client that registered itself is kept without a user's connection. */
const KEEP_REGISTRATIONS_DAYS = 30
/** The next sweep deletes the tokens of a revoked connection; if it fails or is late, later ones do for this long. */
const REVOKED_TOKENS_DAYS = 7
/** Ended connections stay listed for a while. */
const KEEP_GRANTS_DAYS = 90

export function grantsSweep({ meta, now }: Platform, deleteActs: store.DeleteActs): Job {
  return {
    name: 'grants-sweep',
    everySeconds: 600,
    async run() {
      await requests.deleteRequestsBefore(meta, now() - KEEP_DEVICE_REQUESTS_MILLISECONDS, 'device')
      await deleteUnusedGuests(meta, {
        document: now() - DAY_MILLISECONDS,
        registration: now() - KEEP_REGISTRATIONS_DAYS * DAY_MILLISECONDS,
      })
      await requests.deleteRequestsBefore(meta, now() - KEEP_REQUESTS_DAYS * DAY_MILLISECONDS)
      const forget = {
        grantsBefore: now() - KEEP_GRANTS_DAYS * DAY_MILLISECONDS,
        unlistedBefore: now() - KEEP_REQUESTS_DAYS * DAY_MILLISECONDS,
        tokensSince: now() - REVOKED_TOKENS_DAYS * DAY_MILLISECONDS,
      }
      await store.deleteEnded(meta, now(), forget, deleteActs)
    },
  }
}
