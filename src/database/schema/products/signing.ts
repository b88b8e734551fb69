export type SigningAlgorithm = 'EdDSA' | 'RS256'

/**
 * The newest key whose time has come signs; earlier ones are published until their last token has expired.
 */
export interface SigningKeyTable {
  algorithm: SigningAlgorithm
  generation: number
  kid: string
  public_jwk: string
  /** The private JWK. */
  sealed: string
  created_at: number
  signs_from: number
}
