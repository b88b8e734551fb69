import { createHash } from 'node:crypto'
import type { Call } from '../../../http/route.ts'
import { isTestSecret } from '../../../platform/challenge/challenge.ts'
import type { Platform } from '../../../platform/platform.ts'
import { Refusal } from '../../../rules/refusal.ts'
import type { Settings } from '../../ground/settings/model.ts'

const HEADER = 'x-captcha-response'

/** Describes the header in the API of the routes that need it. */
export const challengeHeader = {
  [HEADER]: 'The response of the challenge, required while `client_config` has a `challenge_site_key`.',
} as const

/** Twice as long as the verifier itself accepts a response. */
const SPENT_SECONDS = 600

/** Runs before anything is looked up, hashed or sent. Nobody passes without a clear yes from the verifier. */
export async function refuseUnchallenged(call: Call, { authentication }: Settings): Promise<void> {
  if (!authentication.challenge_enabled) return
  const { platform, sender, exchange } = call
  const response = exchange.header(HEADER)
  if (!response) throw new Refusal('CHALLENGE_REQUIRED', `Send the challenge's response in ${HEADER}.`)
  const isPassed = (await platform.challenge.verify(response, sender.address)) && (await isFirstUse(platform, response))
  if (!isPassed) throw new Refusal('CHALLENGE_FAILED', 'The challenge was not passed. Try again.')
}

/** The published test secrets accept one response only, so it cannot be used up. */
async function isFirstUse({ config, keyValue }: Platform, response: string): Promise<boolean> {
  if (isTestSecret(config.challengeSecret ?? '')) return true
  const hash = createHash('sha256').update(response).digest('hex')
  return keyValue.setIfAbsent(`challenge:${hash}`, '', SPENT_SECONDS)
}
