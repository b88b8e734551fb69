import type { Call } from '../../../../http/route.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { type Actor, type GrantCaller, type GrantCredential, isRestricted } from '../../../../rules/caller.ts'
import { oauthRefusal } from '../../../../rules/refusal.ts'
import type { GrantedScope } from '../../../../rules/scopes.ts'
import { newToken, PREFIX, tokenHash } from '../../../../rules/tokens.ts'
import { decide } from '../../../ground/acts/acts.ts'
import { askBeforeToken } from '../../../ground/hooks/asking.ts'
import { currentSettings } from '../../../ground/settings/current-settings.ts'
import { type Client, TOKEN_EXCHANGE } from '../../clients/client.ts'
import { heldClient, refuseOtherClient } from '../../clients/holding.ts'
import { findResource, foreignTarget } from '../../clients/resources.ts'
import { applicationById } from '../../clients/statements.ts'
import type { TokenRequest, Tokens } from '../input.ts'
import { accessEnd } from '../lifetimes.ts'
import { askedOf } from '../requests/requested-scopes.ts'
import { lockedGrantOf } from '../statements.ts'
import * as store from './exchange-store.ts'
import { tokenAnswer } from './tokens.ts'

const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'
/** The most times that a token can be passed on from service to service. */
const MOST_ACTORS = 4

/** Finds the caller by an access token, if `isFor` accepts its resource. */
export type FindByToken = (
  call: Call,
  token: string,
  isFor: (resource: string | null) => boolean,
) => Promise<GrantCaller | undefined>

/**
 * RFC 8693: a service that was given a user's token at its own address gets another one for the user, with which it
 * calls this service or a product. The token has no more scopes than the first, and ends with it.
 */
export async function exchangeToken(
  call: Call,
  client: Client,
  form: TokenRequest,
  findCaller: FindByToken,
): Promise<Tokens> {
  const { platform } = call
  refuseOtherTypes(form)
  const token = form.subject_token
  if (token === undefined) throw oauthRefusal('invalid_request', 'subject_token is missing.')
  const subject = await getSubject(call, client, token, findCaller)
  const { user, credential, actor } = subject
  const scopes = narrowed(credential, form.scope)
  const resource = await targetOf(platform, form)
  const act = { sub: client.id, ...(credential.act && { act: credential.act }) }
  if (depthOf(act) > MOST_ACTORS) throw oauthRefusal('invalid_request', 'This token has been exchanged too many times.')
  if (credential.grantKind === 'application' && !actor) await askProduct(call, client, subject)
  const access = newToken('access')
  const expiresAt = await issue(call, client, {
    user_id: user.id,
    subject: credential,
    by: actor?.id ?? user.id,
    row: {
      token_hash: tokenHash(access),
      grant_id: credential.id,
      resource,
      scopes: scopes.join(' '),
      subject_hash: tokenHash(token),
      actor_id: client.id,
      act: JSON.stringify(act),
      created_at: platform.now(),
    },
  })
  const lifetimeMilliseconds = expiresAt - platform.now()
  return {
    ...tokenAnswer({ access, refresh: undefined, scopes, kind: 'service', lifetimeMilliseconds }),
    issued_token_type: ACCESS_TOKEN,
  }
}

async function askProduct(call: Call, { id: clientId, settingsRevision }: Client, { user, organization }: GrantCaller) {
  const { hooks } = await currentSettings(call.platform, settingsRevision)
  if (!hooks.before_token.enabled) return
  const { id, email, name, email_verified } = user
  const about = { id, email, name, email_verified: email_verified === 1 }
  await askBeforeToken(call, { user: about, method: TOKEN_EXCHANGE, clientId, organizationId: organization?.id })
}

