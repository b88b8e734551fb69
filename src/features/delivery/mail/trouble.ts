import { z } from 'zod'
import { tableKeyValue } from '../../../platform/key-value/table.ts'
import type { Platform } from '../../../platform/platform.ts'
import { DAY_SECONDS } from '../../../rules/time.ts'
import { currentSettings } from '../../ground/settings/current-settings.ts'
import { isMailAvailable } from './sender.ts'

/** Since when the provider has not accepted any mail, and the first reason that it gave. */
export const MailTrouble = z.object({ since: z.int(), reason: z.string() })
export type MailTrouble = z.output<typeof MailTrouble>

const KEY = 'mail-trouble'
const LIFETIME_SECONDS = 7 * DAY_SECONDS
const ACCEPTED = 'mail-accepted'
const YEAR_SECONDS = 365 * DAY_SECONDS
const accepted = new WeakSet<object>()

type Stored = Pick<Platform, 'meta' | 'now'>

/** Kept beside the queue, because mails that expire unsent leave nothing there. */
const kept = ({ meta, now }: Stored) => tableKeyValue(meta, now)

export async function beginMailTrouble(platform: Stored, reason: string): Promise<void> {
  const trouble: MailTrouble = { since: platform.now(), reason }
  await kept(platform).setIfAbsent(KEY, JSON.stringify(trouble), LIFETIME_SECONDS)
}

/** The provider has accepted a letter. That it ever did is written once by each process. */
export async function endMailTrouble(platform: Stored): Promise<void> {
  await kept(platform).delete(KEY)
  if (accepted.has(platform.meta)) return
  accepted.add(platform.meta)
  await kept(platform).setIfAbsent(ACCEPTED, 'yes', YEAR_SECONDS)
}

/** True once a letter was accepted, unless no provider is chosen any more. */
export async function doesMailWork(platform: Platform): Promise<boolean> {
  if (!isMailAvailable(platform, await currentSettings(platform))) return false
  return (await kept(platform).get(ACCEPTED)) !== undefined
}

/** Undefined if the last mail was accepted, or if no provider is chosen any more. */
export async function findMailTrouble(platform: Platform): Promise<MailTrouble | undefined> {
  if (!isMailAvailable(platform, await currentSettings(platform))) return undefined
  const found = await kept(platform).get(KEY)
  return found && MailTrouble.parse(JSON.parse(found.value))
}
