import { storable } from '../storable.ts'

export interface MailMessage {
  /** The same for each attempt to send it. */
  readonly id?: string
  readonly from: { readonly name: string; readonly address: string }
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** An address that ends letters of this kind with one request (RFC 8058). */
  readonly unsubscribe?: string | undefined
}

/** The headers that mail programs show a button for. */
export function unsubscribeHeaders({ unsubscribe }: MailMessage): Readonly<Record<string, string>> {
  return unsubscribe === undefined
    ? {}
    : { 'List-Unsubscribe': `<${unsubscribe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
}

/** The provider that the email settings name, and its configuration. */
export type MailRoute =
  /** `server` is for deployments without an SMTP_URL. */
  | { readonly provider: 'smtp'; server(): SmtpServer }
  | { readonly provider: 'api'; readonly apiKey: string }
  | { readonly provider: 'outbox' }

export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** '' without authentication. */
  readonly user: string
  readonly password: string
}

export interface Mail {
  /**
   * Resolves when the provider has accepted the message; throws a `MailNotSent` with the provider's own
   * words.
   */
  send(route: MailRoute, message: MailMessage): Promise<void>
  /** The providers that this deployment offers. */
  readonly providers: readonly MailRoute['provider'][]
  /** This deployment's mail server, which is used whatever the settings say. */
  readonly smtpUrl?: string | undefined
}

const LONGEST_WORDS = 500

/** The provider's words, which are kept and shown. */
export class MailNotSent extends Error {
  override readonly name = 'MailNotSent'
  /** The provider did not refuse it: the connection broke off, or the answer took too long. */
  readonly mayHaveArrived: boolean

  constructor(words: string, options: ErrorOptions & { readonly mayHaveArrived?: boolean } = {}) {
    super(storable(words, LONGEST_WORDS), options)
    this.mayHaveArrived = options.mayHaveArrived ?? false
  }
}

const UNCONNECTED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']

/** Nothing was sent, because there was no connection. */
export function isUnconnected(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, cause } = error as NodeJS.ErrnoException
  return (code !== undefined && UNCONNECTED.includes(code)) || (cause !== undefined && isUnconnected(cause))
}
