import { v4 as newId } from 'uuid'
import { z } from 'zod'
import type { ApplicationOrigin, ApplicationTable } from '../../../../database/schema/products/applications.ts'
import type { Meta } from '../../../../database/store.ts'
import { type Answer, json } from '../../../../http/answers/answer.ts'
import type { Call } from '../../../../http/route.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { faultOfName } from '../../../../rules/imitation.ts'
import { neighbourhoodOf, networkOf } from '../../../../rules/networks.ts'
import { oauthRefusal, Refusal } from '../../../../rules/refusal.ts'
import { countUse } from '../../../ground/limits/limits.ts'
import { brandName } from '../../../ground/settings/brand/brand.ts'
import { currentSettings } from '../../../ground/settings/current-settings.ts'
import { cliClient } from '../cli-client.ts'
import { GRANT_TYPES } from '../client.ts'
import { applicationNames, insertApplication } from '../statements.ts'
import { type Description, faultOfRedirects } from './description.ts'

export const Registered = z.looseObject({ client_id: z.string(), client_name: z.string() })

/** Refuses whatever was sent: the program that reads the refusal passes it on to a person who can act. */
export async function refuseUnlessOpen({ platform }: Pick<Call, 'platform'>): Promise<void> {
  const { assistants } = await currentSettings(platform)
  if (assistants.registration) return
  throw new Refusal('FORBIDDEN', OFF, { oauth: 'access_denied' })
}

const OFF =
  'Registration is off. The administrator can switch it on, or register this client and pass on its client_id, under Connect in the console.'

/** RFC 7591, for public clients. Anybody can call it, so it is off unless the administrator switches it on. */
export async function registerClient(
  { platform, sender }: Call,
  description: Description,
  makeRoom: (meta: Meta, now: number) => Promise<void>,
): Promise<Answer> {
  await countUse(
    platform,
    'client-registrations',
    networkOf(sender.address) ?? sender.address,
    'temporarily_unavailable',
  )
  const { client_name, redirect_uris } = description
  const unfit = faultOfName(client_name, { others: await otherNames(platform), domains: [] })
  if (unfit !== undefined) throw oauthRefusal('invalid_client_metadata', `client_name: ${unfit}`)
  const fault = faultOfRedirects(redirect_uris, undefined)
  if (fault !== undefined) throw oauthRefusal('invalid_redirect_uri', fault)
  const row = {
    ...guestRow(platform, newId(), 'registration', description, undefined),
    name: `${client_name} (${hostsOf(redirect_uris)})`,
    brand: null,
    registered_from: neighbourhoodOf(sender.address),
  }
  await makeRoom(platform.meta, platform.now())
  await insertApplication(platform.meta, row).execute()
  return json(
    {
      client_id: row.id,
      client_id_issued_at: Math.floor(row.created_at / 1_000),
      client_name,
      redirect_uris,
      grant_types: GRANT_TYPES.native,
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    201,
  )
}

const LONGEST_HOSTS = 120

/** These are shown as part of the name, since all that is known of this client is where its responses go. */
function hostsOf(redirectUris: readonly string[]): string {
  const hosts = redirectUris
    .map((uri) => new URL(uri))
    .map(({ hostname, protocol }) => hostname || protocol.slice(0, -1))
  const all = [...new Set(hosts)].join(', ')
  return all.length > LONGEST_HOSTS ? `${all.slice(0, LONGEST_HOSTS)}…` : all
}

/** A client that describes itself has no secret, and its user is asked each time. */
export function guestRow(
  { now }: Platform,
  id: string,
  origin: Exclude<ApplicationOrigin, 'administrator'>,
  { client_name, redirect_uris, client_uri }: Description,
  host: string | undefined,
): ApplicationTable {
  const home = URL.parse(client_uri ?? '')
  return {
    id,
    key: null,
    name: client_name,
    kind: 'native',
    redirect_uris: JSON.stringify(redirect_uris),
    post_logout_redirect_uris: '[]',
    // Empty stands for every scope that its user can give: `clientOf` and the callers judge by its origin.
    scopes: '',
    // Its logo is not shown: each user's browser would fetch it from an address that a stranger chose.
    logo_url: null,
    home_url: home?.protocol === 'https:' && home.host === host ? home.href : null,
    skip_consent: 0,
    id_token_algorithm: 'EdDSA',
    require_pkce: 1,
    backchannel_logout_uri: null,
    resource: null,
    origin,
    fresh_until: null,
    brand: null,
    registered_from: null,
    secret_hash: null,
    created_at: now(),
    updated_at: now(),
  }
}

/** Names that belong to somebody: this service's, the command line's, and those of the administrator's applications. */
export async function otherNames(platform: Platform): Promise<readonly string[]> {
  const { brand } = await currentSettings(platform)
  const names = await applicationNames(platform.meta)
  return [brandName(platform.config, brand), 'Gatehouse', cliClient.name, ...names]
}
