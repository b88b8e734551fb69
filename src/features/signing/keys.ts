import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import type { SigningAlgorithm } from '../../database/schema/products/signing.ts'
import type { Platform } from '../../platform/platform.ts'
import * as store from './store.ts'

export const SIGNING_ALGORITHMS = ['EdDSA', 'RS256'] as const satisfies readonly SigningAlgorithm[]

const PURPOSE = 'signing key'
const RSA_BITS = 2048

interface SigningKey {
  readonly kid: string
  readonly key: CryptoKey
}

/** The current key. Read each time, so that a process never signs with a key that is not in the store. */
export async function signingKey(platform: Platform, algorithm: SigningAlgorithm): Promise<SigningKey> {
  const { meta, versioned, secretBox, now } = platform
  const row = (await store.signingKeyAt(meta, algorithm, now())) ?? (await firstKey(platform, algorithm))
  const key = await versioned.read(`${PURPOSE} ${algorithm}`, row.kid, async () => {
    const imported = await importJWK(JSON.parse(secretBox.open(PURPOSE, row.sealed)), algorithm)
    if (imported instanceof Uint8Array) throw new Error(`the signing key ${row.kid} is not a key pair`)
    return imported
  })
  return { kid: row.kid, key }
}

/**
 * The keys that a verifier needs: current ones, upcoming ones, and those whose tokens may not have expired.
 */
export async function publishedKeys(platform: Platform): Promise<{ readonly keys: readonly JWK[] }> {
  await ensureKeys(platform)
  const rows = await store.allKeys(platform.meta)
  return { keys: rows.map(({ public_jwk }): JWK => JSON.parse(public_jwk)) }
}

/** Sealed under another CONFIG_ENCRYPTION_KEY: nothing can be signed with them, now or when they begin to sign. */
export async function closedKeys({
  meta,
  secretBox,
  now,
}: Pick<Platform, 'meta' | 'secretBox' | 'now'>): Promise<number> {
  const rows = await store.sealedKeys(meta, now())
  return rows.filter(({ sealed }) => !isOpenedBy(secretBox, sealed)).length
}

function isOpenedBy(secretBox: Platform['secretBox'], sealed: string): boolean {
  try {
    secretBox.open(PURPOSE, sealed)
    return true
  } catch {
    return false
  }
}

export async function ensureKeys(platform: Platform): Promise<void> {
  for (const algorithm of SIGNING_ALGORITHMS) {
    const known = await store.signingKeyAt(platform.meta, algorithm, platform.now())
    if (!known) await firstKey(platform, algorithm)
  }
}

/**
 * No verifier has a key set without it, so it signs at once, even for a process whose clock is behind the one
 * that made it. An RSA key takes long to make: requests that come together wait for one.
 */
function firstKey(platform: Platform, algorithm: SigningAlgorithm) {
  return platform.versioned.share(`first ${PURPOSE} ${algorithm}`, async () => {
    const oldest = await store.oldestKey(platform.meta, algorithm)
    if (oldest) return oldest
    await makeKey(platform, algorithm, 1, platform.now())
    const made = await store.oldestKey(platform.meta, algorithm)
    if (!made) throw new Error(`the new ${algorithm} key is not in the store`)
    return made
  })
}

export async function makeKey(
  platform: Platform,
  algorithm: SigningAlgorithm,
  generation: number,
  signsFrom: number,
): Promise<void> {
  const pair = await generateKeyPair(algorithm, { extractable: true, modulusLength: RSA_BITS })
  const [publicJwk, privateJwk] = await Promise.all([exportJWK(pair.publicKey), exportJWK(pair.privateKey)])
  const kid = await calculateJwkThumbprint(publicJwk)
  await store.insertKey(platform.meta, {
    algorithm,
    generation,
    kid,
    public_jwk: JSON.stringify({ ...publicJwk, kid, alg: algorithm, use: 'sig' }),
    sealed: platform.secretBox.seal(PURPOSE, JSON.stringify(privateJwk)),
    created_at: platform.now(),
    signs_from: signsFrom,
  })
}
