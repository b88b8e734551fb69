import { decodeJwt } from 'jose'
import type { AuthorizationRequestTable } from '../../../../database/schema/products/grants.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { type OAuthFault, oauthFault } from '../../../../rules/refusal.ts'
import type { GrantedScope } from '../../../../rules/scopes.ts'
import { readSigned } from '../../../ground/signing/signing.ts'
import type { Client } from '../../clients/client.ts'
import { findResource, UNKNOWN_TARGET } from '../../clients/resources.ts'
import type { BeginAuthorization } from '../input.ts'
import { requestedScopes } from './requested-scopes.ts'

export interface ValidRequest {
  readonly codeChallenge: string | null
  readonly responseMode: AuthorizationRequestTable['response_mode']
  readonly scopes: readonly GrantedScope[]
  readonly resource: string | null
  readonly nonce: string | null
  readonly prompts: ReadonlySet<string>
  readonly maxAgeSeconds: number | undefined
  /** The user whom `id_token_hint` names; null if it cannot be read. */
  readonly hintedUserId: string | null | undefined
  /** The id or slug of the organisation that the grant is to act in. */
  readonly organization: string | undefined
}

const PROMPTS: ReadonlySet<string> = new Set(['none', 'login', 'consent', 'select_account'])

/** RFC 6749 section 4.1.2.1, RFC 7636 section 4.4.1, OpenID Connect Core section 3.1.2. */
export async function checkRequest(
  platform: Platform,
  client: Client,
  asked: BeginAuthorization,
): Promise<OAuthFault | ValidRequest> {
  const fault = faultOfLength(asked) ?? faultOfOpenId(client, asked) ?? faultOfFlow(client, asked)
  if (fault) return fault
  const scopes = await requestedScopes(platform.meta, client, asked.scope)
  if ('fault' in scopes) return oauthFault('invalid_scope', scopes.fault)
  const resource = asked.resource === undefined ? null : await findResource(platform, asked.resource)
  if (resource === undefined) return oauthFault('invalid_target', UNKNOWN_TARGET)
  const isTool = client.kind === 'tool'
  return {
    codeChallenge: asked.code_challenge ?? null,
    responseMode: responseModeOf(client, asked),
    scopes,
    resource,
    nonce: isTool ? null : (asked.nonce ?? null),
    prompts: isTool ? new Set() : promptsOf(asked),
    maxAgeSeconds: isTool || asked.max_age === undefined ? undefined : Number(asked.max_age),
    hintedUserId: await hintedUserOf(platform, client, asked),
    organization: asked.organization,
  }
}

/** An expired token is still a valid hint. */
async function hintedUserOf(platform: Platform, client: Client, { id_token_hint: hint }: BeginAuthorization) {
  if (hint === undefined || client.kind === 'tool') return undefined
  return (await readSigned(platform, hint, client.id, 'any'))?.sub ?? null
}

const LONGEST = { state: 4096, nonce: 1024, id_token_hint: 8192, request: 65_536 } as const
const LONGEST_OTHER = 2048

function faultOfLength(asked: BeginAuthorization): OAuthFault | undefined {
  const longest: Readonly<Record<string, number>> = LONGEST
  const tooLong = Object.entries(asked).find(([name, value = '']) => value.length > (longest[name] ?? LONGEST_OTHER))
  if (tooLong) return oauthFault('invalid_request', `${tooLong[0]} is too long.`)
  if (!/^[\x20-\x7e]*$/.test(asked.state ?? ''))
    return oauthFault('invalid_request', 'state has characters other than printable ASCII.')
  return undefined
}

/** The response mode. An unknown mode is refused in the default mode; a request object in the mode that it contains. */
export function responseModeOf(
  { kind }: Client,
  { response_mode, request }: BeginAuthorization,
): ValidRequest['responseMode'] {
  const mode = response_mode || (request && modeIn(request))
  return otherModesOf(kind).find((known) => known === mode) ?? null
}

/** The modes beside `query`. The fragment of an address reaches no server, so only a page can read it. */
function otherModesOf(kind: Client['kind']): readonly NonNullable<ValidRequest['responseMode']>[] {
  if (kind === 'tool') return []
  return kind === 'browser' ? ['fragment', 'form_post'] : ['form_post']
}

function modeIn(request: string): unknown {
  try {
    return decodeJwt(request).response_mode
  } catch {
    return undefined
  }
}

const NO_CHALLENGE = 'code_challenge is missing.'
/** Many clients fail here first, and their developers see only this sentence. */
const PKCE_MISSING =
  "code_challenge is missing: switch on PKCE (S256) in the client, or switch off 'Require PKCE' for this application"

function faultOfFlow({ requiresPkce }: Client, asked: BeginAuthorization): OAuthFault | undefined {
  const { response_type, code_challenge, code_challenge_method } = asked
  if (!response_type) return oauthFault('invalid_request', 'response_type is missing.')
  if (response_type !== 'code') return oauthFault('unsupported_response_type', 'Only the code flow is supported.')
  if (!code_challenge && !code_challenge_method && !requiresPkce) return undefined
  if (!code_challenge) return oauthFault('invalid_request', requiresPkce ? PKCE_MISSING : NO_CHALLENGE)
  if (code_challenge_method !== 'S256') return oauthFault('invalid_request', 'code_challenge_method must be S256.')
  if (!/^[\w-]{43}$/.test(code_challenge)) return oauthFault('invalid_request', 'code_challenge is malformed.')
  return undefined
}

function faultOfOpenId({ kind }: Client, asked: BeginAuthorization): OAuthFault | undefined {
  if (kind === 'tool') return undefined
  const { request, request_uri, response_mode, max_age } = asked
  if (request) return oauthFault('request_not_supported', 'Send the parameters as they are.')
  if (request_uri) return oauthFault('request_uri_not_supported', 'Send the parameters as they are.')
  const modes = ['query', ...otherModesOf(kind)]
  if (response_mode && !modes.includes(response_mode))
    return oauthFault('invalid_request', `response_mode must be one of ${modes.join(', ')}.`)
  if (max_age !== undefined && !/^\d{1,9}$/.test(max_age))
    return oauthFault('invalid_request', 'max_age is a number of seconds.')
  const prompts = promptsOf(asked)
  if (![...prompts].every((prompt) => PROMPTS.has(prompt)) || (prompts.has('none') && prompts.size > 1))
    return oauthFault('invalid_request', 'prompt is none, or some of login, consent and select_account.')
  return undefined
}

function promptsOf({ prompt = '' }: BeginAuthorization): ReadonlySet<string> {
  return new Set(prompt.split(' ').filter((word) => word !== ''))
}
