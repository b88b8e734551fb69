import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import { firstBytes } from '../first-bytes.ts'
import type { Log } from '../log/log.ts'

/** The captcha's verifier. */
export interface Challenge {
  /** Undefined if no keys are set at deployment. */
  readonly siteKey: string | undefined
  /** True if the verifier confirms this response; false if it does not, or cannot be reached in time. */
  verify(response: string, clientAddress: string): Promise<boolean>
}

type Keys = Pick<Config, 'challengeSiteKey' | 'challengeSecret' | 'challengeVerifyUrl'>

const TIMEOUT_MILLISECONDS = 5_000
const LONGEST_RESPONSE = 2_048
const READ_BYTES = 64 * 1024

// Published for tests: these secrets accept one response only, and their result is fixed.
const TEST_RESPONSE = 'XXXX.DUMMY.TOKEN.XXXX'
const TEST_VERDICTS: ReadonlyMap<string, boolean> = new Map([
  ['1x0000000000000000000000000000000AA', true],
  ['2x0000000000000000000000000000000AA', false],
  // Reports every response as already spent.
  ['3x0000000000000000000000000000000AA', false],
])

export function isTestSecret(secret: string): boolean {
  return TEST_VERDICTS.has(secret)
}

/** Cloudflare Turnstile, or another service with the same verification API. */
export function turnstileChallenge(keys: Keys, log: Log): Challenge {
  return {
    siteKey: keys.challengeSiteKey,
    async verify(response, clientAddress) {
      const secret = keys.challengeSecret
      if (secret === undefined || response.length > LONGEST_RESPONSE) return false
      const verdict = TEST_VERDICTS.get(secret)
      if (verdict !== undefined) return verdict && response === TEST_RESPONSE
      return ask(keys.challengeVerifyUrl, { secret, response, remoteip: clientAddress }, log)
    },
  }
}

const Verdict = z.object({ success: z.boolean(), 'error-codes': z.array(z.string()).default([]) })

/** Anything but a clear yes in time counts as a no. */
async function ask(url: string, question: Record<string, string>, log: Log): Promise<boolean> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams(question),
      signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
      redirect: 'error',
    })
    const verdict = Verdict.parse(JSON.parse(await firstBytes(answer, READ_BYTES)))
    const isOurFault = verdict['error-codes'].some((code) => code.endsWith('-secret'))
    if (isOurFault) log.error({ codes: verdict['error-codes'] }, 'the challenge verifier rejects CHALLENGE_SECRET')
    return answer.ok && verdict.success
  } catch (error) {
    log.warn({ error }, 'the challenge verifier gave no verdict')
    return false
  }
}
