import { type KeyObject, sign as signBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { createLocalJWKSet, type JWTPayload, jwtVerify } from 'jose'
import type { SigningAlgorithm } from '../../../database/schema/products/signing.ts'
import type { Platform } from '../../../platform/platform.ts'
import { everyKey, publishedKeys, SIGNING_ALGORITHMS, signingKey } from './keys.ts'

interface SigningOptions {
  readonly algorithm?: SigningAlgorithm
  readonly audience: string
  readonly lifetimeSeconds: number
  /** The header's `typ`. */
  readonly type?: string
  /** The time at which the claims were true; by default now. */
  readonly asOf?: number
}

/** Signs a token with this service as its issuer. */
export async function sign(
  platform: Platform,
  claims: JWTPayload & { readonly sub: string },
  { algorithm = 'EdDSA', audience, lifetimeSeconds, type = 'JWT', asOf = platform.now() }: SigningOptions,
): Promise<string> {
  const { kid, key } = await signingKey(platform, algorithm)
  const issuedAt = Math.floor(asOf / 1000)
  const times = { iat: issuedAt, exp: issuedAt + lifetimeSeconds }
  const payload = { ...claims, iss: platform.config.baseUrl, aud: audience, ...times }
  const signed = `${encoded({ alg: algorithm, kid, typ: type })}.${encoded(payload)}`
  const signature = await signatureOf(Buffer.from(signed), algorithm, key)
  return `${signed}.${signature.toString('base64url')}`
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

const signOnThread = promisify(signBytes)

/** `jose` signs with WebCrypto, always on another thread; Ed25519 takes a third of the time of going there. */
function signatureOf(bytes: Buffer, algorithm: SigningAlgorithm, key: KeyObject): Buffer | Promise<Buffer> {
  return algorithm === 'EdDSA' ? signBytes(null, bytes, key) : signOnThread('sha256', bytes, key)
}

/** RFC 7515: without the padding and the white space that decoders accept. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/

/**
 * The claims of a token that we have signed for this audience and that has not ended; undefined for any other
 * text.
 */
export async function readSigned(
  platform: Platform,
  token: string,
  audience: string,
  age: 'unexpired' | 'any' = 'unexpired',
): Promise<JWTPayload | undefined> {
  if (!COMPACT.test(token)) return undefined
  const { keys } = age === 'unexpired' ? await publishedKeys(platform) : await everyKey(platform)
  const checks = {
    issuer: platform.config.baseUrl,
    audience,
    algorithms: [...SIGNING_ALGORITHMS],
    // At time 0, no token has expired.
    currentDate: new Date(age === 'unexpired' ? platform.now() : 0),
    requiredClaims: ['sub', 'iat', 'exp'],
  }
  const verified = await jwtVerify(token, createLocalJWKSet({ keys: [...keys] }), checks).catch(() => undefined)
  return verified?.payload
}
