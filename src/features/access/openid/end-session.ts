import { type Answer, redirect } from '../../../http/answers/answer.ts'
import type { Exchange } from '../../../http/exchange.ts'
import { parseInput } from '../../../http/requests/body.ts'
import { refuseRepeated, repeatedIn, withoutEmpty } from '../../../http/requests/empty-parameters.ts'
import type { Platform } from '../../../platform/platform.ts'
import { oauthFault, unlessRefused } from '../../../rules/refusal.ts'
import { readSigned } from '../../ground/signing/signing.ts'
import { findSignedIn } from '../../people/callers/find-caller.ts'
import { leaveAll } from '../../people/sessions/accounts.ts'
import { endSession } from '../../people/sessions/ending.ts'
import type { Client } from '../clients/client.ts'
import { findClient, knownFrom } from '../clients/clients.ts'
import { noteRefusal } from '../refusals/refusals.ts'
import { EndSession } from './input.ts'

interface Found {
  readonly client?: Client
  readonly hint?: { readonly sub?: string | undefined; readonly sid?: unknown }
  /** An address that the application has registered for this. */
  readonly redirectTo?: string | undefined
}

interface FoundRequest extends Found {
  readonly isRedirectRefused: boolean
}

const NOT_REGISTERED = oauthFault('invalid_request', 'post_logout_redirect_uri is not registered for this application.')

/**
 * The response to `GET /oauth/end-session` if the user need not confirm: nobody is signed in, or the application sends
 * the `id_token` of this session. Anyone could send a browser here, so otherwise the page asks. It also asks if it
 * cannot redirect as requested, because a user who is signed out and left here would not know why.
 */
export async function endSessionQuietly(platform: Platform, exchange: Exchange): Promise<Answer | undefined> {
  refuseRepeated(repeatedIn(exchange, EndSession.shape))
  const asked = await parseInput(EndSession, exchange.query()).catch(unlessRefused)
  if (!asked) return undefined
  const { client, hint, redirectTo, isRedirectRefused } = await knownOf(platform, asked)
  if (client) knownFrom(exchange, client)
  if (isRedirectRefused) {
    noteRefusal(platform, exchange, NOT_REGISTERED)
    return undefined
  }
  const caller = await findSignedIn(platform, exchange)
  if (caller?.credential.kind === 'session') {
    if (hint?.sid !== caller.credential.id || hint.sub !== caller.user.id) return undefined
    await endSession(platform, exchange, caller)
    await leaveAll({ platform, exchange })
  }
  return redirectTo === undefined ? undefined : redirect(redirectTo)
}

/** The facts for the page that asks. */
export async function signOutFacts(platform: Platform, asked: EndSession) {
  const { client, redirectTo, isRedirectRefused } = await knownOf(platform, asked)
  return {
    client_name: client?.name ?? null,
    redirect_to: redirectTo ?? null,
    is_redirect_refused: isRedirectRefused,
  }
}

async function knownOf(platform: Platform, sent: EndSession): Promise<FoundRequest> {
  const asked: EndSession = withoutEmpty(sent)
  const known = await clientAndHint(platform, asked)
  const isRedirectRefused = asked.post_logout_redirect_uri !== undefined && known.redirectTo === undefined
  return { ...known, isRedirectRefused }
}

/**
 * An expired hint is accepted: it only identifies the sign-in. With a foreign hint, the other parameters are ignored.
 */
async function clientAndHint(platform: Platform, asked: EndSession): Promise<Found> {
  const named = asked.client_id ?? audienceOf(asked.id_token_hint)
  const client = await findClient(platform, named)
  if (!client) return {}
  const redirectTo = redirectOf(client, asked)
  if (asked.id_token_hint === undefined) return { client, redirectTo }
  const hint = await readSigned(platform, asked.id_token_hint, client.id, 'any')
  return hint ? { client, hint, redirectTo } : {}
}

function redirectOf(client: Client, { post_logout_redirect_uri: address, state }: EndSession) {
  if (address === undefined || !client.postLogoutRedirectUris.includes(address)) return undefined
  const url = new URL(address)
  if (state !== undefined) url.searchParams.set('state', state)
  return url.href
}

/** Reads the audience before the signature is checked, because the check needs it. */
function audienceOf(token = ''): string | undefined {
  try {
    const { aud } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
    return typeof aud === 'string' ? aud : undefined
  } catch {
    return undefined
  }
}
