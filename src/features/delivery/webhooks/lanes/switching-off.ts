import type { Expression } from 'kysely'
import { batchBehind } from '../../../../database/guard.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { DAY_MILLISECONDS } from '../../../../rules/time.ts'
import { type Act, auditEntryIf } from '../../../ground/audit/audit.ts'
import { currentSettings } from '../../../ground/settings/settings.ts'
import { mailStatementIf } from '../../mail/queue.ts'
import { letterHead } from '../../mail/sender.ts'
import { switchedOffLetter } from '../../mail/switched-off-letter.ts'
import { maskedUrl } from '../masked-url.ts'
import { isThere } from '../store.ts'
import * as store from './switching-off-store.ts'

const SWITCHED_OFF_AFTER_MILLISECONDS = 3 * DAY_MILLISECONDS
const NOBODY = { id: null, address: null }

/** Switches off endpoints that have not accepted anything for three days, and sends the administrator a letter. */
export async function switchOffFailing(platform: Platform): Promise<void> {
  const { meta, now } = platform
  const time = now() - SWITCHED_OFF_AFTER_MILLISECONDS
  for (const { id, url } of await store.failingSince(meta, time)) await switchOff(platform, id, url, time)
}

async function switchOff(platform: Platform, id: string, url: string, time: number): Promise<void> {
  const { meta, now } = platform
  const details = { url: maskedUrl(url) }
  const act: Act = { action: 'webhook.switched_off', subject: { type: 'webhook', id }, details }
  const guard = store.switchOff(
    meta,
    id,
    time,
    now(),
    (cause) => new NoLongerFailing('the webhook no longer fails', { cause }),
  )
  try {
    // It can be deleted while the guard waits for it.
    const still = isThere(meta, id)
    await batchBehind(meta, guard, [
      auditEntryIf(platform, NOBODY, act, still),
      await letterStatementIf(platform, url, still),
    ])
  } catch (error) {
    if (!(error instanceof NoLongerFailing)) throw error
  }
}

/** The path of an endpoint may contain a secret, so the letter only shows its host. */
async function letterStatementIf(platform: Platform, url: string, onlyIf: Expression<unknown>) {
  const head = await letterHead(platform, await currentSettings(platform))
  const { host } = new URL(url)
  const mail = {
    kind: 'notice',
    to: head.supportEmail,
    expiresAt: platform.now() + DAY_MILLISECONDS,
    ...switchedOffLetter(head, { host, consoleUrl: `${platform.config.baseUrl}/console/webhooks` }),
  } as const
  return mailStatementIf(platform, mail, onlyIf)
}

/** It has accepted something, or another process has switched it off. */
class NoLongerFailing extends Error {
  override readonly name = 'NoLongerFailing'
}
