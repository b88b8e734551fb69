import type { Job } from '../../../platform/background.ts'
import type { Platform } from '../../../platform/platform.ts'
import { DAY_MILLISECONDS, MINUTE_SECONDS } from '../../../rules/time.ts'
import { decide } from '../../ground/acts/acts.ts'
import { letter } from '../../ground/letters/letters.ts'
import { getSupportEmail } from '../mail/sender.ts'
import { addMissingLanes, missingLanes } from './logout/statements.ts'
import { maskedUrl } from './masked-url.ts'
import { failingSince, lockedWebhook, updateWebhookRow } from './store.ts'

const SWITCHED_OFF_AFTER_MILLISECONDS = 3 * DAY_MILLISECONDS

/** Switches off endpoints that have not accepted anything for three days, and adds missing lanes. */
export function webhookUpkeepJob(platform: Platform): Job {
  const { meta, now } = platform
  return {
    name: 'webhook-upkeep',
    everySeconds: MINUTE_SECONDS,
    async run() {
      const failing = failingSince(meta, now() - SWITCHED_OFF_AFTER_MILLISECONDS)
      const [toSwitchOff, missing] = await meta.snapshot([failing, missingLanes(meta)], 'primary')
      for (const { id } of toSwitchOff) await switchOff(platform, id)
      if (missing.length > 0) await addMissingLanes(meta, now())
    },
  }
}

/** Also sends the administrator a letter. */
async function switchOff(platform: Platform, id: string): Promise<void> {
  const { meta, now } = platform
  const time = now() - SWITCHED_OFF_AFTER_MILLISECONDS
  const to = await getSupportEmail(platform)
  await decide({ platform }, [lockedWebhook(meta, id)], async (act, [webhook]) => {
    // Deleted, or it has accepted something, or another process has switched it off.
    if (webhook?.enabled !== 1 || webhook.failing_since === null || webhook.failing_since > time) return
    // The path may contain a secret, so the letter only shows the host.
    const { host } = new URL(webhook.url)
    const content = { about: 'webhook switched off', host } as const
    const expiresAt = now() + DAY_MILLISECONDS
    act.write(
      updateWebhookRow(meta, id, { enabled: 0, switched_off_at: now() }),
      letter(platform, { kind: 'notice', to, expiresAt, content }),
    )
    act.record('webhook.switched_off', { subject: { type: 'webhook', id }, details: { url: maskedUrl(webhook.url) } })
  })
}
