export type SigningAlgorithm = 'EdDSA' | 'RS256'

/** The newest that has begun to sign does; those before it are published until their last token has ended. */
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
