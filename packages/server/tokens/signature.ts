import { findNodeCrypto } from '../platform.ts'
import { isObject } from '../read-answer.ts'

export interface VerifyingKey {
  readonly kid: string
  readonly alg: 'EdDSA' | 'RS256'
  verify(data: Uint8Array<ArrayBuffer>, signature: Uint8Array<ArrayBuffer>): Promise<boolean>
}

interface PublicJwk {
  readonly kid: string
  readonly alg: VerifyingKey['alg']
  readonly jwk:
    | { readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string }
    | { readonly kty: 'RSA'; readonly n: string; readonly e: string }
}

const WEB = {
  EdDSA: { name: 'Ed25519' },
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
} as const
const NODE = { EdDSA: null, RS256: 'sha256' } as const
const SHORTEST_MODULUS = 342

/** Undefined for anything but a public key of the two algorithms that Gatehouse signs with. */
export async function importKey(value: unknown): Promise<VerifyingKey | undefined> {
  const key = isObject(value) ? publicJwkOf(value) : undefined
  if (!key) return undefined
  return importHere(key).catch(() => undefined)
}

/** Copies only the members of a public key, so that nothing else in it can choose how it is used. */
function publicJwkOf({ kid, kty, crv, x, n, e, alg, use }: Readonly<Record<string, unknown>>): PublicJwk | undefined {
  if (typeof kid !== 'string' || (use !== undefined && use !== 'sig')) return undefined
  if (kty === 'OKP' && crv === 'Ed25519' && typeof x === 'string' && isFor(alg, 'EdDSA', 'Ed25519'))
    return { kid, alg: 'EdDSA', jwk: { kty, crv, x } }
  const isRsa = kty === 'RSA' && typeof n === 'string' && typeof e === 'string'
  if (isRsa && n.length >= SHORTEST_MODULUS && isFor(alg, 'RS256')) return { kid, alg: 'RS256', jwk: { kty, n, e } }
  return undefined
}

function isFor(alg: unknown, ...names: readonly string[]): boolean {
  return alg === undefined || names.includes(String(alg))
}

async function importHere({ kid, alg, jwk }: PublicJwk): Promise<VerifyingKey> {
  const node = findNodeCrypto()
  if (node) {
    const key = node.createPublicKey({ key: jwk, format: 'jwk' })
    return { kid, alg, verify: async (data, signature) => node.verify(NODE[alg], data, key, signature) }
  }
  const { subtle } = globalThis.crypto
  const key = await subtle.importKey('jwk', jwk, WEB[alg], false, ['verify'])
  return { kid, alg, verify: (data, signature) => subtle.verify(WEB[alg], key, signature, data) }
}
