import type { Platform } from '../../../platform/platform.ts'
import { DAY_MILLISECONDS } from '../../../rules/time.ts'
import { auditEntry } from '../../audit/audit.ts'
import { switchOffLetter } from './letter.ts'
import * as store from './store.ts'

const DEAD_AFTER_MILLISECONDS = 3 * DAY_MILLISECONDS

/** An endpoint that took nothing for three days is switched off, and the administrator gets a letter. */
export async function switchOffDead(platform: Platform): Promise<void> {
  const { meta, now } = platform
  for (const { id, url } of await store.switchOff(meta, now() - DEAD_AFTER_MILLISECONDS, now())) {
    const act = { action: 'webhook.switched_off', subject: { type: 'webhook', id }, details: { url } }
    const nobody = { id: null, address: null }
    await meta.batch([auditEntry(platform, nobody, act), await switchOffLetter(platform, url)])
    platform.background.wake('mail')
  }
}
