/** Keyed digests under AUTH_SECRET. */
export interface Signer {
  /** HMAC-SHA-256 of purpose and value, base64url. */
  digest(purpose: string, value: string): string
}
