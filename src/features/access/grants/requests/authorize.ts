import { untilNotOvertaken } from '../../../../database/overtaken.ts'
import { type Answer, redirect } from '../../../../http/answers/answer.ts'
import type { Exchange } from '../../../../http/exchange.ts'
import type { FindCaller } from '../../../../http/find-caller.ts'
import { parseInput } from '../../../../http/requests/body.ts'
import { refuseRepeated, repeatedIn, SENT_TWICE, withoutEmpty } from '../../../../http/requests/empty-parameters.ts'
import type { Call, SignedInCall } from '../../../../http/route.ts'
import type { Platform } from '../../../../platform/platform.ts'
import type { Caller } from '../../../../rules/caller.ts'
import { type OAuthFault, oauthFault, Refusal, unlessRefused } from '../../../../rules/refusal.ts'
import { countCall } from '../../../ground/limits/calls.ts'
import { cliClient } from '../../clients/cli-client.ts'
import type { Client } from '../../clients/client.ts'
import { noteRefusal } from '../../refusals/refusals.ts'
import { BeginAuthorization } from '../input.ts'
import { chosenCaller, type FindSession, OF_ANOTHER_ACCOUNT } from './account-choice.ts'
import { arrivedAt, keepArrival } from './arrival.ts'
import { beginAuthorization, getClientWithRedirect } from './begin.ts'
import { faultOfHint, faultOfInteraction, interactionFor, proofAfter } from './interaction.ts'
import { insideOf } from './organization.ts'
import { checkRequest, responseModeOf, type ValidRequest } from './request-check.ts'
import { responseTo } from './response.ts'

/**
 * The response to an application's `GET /oauth/authorize` if the user need not or must not be asked. Undefined if the
 * page takes over, in order to report an error, ask for a sign-in, or show the consent.
 */
export function authorizeQuietly(
  platform: Platform,
  exchange: Exchange,
  findCaller: FindCaller,
  findSession: FindSession,
): Promise<Answer | undefined> {
  return untilNotOvertaken(platform.meta, () => authorizeOnce(platform, exchange, findCaller, findSession))
}

async function authorizeOnce(
  platform: Platform,
  exchange: Exchange,
  findCaller: FindCaller,
  findSession: FindSession,
): Promise<Answer | undefined> {
  const known = await applicationIn(platform, exchange)
  if (!known) return undefined
  const { asked, client, redirectUri } = known
  const call = { platform, exchange, sender: exchange.sender }
  const wanted = { redirectUri, state: asked.state, mode: responseModeOf(client, asked) }
  const back = (fault: OAuthFault) => {
    noteRefusal(platform, exchange, fault)
    return redirect(responseTo(call, wanted, { ...fault }))
  }
  const checked = await checkSent(platform, exchange, client, asked)
  if ('error' in checked) return back(checked)
  const hints = { address: asked.login_hint, userId: checked.hintedUserId }
  const caller = await chosenCaller(call, await findCaller(platform, exchange), hints, findSession)
  if (caller !== 'not here') return authorizeAs(call, caller, client, asked, checked, back)
  return checked.prompts.has('none') ? back(OF_ANOTHER_ACCOUNT) : undefined
}

async function authorizeAs(
  call: Call,
  caller: Caller | undefined,
  client: Client,
  asked: BeginAuthorization,
  checked: ValidRequest,
  back: (fault: OAuthFault) => Answer,
): Promise<Answer | undefined> {
  const signedIn = caller?.credential.kind === 'session' ? { ...call, caller } : undefined
  const mismatch = signedIn && faultOfHint(signedIn, checked)
  if (mismatch) return back(mismatch)
  const inside = signedIn && (await insideOf(signedIn, checked))
  if (inside && 'error' in inside) return back(inside)
  const at = arrivedAt(call, asked)
  const after = proofAfter(checked, at)
  const interaction = inside ? await interactionFor(signedIn, client, inside, after) : 'login'
  if (!interaction) return signedIn && redirectOf(await countedBegin(signedIn, asked))
  if (checked.prompts.has('none')) return back(faultOfInteraction(interaction))
  if (after !== null) keepArrival(call, asked, at)
  return undefined
}

async function applicationIn(platform: Platform, exchange: Exchange) {
  const query = withoutEmpty(exchange.query())
  if (query.client_id === undefined) return undefined
  const repeated = repeatedIn(exchange, BeginAuthorization.shape)
  const isTool = query.client_id === cliClient.id
  refuseRepeated(repeated.filter((name) => isTool || name === 'client_id' || name === 'redirect_uri'))
  if (isTool) return undefined
  // The page begins again if this is refused, and shows why.
  const asked = await parseInput(BeginAuthorization, query).catch(unlessRefused)
  const call = { platform, exchange, sender: exchange.sender }
  const valid = asked && (await getClientWithRedirect(call, asked).catch(notingRefusal(call)))
  return valid && { asked, ...valid }
}

/** The page shows the refusal to the user, and the console lists it with the application. */
function notingRefusal({ platform, exchange }: Call) {
  return (error: unknown): undefined => {
    if (!(error instanceof Refusal)) throw error
    noteRefusal(platform, exchange, oauthFault('invalid_request', error.message))
  }
}

async function checkSent(platform: Platform, exchange: Exchange, client: Client, asked: BeginAuthorization) {
  const repeated = repeatedIn(exchange, BeginAuthorization.shape)
  // RFC 8707 allows several; here a token is for one.
  if (repeated.length > 0 && repeated.every((name) => name === 'resource'))
    return oauthFault('invalid_target', 'A token is for one resource.')
  if (repeated.length > 0) return oauthFault('invalid_request', SENT_TWICE)
  return checkRequest(platform, client, asked)
}

async function countedBegin(call: SignedInCall, asked: BeginAuthorization) {
  await countCall(call, 'authorization-requests')
  return beginAuthorization(call, asked)
}

function redirectOf({ redirect_to }: { readonly redirect_to?: string }): Answer | undefined {
  return redirect_to === undefined ? undefined : redirect(redirect_to)
}
