import { hash } from 'node:crypto'
import { z } from 'zod'
import type { Config } from '../../../../config/config.ts'
import type { Call } from '../../../../http/route.ts'
import { Refusal } from '../../../../rules/refusal.ts'

/** Loaded on first use, because it would take a good part of every start. */
export const webauthn = () => import('@simplewebauthn/server')

/** The host name that passkeys belong to. */
export function passkeyDomain({ baseUrl }: Pick<Config, 'baseUrl'>): string {
  return new URL(baseUrl).hostname
}

/** The host name that passkeys belong to, and the origins that can use them. */
export function relyingParty({ platform, exchange }: Call) {
  const base = new URL(platform.config.baseUrl)
  // Another port of the same host is accepted, as on a developer's machine.
  const requested = URL.parse(`${base.protocol}//${exchange.header('host') ?? ''}`)
  const origins = [base.origin, ...platform.config.trustedOrigins]
  return {
    id: passkeyDomain(platform.config),
    origins: requested?.hostname === base.hostname ? [...origins, requested.origin] : origins,
  }
}

const LONGEST_HANDLE_BYTES = 64

/**
 * The user handle an authenticator keeps: the id, unless it is longer than WebAuthn allows, as an imported one can be.
 */
export function userHandleOf(userId: string): Buffer<ArrayBuffer> {
  const id = Buffer.from(userId)
  return id.length <= LONGEST_HANDLE_BYTES ? id : Buffer.from(hash('sha256', id, 'buffer'))
}

const Text = z.string().max(16_000)
const Attachment = z.enum(['platform', 'cross-platform']).nullish()

const Credential = z.object({
  id: z.string().min(1).max(1_400),
  rawId: z.string().max(1_400),
  type: z.literal('public-key'),
  authenticatorAttachment: Attachment,
  clientExtensionResults: z.looseObject({}).default({}),
})

export const RegistrationResponse = Credential.extend({
  response: z.object({
    clientDataJSON: Text,
    attestationObject: Text,
    transports: z.array(z.string().max(32)).max(10).optional(),
  }),
})
export type RegistrationResponse = z.output<typeof RegistrationResponse>

export const AuthenticationResponse = Credential.extend({
  response: z.object({
    clientDataJSON: Text,
    authenticatorData: Text,
    signature: Text,
    userHandle: z.string().max(256).nullish(),
  }),
})
export type AuthenticationResponse = z.output<typeof AuthenticationResponse>

/**
 * Drops the attestation. It was not requested, and decides nothing. To check it, the library would call addresses named
 * in its certificates, which a stranger can make.
 */
export async function unattested({ response }: RegistrationResponse): Promise<string> {
  const { decodeAttestationObject, isoCBOR } = await import('@simplewebauthn/server/helpers')
  const sent = decodeAttestationObject(new Uint8Array(Buffer.from(response.attestationObject, 'base64url')))
  const kept = new Map<string, string | Map<string, never> | Uint8Array>([
    ['fmt', 'none'],
    ['attStmt', new Map<string, never>()],
    ['authData', sent.get('authData')],
  ])
  return Buffer.from(isoCBOR.encode(kept)).toString('base64url')
}

/** A page of another site that frames ours must not cause a passkey to be used. */
export function refuseFramed({ response: { clientDataJSON } }: RegistrationResponse | AuthenticationResponse) {
  const { crossOrigin, topOrigin } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8'))
  if (crossOrigin === true || topOrigin !== undefined) throw new Error('the passkey was used in a frame')
}

/** The library throws on anything that is wrong; the reason goes to the log. */
export async function orRefuse<T>({ platform }: Call, verify: () => Promise<T>): Promise<T> {
  try {
    return await verify()
  } catch (error) {
    platform.log.warn({ error }, 'a passkey was not accepted')
    throw new Refusal('INVALID_PASSKEY', 'The passkey was not accepted.', { cause: error })
  }
}
