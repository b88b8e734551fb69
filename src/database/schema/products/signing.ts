export type SigningAlgorithm = 'EdDSA' | 'RS256'

/**
 * The newest key that is due signs; earlier ones stay published until their last token has expired, and are then kept
 * for hints.
 */
export interface SigningKeyTable {
  algorithm: SigningAlgorithm
  generation: number
  kid: string
  public_jwk: string
  /** The private JWK; empty once the key is not published any more. */
  sealed: string
  created_at: number
  signs_from: number
}
