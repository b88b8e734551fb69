import { createHmac, createSecretKey } from 'node:crypto'

/** Keyed digests under AUTH_SECRET. */
export interface Signer {
  /** HMAC-SHA-256 of purpose and value, base64url. */
  digest(purpose: string, value: string): string
}

export function hmacSigner(authSecret: string): Signer {
  const key = createSecretKey(authSecret, 'utf8')
  return {
    digest(purpose, value) {
      // The length keeps ("ab", "c") and ("a", "bc") apart.
      return createHmac('sha256', key).update(`${purpose.length}:${purpose}${value}`).digest('base64url')
    },
  }
}
