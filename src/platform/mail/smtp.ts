import { isIP } from 'node:net'
import { createTransport } from 'nodemailer'
import type { Config } from '../../config/config.ts'
import { AddressRefused, addressesOutside } from '../public-addresses.ts'
import { isUnconnected, type MailMessage, MailNotSent, type SmtpServer, unsubscribeHeaders } from './mail.ts'

const CONNECT_MILLISECONDS = 5_000
const SILENCE_MILLISECONDS = 10_000
const LONGEST_REPLY = 64 * 1024

type Connection =
  | { readonly url: string }
  | {
      readonly host: string
      readonly port: number
      readonly secure: boolean
      readonly requireTLS: boolean
      readonly auth?: { readonly user: string; readonly pass: string }
      readonly tls: { readonly servername?: string }
    }

/** Port of SMTP over TLS; others begin in the clear and change to TLS. */
const TLS_PORT = 465

/** A server that was named in the console: like a webhook's, it must not be in a private network. */
export async function sendThroughServer(
  { webhookNetworks }: Pick<Config, 'webhookNetworks'>,
  { host, port, user, password }: SmtpServer,
  message: MailMessage,
  signal: AbortSignal,
): Promise<void> {
  const isImplicit = port === TLS_PORT
  const connection: Connection = {
    ...{ host: await publicAddressOf(host, webhookNetworks), port, secure: isImplicit },
    // A password never goes over the wire in the clear.
    requireTLS: user !== '' && !isImplicit,
    ...(user !== '' && { auth: { user, pass: password } }),
    tls: isIP(host) === 0 ? { servername: host } : {},
  }
  await sendThroughSmtp(connection, message, signal)
}

function publicAddressOf(host: string, allowed: readonly string[]): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  addressesOutside(allowed).lookupFor('https:')(host, {}, (error, address) => {
    if (error) reject(new MailNotSent(lookUpWords(host, error), { cause: error }))
    else resolve(String(address))
  })
  return promise
}

function lookUpWords(host: string, error: Error): string {
  if (error instanceof AddressRefused) return `${host}: ${error.message}`
  return 'code' in error && error.code === 'ENOTFOUND'
    ? `There is no server named ${host}.`
    : `${host} cannot be looked up: ${error.message}`
}

export async function sendThroughSmtp(
  connection: Connection,
  message: MailMessage,
  signal: AbortSignal,
): Promise<void> {
  const transport = createTransport({
    ...connection,
    connectionTimeout: CONNECT_MILLISECONDS,
    greetingTimeout: CONNECT_MILLISECONDS,
    socketTimeout: SILENCE_MILLISECONDS,
    maxResponseSize: LONGEST_REPLY,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const { unsubscribe: _, ...letter } = message
  const sent = { ...letter, headers: unsubscribeHeaders(message), signal }
  await transport.sendMail(sent).catch((error: unknown) => {
    if (signal.aborted)
      throw new MailNotSent('The mail server did not accept the message in time.', {
        ...{ cause: error, mayHaveArrived: true },
      })
    throw new MailNotSent(serversWords(error), { cause: error, mayHaveArrived: !hasRefused(error) })
  })
}

/** The server's own line, if it sent one. */
function serversWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'response' in error && typeof error.response === 'string' ? error.response : error.message
}

/** Nodemailer names the step: before the message itself was sent, nothing can have arrived. */
function hasRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { command } = error as Error & { readonly command?: unknown }
  return (
    'responseCode' in error || (typeof command === 'string' && command !== 'DATA') || isUnconnected(error)
  )
}
