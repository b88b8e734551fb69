import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { sealedCookie } from '../../../../http/answers/sealed-cookie.ts'
import type { Call } from '../../../../http/route.ts'
import { networkOf } from '../../../../rules/networks.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import { countUse } from '../../../ground/limits/limits.ts'

const LIFETIME_SECONDS = 300

const Ceremony = z.object({
  challenge: z.string(),
  kind: z.enum(['registration', 'authentication', 'sign-up', 'invitation']),
  /** The user whose passkey it must be; absent if any passkey will do. */
  userId: z.string().optional(),
  /** The data of a new account. */
  account: z.object({ email: z.string(), name: z.string() }).optional(),
  expiresAt: z.number(),
})
export type Ceremony = z.output<typeof Ceremony>

const COOKIE = sealedCookie('passkey', {
  purpose: 'passkey ceremony',
  schema: Ceremony,
  lifetimeSeconds: LIFETIME_SECONDS,
})

/** Binds the options to this browser: a sealed cookie, valid for one response within five minutes. */
export function beginCeremony(call: Call, about: Omit<Ceremony, 'challenge' | 'expiresAt'>): Buffer<ArrayBuffer> {
  const challenge = randomBytes(32)
  COOKIE.set(call, {
    ...about,
    challenge: challenge.toString('base64url'),
    expiresAt: call.platform.now() + LIFETIME_SECONDS * 1000,
  })
  return Buffer.from(challenge)
}

/** The first response uses it up, right or wrong, in any process. */
export async function takeCeremony(call: Call, kind: Ceremony['kind']): Promise<Ceremony> {
  const { platform, sender } = call
  const ceremony = COOKIE.of(call)
  if (ceremony?.kind !== kind || ceremony.expiresAt <= platform.now()) throw noCeremony()
  await countUse(platform, 'passkey-responses', networkOf(sender.address))
  const hash = createHash('sha256').update(ceremony.challenge).digest('base64url')
  if (!(await platform.keyValue.setIfAbsent(`passkey:${hash}`, '', LIFETIME_SECONDS))) throw noCeremony()
  COOKIE.clear(call)
  return ceremony
}

function noCeremony(): Refusal {
  return new Refusal('INVALID_PASSKEY', 'The passkey request has expired or was already used. Try again.')
}
