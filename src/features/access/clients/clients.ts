import { timingSafeEqual } from 'node:crypto'
import type { Exchange } from '../../../http/exchange.ts'
import type { Call } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { oauthRefusal } from '../../../rules/refusal.ts'
import { tokenHash } from '../../../rules/tokens.ts'
import { currentSettings } from '../../ground/settings/current-settings.ts'
import { cliClient, UNKNOWN_CLIENT } from './cli-client.ts'
import { type Client, clientOf } from './client.ts'
import { isDocumentAddress } from './guests/documents.ts'
import { applicationById } from './statements.ts'

/** Any other text is refused without a query: a header can contain NUL, which PostgreSQL does not accept. */
const ID = /^[\w-]{1,64}$/

/** A client described by a document is as the document was when an authorization last began. */
export async function findClient(platform: Platform, id: string | undefined): Promise<Client | undefined> {
  if (id === cliClient.id) return cliClient
  if (id === undefined || !(ID.test(id) || isDocumentAddress(id))) return undefined
  const row = await applicationById(platform.meta, id)
  if (row?.origin !== 'document') return row && clientOf(row)
  const { assistants } = await currentSettings(platform, row.settings_revision ?? undefined)
  return assistants.client_documents ? clientOf(row) : undefined
}

/** The form fields with which a client authenticates itself, unless it uses the header. */
export interface ClientForm {
  readonly client_id?: string | undefined
  readonly client_secret?: string | undefined
}

/** A client with a secret must present it; a public client only gives its id. */
export async function authenticateClient(call: Call, form: ClientForm): Promise<Client> {
  const { id, secret } = credentialsOf(call.exchange, form)
  const client = await findClient(call.platform, id)
  if (!client) throw unproven(call.exchange, UNKNOWN_CLIENT)
  knownFrom(call.exchange, client)
  const { secretHash } = client
  if (secretHash === null && secret !== undefined)
    throw unproven(call.exchange, `This client has no secret; send client_id=${client.id} in the form.`)
  if (secretHash !== null && secret === undefined) throw unproven(call.exchange, 'This client must send its secret.')
  if (secretHash !== null && !isSecret(secret ?? '', secretHash))
    throw unproven(call.exchange, 'The client secret is wrong.')
  return client
}

/** Lists the client's refusals in the console from here on, unless the client describes itself. */
export function knownFrom(exchange: Exchange, { id, isGuest, asStored }: Client): void {
  if (asStored && !isGuest) exchange.application = id
}

/** RFC 6749 section 5.2: a client that used the header gets the scheme back, with the realm of RFC 7617. */
function unproven(exchange: Exchange, message: string) {
  if (exchange.header('authorization') !== undefined) exchange.setHeader('www-authenticate', 'Basic realm="gatehouse"')
  return oauthRefusal('invalid_client', message)
}

/** Guards endpoints that only a client with a secret can use. */
export async function authenticateSecretClient(call: Call, form: ClientForm): Promise<Client> {
  const client = await authenticateClient(call, form)
  if (client.secretHash === null)
    throw unproven(call.exchange, 'Only an application with a secret can use this endpoint.')
  return client
}

interface Credentials {
  readonly id: string | undefined
  readonly secret: string | undefined
}

/** RFC 6749 section 2.3.1: an empty secret counts as absent. */
function credentialsOf(exchange: Exchange, form: ClientForm): Credentials {
  const { id, secret } = credentialsSent(exchange, form)
  return { id, secret: secret === '' ? undefined : secret }
}

/** RFC 6749 section 2.3: one way at a time. */
function credentialsSent(exchange: Exchange, { client_id, client_secret }: ClientForm): Credentials {
  const header = exchange.header('authorization')
  if (header === undefined) return { id: client_id, secret: client_secret }
  const basic = basicOf(header)
  if (!basic) throw unproven(exchange, 'Send client_id in the form, or client and secret with the scheme Basic.')
  if (client_secret !== undefined || (client_id !== undefined && client_id !== basic.id)) {
    throw oauthRefusal('invalid_request', 'Send client and secret in the header or in the form, not in both.')
  }
  return basic
}

/** Both parts are encoded like a form before they are joined. */
function basicOf(header: string): { readonly id: string; readonly secret: string } | undefined {
  const [, encoded] = /^basic +([a-z0-9+/]+={0,2}) *$/i.exec(header) ?? []
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString('utf8')) ?? []
  if (id === undefined || secret === undefined) return undefined
  try {
    return { id: formDecoded(id), secret: formDecoded(secret) }
  } catch {
    return undefined
  }
}

function formDecoded(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}

/** Compares hashes, which have one length, in constant time. */
function isSecret(secret: string, hash: string): boolean {
  return timingSafeEqual(Buffer.from(tokenHash(secret)), Buffer.from(hash))
}
