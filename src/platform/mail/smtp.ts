import { isIP } from 'node:net'
import type { Readable } from 'node:stream'
import { createTransport } from 'nodemailer'
import type { Config } from '../../config/config.ts'
import type { Names } from '../names/names.ts'
import { AddressRefused, addressesOutside } from '../public-addresses.ts'
import { type MailMessage, MailNotSent, type SmtpServer, unsubscribeHeaders } from './mail.ts'

const CONNECT_MILLISECONDS = 5_000
const SILENCE_MILLISECONDS = 10_000
const IDLE_MILLISECONDS = 5_000
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

const MOST_CONNECTIONS = 20
/** Exceeds the number of letters sent at once, so no connection is closed while it is in use. */
const SERVERS_AT_ONCE = 16

/** Connections that are used again for the next letter: opening one takes longer than sending does. */
export class SmtpConnections {
  readonly #transports = new Map<string, ReturnType<typeof openTransport>>()

  to(connection: Connection): ReturnType<typeof openTransport> {
    const key = JSON.stringify(connection)
    const open = this.#transports.get(key) ?? openTransport(connection)
    this.#transports.delete(key)
    this.#transports.set(key, open)
    // The settings change, and so can the address of a server with each look-up.
    const [oldest] = this.#transports.keys()
    if (this.#transports.size > SERVERS_AT_ONCE && oldest !== undefined) this.#close(oldest)
    return open
  }

  /** A message that is being sent is finished. */
  close(): void {
    for (const key of this.#transports.keys()) this.#close(key)
  }

  #close(key: string): void {
    this.#transports.get(key)?.close()
    this.#transports.delete(key)
  }
}

function openTransport(connection: Connection) {
  const transport = createTransport({
    ...connection,
    pool: true,
    maxConnections: MOST_CONNECTIONS,
    // Only a letter of which nothing was sent is tried over another connection.
    maxRequeues: 1,
    idleTimeout: IDLE_MILLISECONDS,
    connectionTimeout: CONNECT_MILLISECONDS,
    greetingTimeout: CONNECT_MILLISECONDS,
    socketTimeout: SILENCE_MILLISECONDS,
    maxResponseSize: LONGEST_REPLY,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  transport.use('stream', ({ data, message }, done) => {
    const open = message.createReadStream.bind(message)
    message.createReadStream = (options) => {
      const letter = open(options)
      if ('opened' in data && typeof data.opened === 'function') data.opened(letter)
      return letter
    }
    done()
  })
  return transport
}

/** Sends through a server that was named in the console: like a webhook's, it must not be in a private network. */
export async function sendThroughServer(
  connections: SmtpConnections,
  { webhookNetworks, names }: Pick<Config, 'webhookNetworks'> & { readonly names: Names },
  { host, port, user, password }: SmtpServer,
  message: MailMessage,
  signal: AbortSignal,
): Promise<void> {
  const isImplicit = port === TLS_PORT
  const connection: Connection = {
    ...{ host: await publicAddressOf(host, webhookNetworks, names, signal), port, secure: isImplicit },
    // A password never goes over the wire in the clear.
    requireTLS: user !== '' && !isImplicit,
    ...(user !== '' && { auth: { user, pass: password } }),
    tls: isIP(host) === 0 ? { servername: host } : {},
  }
  await sendThroughSmtp(connections, connection, message, signal)
}

function publicAddressOf(host: string, allowed: readonly string[], names: Names, signal: AbortSignal): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const find = (name: string) => names.addresses('mail server', name, { signal })
  addressesOutside(allowed).lookupFor('https:', find)(host, {}, (error, address) => {
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
  connections: SmtpConnections,
  connection: Connection,
  message: MailMessage,
  signal: AbortSignal,
): Promise<void> {
  const { unsubscribe: _, ...letter } = message
  let sending: Readable | undefined
  const opened = (begun: Readable) => {
    sending = begun
  }
  const sent = { ...letter, headers: unsubscribeHeaders(message), signal, opened }
  await connections
    .to(connection)
    .sendMail(sent)
    .catch((error: unknown) => {
      // The letter is read once the server is ready for it. If the connection breaks off after that, it may have been
      // accepted.
      const mayHaveArrived = sending?.readableDidRead === true && !isAnswer(error)
      const words = signal.aborted ? 'The mail server did not accept the message in time.' : serversWords(error)
      throw new MailNotSent(words, { cause: error, mayHaveArrived })
    })
}

function isAnswer(error: unknown): boolean {
  return error instanceof Error && 'responseCode' in error && error.responseCode !== undefined
}

/** The server's own line, if it sent one. */
function serversWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'response' in error && typeof error.response === 'string' ? error.response : error.message
}
