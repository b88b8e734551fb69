import { randomBytes } from 'node:crypto'
import * as oauth from 'oauth4webapi'
import { z } from 'zod'
import type { Config } from '../../../../../config/config.ts'
import { ownCookie } from '../../../../../http/answers/own-cookie.ts'
import type { Exchange } from '../../../../../http/exchange.ts'
import type { Call } from '../../../../../http/route.ts'
import type { Job } from '../../../../../platform/background.ts'
import type { Platform } from '../../../../../platform/platform.ts'
import { networkOf } from '../../../../../rules/networks.ts'
import { Refusal, signedOutMeanwhile } from '../../../../../rules/refusal.ts'
import { tokenHash } from '../../../../../rules/tokens.ts'
import { countUse } from '../../../../ground/limits/limits.ts'
import type { SocialProvider } from '../../../../ground/provider-presets/presets.ts'
import { currentSettings } from '../../../../ground/settings/current-settings.ts'
import type { Method } from '../../../sessions/opening.ts'
import { connect } from '../protocol/connection.ts'
import { authorizationAddress, type Proofs } from '../protocol/exchange.ts'
import * as store from '../store.ts'
import { returnAddress } from './return-address.ts'

const flowLifetimeSeconds = 600

/** The page for failures when no flow names another. */
export const signInPage = '/sign-in'

/** The page of the second step, which offers all of the user's methods if the address names none. */
export function secondStepPage([method, ...others]: readonly Method[]): string {
  const only = others.length === 0 ? method : undefined
  return only === undefined ? '/sign-in/second-step' : `/sign-in/second-step?method=${only}`
}

const Kept = z.object({
  verifier: z.string(),
  nonce: z.string(),
  callbackPath: z.string(),
  errorPath: z.string(),
})

export interface Flow {
  readonly proofs: Proofs
  readonly callbackPath: string
  readonly errorPath: string
  /** The signed-in user who wants to link; undefined for a sign-in. */
  readonly linkUserId: string | undefined
}

interface Beginning {
  readonly callbackURL?: string | undefined
  readonly errorCallbackURL?: string | undefined
}

/** Returns where to send the browser. The response must come from the same browser, once, in time. */
export async function beginFlow(
  { platform, exchange, sender }: Call,
  provider: SocialProvider,
  { callbackURL = '/', errorCallbackURL = signInPage }: Beginning,
  linkUserId: string | null,
): Promise<string> {
  const { config, meta, secretBox, now } = platform
  const callbackPath = returnAddress(config, exchange, 'callbackURL', callbackURL)
  const errorPath = returnAddress(config, exchange, 'errorCallbackURL', errorCallbackURL)
  await countUse(platform, 'provider-starts', networkOf(sender.address))
  const connection = await connect(platform, await currentSettings(platform), provider)
  const state = oauth.generateRandomState()
  const verifier = oauth.generateRandomCodeVerifier()
  const nonce = oauth.generateRandomNonce()
  const flow = {
    state_hash: tokenHash(state),
    browser_hash: tokenHash(keepBrowserKey(exchange, config, flowLifetimeSeconds)),
    provider,
    sealed: secretBox.seal(PURPOSE, JSON.stringify({ verifier, nonce, callbackPath, errorPath })),
    link_user_id: linkUserId,
    expires_at: now() + flowLifetimeSeconds * 1000,
  }
  if (!(await store.insertFlow(meta, flow))) throw signedOutMeanwhile()
  return authorizationAddress(connection, { state, verifier, nonce })
}

/** Deletes the flow, even if it has expired. */
export async function takeFlow(
  { platform, exchange }: Call,
  provider: SocialProvider,
  answer: URLSearchParams,
): Promise<Flow> {
  const [state, ...more] = answer.getAll('state')
  const key = browserKeyOf(exchange, platform.config)
  if (!state || more.length > 0 || !key) throw invalidState()
  const row = await store.deleteFlow(platform.meta, tokenHash(state), tokenHash(key), provider)
  if (!row || row.expires_at <= platform.now()) throw invalidState()
  const { verifier, nonce, ...paths } = Kept.parse(JSON.parse(platform.secretBox.open(PURPOSE, row.sealed)))
  return { ...paths, proofs: { state, verifier, nonce }, linkUserId: row.link_user_id ?? undefined }
}

const PURPOSE = 'provider-flow'

function invalidState(): Refusal {
  return new Refusal('STATE_INVALID', 'This sign-in was not started in this browser, or has expired.')
}

const COOKIE = ownCookie('provider_flow')

/** Binds a flow to the browser that began it. One value serves all of its open tabs. */
function keepBrowserKey(exchange: Exchange, config: Config, lifetimeSeconds: number): string {
  const key = browserKeyOf(exchange, config) ?? randomBytes(32).toString('base64url')
  COOKIE.set(exchange, config, key, lifetimeSeconds)
  return key
}

function browserKeyOf(exchange: Exchange, config: Config): string | undefined {
  const key = COOKIE.of(exchange, config)
  return key !== undefined && /^[\w-]{43}$/.test(key) ? key : undefined
}

/** Deletes flows whose user never came back from the provider. */
export function providerFlowSweep({ meta, now }: Platform): Job {
  return {
    name: 'provider-flows',
    everySeconds: flowLifetimeSeconds,
    run: () => store.deleteExpiredFlows(meta, now()),
  }
}
