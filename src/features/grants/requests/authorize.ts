import { type Answer, redirect } from '../../../http/answers/answer.ts'
import type { Exchange } from '../../../http/exchange.ts'
import type { FindCaller } from '../../../http/find-caller.ts'
import { parseInput } from '../../../http/requests/body.ts'
import type { SignedInCall } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { cliClient } from '../../clients/cli-client.ts'
import { countAct } from '../../limits/acts.ts'
import { BeginAuthorization } from '../input.ts'
import { type Fault, judge } from './asked.ts'
import { beginAuthorization, soundClientOf } from './begin.ts'
import { faultOfHint, faultOfInteraction, interactionFor } from './interaction.ts'
import { redirectTo } from './redirect.ts'

/**
 * The response to an application's `GET /oauth/authorize` if nobody has to be asked, or must not be.
 * Undefined if the page takes over: it says what is wrong, asks for a sign-in, or shows the consent.
 */
export async function authorizeQuietly(
  platform: Platform,
  exchange: Exchange,
  findCaller: FindCaller,
): Promise<Answer | undefined> {
  const known = await applicationIn(platform, exchange.query())
  if (!known) return undefined
  const { asked, client, redirectUri } = known
  const call = { platform, exchange, client: exchange.client }
  const back = (fault: Fault) => redirect(redirectTo(call, redirectUri, asked.state, { ...fault }))
  const judged = await judge(platform, client, asked)
  if ('error' in judged) return back(judged)
  const caller = await findCaller(platform, exchange)
  const signedIn = caller?.credential.kind === 'session' ? { ...call, caller } : undefined
  const mismatch = signedIn && faultOfHint(signedIn, judged)
  if (mismatch) return back(mismatch)
  const interaction = signedIn ? await interactionFor(signedIn, client, judged) : 'login'
  if (interaction) return judged.prompts.has('none') ? back(faultOfInteraction(interaction)) : undefined
  return signedIn && redirectOf(await countedBegin(signedIn, asked))
}

async function applicationIn(platform: Platform, query: Readonly<Record<string, string>>) {
  if (query.client_id === undefined || query.client_id === cliClient.id) return undefined
  const asked = await parseInput(BeginAuthorization, query).catch(unlessRefused)
  const sound = asked && (await soundClientOf({ platform }, asked).catch(unlessRefused))
  return sound && { asked, ...sound }
}

async function countedBegin(call: SignedInCall, asked: BeginAuthorization) {
  await countAct(call, 'authorization-requests')
  return beginAuthorization(call, asked)
}

function redirectOf({ redirect_to }: { readonly redirect_to?: string }): Answer | undefined {
  return redirect_to === undefined ? undefined : redirect(redirect_to)
}

/** The page starts again, and shows why not. */
function unlessRefused(error: unknown): undefined {
  if (!(error instanceof Refusal)) throw error
}
