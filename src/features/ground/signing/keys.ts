import { createPrivateKey, type KeyObject } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import type { SigningAlgorithm } from '../../../database/schema/products/signing.ts'
import type { Platform } from '../../../platform/platform.ts'
import { canOpen } from '../../../platform/secrets/secret-box.ts'
import { MINUTE_MILLISECONDS } from '../../../rules/time.ts'
import * as store from './store.ts'

export const SIGNING_ALGORITHMS = ['EdDSA', 'RS256'] as const satisfies readonly SigningAlgorithm[]

const PURPOSE = 'signing key'
const RSA_BITS = 2048
/** The longest lifetime of any signed token. */
export const longestTokenSeconds = 3600
/** Other machines' clocks can differ. */
const CLOCK_SKEW_MILLISECONDS = 5 * MINUTE_MILLISECONDS
/** The time a replaced key stays published: until its last token has expired. */
export const publishedMilliseconds = longestTokenSeconds * 1000 + CLOCK_SKEW_MILLISECONDS

interface SigningKey {
  readonly kid: string
  readonly key: KeyObject
}

/** Reads the current key each time, so that a process never signs with a key that is not in the store. */
export async function signingKey(platform: Platform, algorithm: SigningAlgorithm): Promise<SigningKey> {
  const { meta, versioned, secretBox, now } = platform
  const row = (await store.signingKeyAt(meta, algorithm, now())) ?? (await firstKey(platform, algorithm))
  const key = await versioned.read(`${PURPOSE} ${algorithm}`, row.kid, async () =>
    createPrivateKey({ key: JSON.parse(secretBox.open(PURPOSE, row.sealed)), format: 'jwk' }),
  )
  return { kid: row.kid, key }
}

/**
 * The keys that a verifier needs: current ones, upcoming ones, and those whose tokens may not have expired.
 */
export async function publishedKeys(platform: Platform): Promise<{ readonly keys: readonly JWK[] }> {
  await ensureKeys(platform)
  return keySetOf(await store.keysNotReplacedBefore(platform.meta, platform.now() - publishedMilliseconds))
}

/** Includes keys whose tokens have all expired. */
export async function everyKey(platform: Platform): Promise<{ readonly keys: readonly JWK[] }> {
  await ensureKeys(platform)
  return keySetOf(await store.allKeys(platform.meta))
}

function keySetOf(rows: readonly { readonly public_jwk: string }[]) {
  return { keys: rows.map(({ public_jwk }): JWK => JSON.parse(public_jwk)) }
}

type Opening = Pick<Platform, 'meta' | 'secretBox' | 'now'>

/** The keys sealed under another CONFIG_ENCRYPTION_KEY: they can sign nothing, now or when their time comes. */
export async function closedKeys({ meta, secretBox, now }: Opening) {
  const rows = await store.keysNotReplacedBefore(meta, now())
  return rows.filter(({ sealed }) => !canOpen(secretBox, PURPOSE, sealed))
}

/**
 * Makes new keys at a start whose CONFIG_ENCRYPTION_KEY does not open the old ones. Existing tokens stay valid.
 */
export async function replaceClosedKeys(platform: Platform): Promise<void> {
  const closed = await closedKeys(platform)
  for (const algorithm of SIGNING_ALGORITHMS) {
    const newest = closed.findLast((key) => key.algorithm === algorithm)
    if (!newest) continue
    const current = await store.signingKeyAt(platform.meta, algorithm, platform.now())
    const isBroken = !current || !canOpen(platform.secretBox, PURPOSE, current.sealed)
    await makeKey(platform, algorithm, newest.generation + 1, isBroken ? platform.now() : newest.signs_from)
    platform.log.warn(
      { algorithm },
      'a signing key was sealed under another CONFIG_ENCRYPTION_KEY, so a new one was made',
    )
  }
}

export async function ensureKeys(platform: Platform): Promise<void> {
  for (const algorithm of SIGNING_ALGORITHMS) {
    const known = await store.signingKeyAt(platform.meta, algorithm, platform.now())
    if (!known) await firstKey(platform, algorithm)
  }
}

/**
 * No verifier has a key set without this key, so it signs at once, even for a process whose clock is behind its
 * maker's. An RSA key takes long to make: requests that come together wait for one.
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
  const made = await newKey(platform, algorithm)
  await store.insertKey(platform.meta, { ...made, generation, signs_from: signsFrom })
}

export async function newKey(platform: Platform, algorithm: SigningAlgorithm) {
  const pair = await generateKeyPair(algorithm, { extractable: true, modulusLength: RSA_BITS })
  const [publicJwk, privateJwk] = await Promise.all([exportJWK(pair.publicKey), exportJWK(pair.privateKey)])
  const kid = await calculateJwkThumbprint(publicJwk)
  return {
    algorithm,
    kid,
    public_jwk: JSON.stringify({ ...publicJwk, kid, alg: algorithm, use: 'sig' }),
    sealed: platform.secretBox.seal(PURPOSE, JSON.stringify(privateJwk)),
    created_at: platform.now(),
  }
}