function refuseOtherTypes({ subject_token_type, requested_token_type, actor_token }: TokenRequest): void {
  if (subject_token_type !== ACCESS_TOKEN)
    throw oauthRefusal('invalid_request', `subject_token_type must be ${ACCESS_TOKEN}.`)
  if (requested_token_type !== undefined && requested_token_type !== ACCESS_TOKEN)
    throw oauthRefusal('invalid_request', `requested_token_type must be ${ACCESS_TOKEN}, or absent.`)
  if (actor_token !== undefined) throw oauthRefusal('invalid_request', 'The service acts itself; send no actor_token.')
}

/**
 * Accepts only a token that the user gave this service, for its own address; a token it merely came across is refused.
 */
async function getSubject(
  call: Call,
  { id, resource }: Client,
  token: string,
  findCaller: FindByToken,
): Promise<GrantCaller> {
  const caller = token.startsWith(PREFIX.access)
    ? await findCaller(call, token, (its) => its !== null && its === resource)
    : undefined
  call.exchange.grantCall?.presentedBy(id)
  if (!caller || caller.credential.grantKind === 'service' || isRestricted(caller)) throw unusable()
  return caller
}

function unusable() {
  return oauthRefusal(
    'invalid_request',
    'The subject token is unknown, has ended, or was not issued for the address of this service.',
  )
}

/** All scopes of the subject unless fewer are requested; never `offline_access`, since no refresh token is issued. */
function narrowed(subject: GrantCredential, scope: string | undefined): readonly GrantedScope[] {
  const held = subject.scopes.filter((one) => one !== 'offline_access')
  const asked = scope === undefined ? held : askedOf(subject.grantKind, scope)
  const scopes = held.filter((one) => asked.includes(one))
  if (scopes.length > 0 && scopes.length === asked.length) return scopes
  throw oauthRefusal('invalid_scope', 'The subject token does not have all of these scopes.')
}

/** The target is named by `resource`, an address, or by `audience`, which can also be an application's id. */
async function targetOf(platform: Platform, { resource, audience }: TokenRequest): Promise<string | null> {
  const wanted = resource === undefined ? undefined : await findResource(platform, resource)
  const named = audience === undefined ? undefined : await findAudience(platform, audience)
  if (resource === undefined && audience === undefined) return null
  const target = resource === undefined ? named : wanted
  const isContrary = resource !== undefined && audience !== undefined && wanted !== named
  if (target === undefined || isContrary) throw foreignTarget()
  return target
}

async function findAudience(platform: Platform, audience: string): Promise<string | null | undefined> {
  if (URL.canParse(audience)) return findResource(platform, audience)
  const application = /^[\w-]{1,64}$/.test(audience) ? await applicationById(platform.meta, audience) : undefined
  return application?.resource ?? undefined
}

function depthOf({ act }: Actor): number {
  return act ? 1 + depthOf(act) : 1
}

interface Issued {
  readonly user_id: string
  readonly subject: GrantCredential
  readonly by: string
  readonly row: Omit<store.ExchangedToken, 'expires_at'>
}

/** Returns when the token ends. Records the exchange unless the service still has an earlier token of this grant. */
async function issue(call: Call, client: Client, { user_id, subject, by, row }: Issued): Promise<number> {
  const { meta, now } = call.platform
  const { grant_id } = row
  const expiresAt = await decide(
    call,
    [
      heldClient(meta, client),
      lockedGrantOf(meta, grant_id, user_id),
      store.heldSubject(meta, row.subject_hash),
      store.livingTokensOf(meta, grant_id, client.id, now()),
    ],
    async (act, clients, [grant], [token], living) => {
      refuseOtherClient(client, clients)
      if (!grant || !token || token.expires_at <= now()) return undefined
      const expires_at = accessEnd(now(), token.expires_at)
      act.write(store.insertExchanged(meta, { ...row, expires_at }))
      if (living.length > 0) return expires_at
      act.record('grant.exchange', {
        by: { id: by },
        subject: { type: 'grant', id: grant_id },
        details: { client: subject.clientName, service: client.name, scopes: row.scopes.split(' ') },
      })
      return expires_at
    },
  )
  if (expiresAt === undefined) throw unusable()
  return expiresAt
}
