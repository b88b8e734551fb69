import { storable } from '../storable.ts'

export interface MailMessage {
  readonly from: { readonly name: string; readonly address: string }
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** The provider that the email settings name, and its configuration. */
export type MailRoute =
  | { readonly provider: 'smtp' }
  | { readonly provider: 'api'; readonly apiKey: string }
  | { readonly provider: 'outbox' }

export interface Mail {
  /**
   * Resolves when the provider has accepted the message; throws a `MailNotSent` with the provider's own
   * words.
   */
  send(route: MailRoute, message: MailMessage): Promise<void>
  /** The providers that this deployment offers. */
  readonly providers: readonly MailRoute['provider'][]
}

const LONGEST_WORDS = 500

/** Its words are the provider's, and are kept and shown. */
export class MailNotSent extends Error {
  override readonly name = 'MailNotSent'

  constructor(words: string, options?: ErrorOptions) {
    super(storable(words, LONGEST_WORDS), options)
  }
}
