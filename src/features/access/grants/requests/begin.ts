import type { AuthorizationRequestTable } from '../../../../database/schema/products/grants.ts'
import { refusedWhileActing } from '../../../../http/acting.ts'
import { withoutEmpty } from '../../../../http/requests/empty-parameters.ts'
import type { Call, SignedInCall } from '../../../../http/route.ts'
import { invalidInput, signedOutMeanwhile } from '../../../../rules/refusal.ts'
import { UNKNOWN_CLIENT } from '../../clients/cli-client.ts'
import { type Client, grantKindOf } from '../../clients/client.ts'
import { findClient, knownFrom } from '../../clients/clients.ts'
import { learnClient } from '../../clients/guests/documents.ts'
import type { BeginAuthorization } from '../input.ts'
import { arrivedAt, forgetArrival } from './arrival.ts'
import { approveAsBefore } from './decisions.ts'
import { faultOfHint, faultOfInteraction, interactionAfterSignIn, interactionFor, proofAfter } from './interaction.ts'
import { insideOf, type RequestInside } from './organization.ts'
import { checkRequest, responseModeOf } from './request-check.ts'
import { newRequest } from './requests.ts'
import { responseTo } from './response.ts'
import * as store from './store.ts'
import { beginByUserCode } from './user-codes.ts'

interface Begun {
  readonly request_id?: string
  readonly redirect_to?: string
}

/** Turns the query that the page was opened with into a request that this user can decide. */
export function beginAuthorization(call: SignedInCall, sent: BeginAuthorization): Promise<Begun> {
  const asked: BeginAuthorization = withoutEmpty(sent)
  if (asked.user_code === undefined) return beginCodeFlow(call, asked)
  if (call.caller.actor) throw refusedWhileActing()
  return beginByUserCode(call, asked.user_code)
}

/** Redirects only to an address that a known client has registered. */
async function beginCodeFlow(call: SignedInCall, asked: BeginAuthorization): Promise<Begun> {
  const { client, redirectUri } = await getClientWithRedirect(call, asked)
  const checked = await checkRequest(call.platform, client, asked)
  const wanted = { redirectUri, state: asked.state, mode: responseModeOf(client, asked) }
  const back = (parameters: object) => ({ redirect_to: responseTo(call, wanted, { ...parameters }) })
  if ('error' in checked) return back(checked)
  const mismatch = faultOfHint(call, checked)
  if (mismatch) return back(mismatch)
  const inside = await insideOf(call, checked)
  if ('error' in inside) return back(inside)
  const proof_after = proofAfter(checked, arrivedAt(call, asked))
  const interaction = await interactionFor(call, client, inside, proof_after)
  if (checked.prompts.has('none') && interaction) return back(faultOfInteraction(interaction))
  forgetArrival(call)
  const needsConsent = interaction === 'login' && (await interactionAfterSignIn(call, client, inside))
  const only_sign_in = interaction === 'login' && !needsConsent ? 1 : 0
  const wantedBack = { redirect_uri: redirectUri, client_state: asked.state ?? null }
  const request = requestFor(call, client, inside, { ...wantedBack, proof_after, only_sign_in })
  const redirect = interaction ? undefined : await approveAsBefore(call, client, request)
  if (redirect) return redirect
  if (checked.prompts.has('none')) return back(faultOfInteraction('consent'))
  if (call.caller.actor) throw refusedWhileActing()
  if (await store.insertRequest(call.platform.meta, request)) return { request_id: request.id }
  throw signedOutMeanwhile()
}

export async function getClientWithRedirect(
  call: Call,
  { client_id, redirect_uri }: BeginAuthorization,
): Promise<{ readonly client: Client; readonly redirectUri: string }> {
  await learnClient(call, client_id)
  const client = await findClient(call.platform, client_id)
  if (!client || client.kind === 'service') throw invalidInput('client_id', UNKNOWN_CLIENT)
  knownFrom(call.exchange, client)
  if (redirect_uri === undefined || !client.hasRedirect(redirect_uri)) {
    throw invalidInput('redirect_uri', 'redirect_uri is not registered for this application.')
  }
  return { client, redirectUri: redirect_uri }
}

export function describedClient({ client }: { readonly client: Client }) {
  return { client_name: client.name, client_logo_url: client.logoUrl, kind: grantKindOf(client) }
}

function requestFor(
  call: SignedInCall,
  client: Client,
  checked: RequestInside,
  more: Pick<AuthorizationRequestTable, 'redirect_uri' | 'client_state' | 'proof_after' | 'only_sign_in'>,
): AuthorizationRequestTable {
  return {
    ...newRequest(call, client, 'code', checked.scopes),
    user_id: call.caller.user.id,
    organization_id: checked.namedId,
    resource: checked.resource,
    ...more,
    response_mode: checked.responseMode,
    code_challenge: checked.codeChallenge,
    nonce: checked.nonce,
  }
}
