import { z } from 'zod'
import { isLoopback } from '../../../config/public-address.ts'
import { findKept, replaceKept } from '../../../database/instance.ts'
import type { Platform } from '../../../platform/platform.ts'
import { DAY_MILLISECONDS } from '../../../rules/time.ts'

const ADDRESS = 'public_address'
/** What elsewhere depends on the address is unknown here, so a change of it is mentioned for this long. */
const MENTIONED_MILLISECONDS = 7 * DAY_MILLISECONDS

const Kept = z.object({ address: z.string(), former: z.string().optional(), since: z.number() })

type Place = Pick<Platform, 'config' | 'meta' | 'now'>

/** Only the process that serves calls this, since commands may run without its values. */
export async function keepAddress({ config, meta, now }: Place): Promise<void> {
  const kept = await find(meta)
  if (kept?.address === config.baseUrl) return
  const isBack = kept?.former === config.baseUrl
  const value = { address: config.baseUrl, former: isBack ? undefined : kept?.address, since: now() }
  await replaceKept(meta, ADDRESS, JSON.stringify(value)).execute()
}

/** Undefined if it has not changed for a while, or was only on this machine. */
export async function findFormerAddress({ config, meta, now }: Place): Promise<string | undefined> {
  const kept = await find(meta)
  if (kept?.former === undefined || isLoopback(new URL(kept.former).hostname)) return undefined
  return kept.address === config.baseUrl && now() - kept.since < MENTIONED_MILLISECONDS ? kept.former : undefined
}

async function find(meta: Platform['meta']) {
  const value = await findKept(meta.primary, ADDRESS)
  return value === undefined ? undefined : Kept.parse(JSON.parse(value))
}
