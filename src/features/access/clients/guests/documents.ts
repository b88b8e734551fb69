import type { ApplicationTable } from '../../../../database/schema/products/applications.ts'
import type { Call } from '../../../../http/route.ts'
import type { Asker } from '../../../../platform/names/look-ups.ts'
import { NameNotResolved } from '../../../../platform/names/name-not-resolved.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { fetchPublic } from '../../../../platform/public-fetch.ts'
import { faultOfName } from '../../../../rules/imitation.ts'
import { networkOf } from '../../../../rules/networks.ts'
import { invalidInput, Refusal } from '../../../../rules/refusal.ts'
import { DAY_SECONDS, MINUTE_SECONDS } from '../../../../rules/time.ts'
import { countUse } from '../../../ground/limits/limits.ts'
import { currentSettings } from '../../../ground/settings/current-settings.ts'
import { applicationById, keepGuest } from '../statements.ts'
import { Description, faultOfRedirects } from './description.ts'
import { guestRow, otherNames } from './guests.ts'

const LIMITS = { kind: 'client document', bytes: 10 * 1024, seconds: 5, accept: 'application/json' } as const
const SHORTEST_SECONDS = 5 * MINUTE_SECONDS
/** The same limit as for any id that a caller sends. */
const LONGEST_ADDRESS = 128

/** True if an id can be a document's address. Ids are compared as text, so exactly one spelling is allowed. */
export function isDocumentAddress(id: string): boolean {
  const url = id.length <= LONGEST_ADDRESS && /^https?:\/\/[!#-[\]-~]+$/.test(id) ? URL.parse(id) : null
  if (!url || url.href !== id || url.pathname === '/') return false
  return url.hash === '' && !id.includes('#') && url.username === '' && url.password === ''
}

/**
 * Runs before an authorization begins: a client known by its document's address gets the current document, or the last
 * one that could be fetched.
 */
export async function learnClient({ platform, exchange, sender }: Call, id: string | undefined): Promise<void> {
  if (id === undefined || !isDocumentAddress(id)) return
  const settings = await currentSettings(platform)
  if (!settings.assistants.client_documents) return
  const known = await applicationById(platform.meta, id)
  if (known && (known.fresh_until ?? 0) > platform.now()) return
  const network = networkOf(sender.address) ?? sender.address
  await countUse(platform, 'client-documents', network)
  const read = await fetched(platform, id, { signal: exchange.leaving, network })
  await keepGuest(platform.meta, await rowFor(platform, id, known, read))
}

async function rowFor(
  platform: Platform,
  id: string,
  known: ApplicationTable | undefined,
  { description, seconds }: Awaited<ReturnType<typeof fetched>>,
): Promise<ApplicationTable> {
  const { host } = new URL(id)
  const fault = await faultOf(platform, description, host)
  if (fault !== undefined) throw unusable(fault)
  const freshUntil = platform.now() + seconds * 1_000
  const createdAt = known?.created_at ?? platform.now()
  return {
    ...guestRow(platform, id, 'document', description, host),
    created_at: createdAt,
    fresh_until: freshUntil,
  }
}

async function faultOf(platform: Platform, description: Description, host: string) {
  const { client_name, redirect_uris, token_endpoint_auth_method = 'none' } = description
  if (token_endpoint_auth_method !== 'none') return 'token_endpoint_auth_method must be none.'
  const unfit = faultOfName(client_name, { others: await otherNames(platform), domains: [host] })
  return unfit === undefined ? faultOfRedirects(redirect_uris, host) : `client_name: ${unfit}`
}

async function fetched(platform: Platform, id: string, asker: Asker) {
  const response = await fetchPublic(platform, new URL(id), LIMITS, asker).catch((error: unknown) => {
    if (error instanceof NameNotResolved && error.reason === 'no place')
      throw new Refusal('RATE_LIMITED', error.message, { cause: error, retryAfterSeconds: 2 })
    const cause = error instanceof Error ? error : undefined
    throw unusable(
      cause?.name === 'TimeoutError' || cause?.name === 'AbortError' ? 'It took too long.' : (cause?.message ?? ''),
      cause,
    )
  })
  if (response.status !== 200) throw unusable(`The response was ${response.status}.`)
  const document = parsed(response.bytes.toString('utf8'))
  const description = Description.safeParse(document)
  if (!isAbout(document, id)) throw unusable('Its client_id is not this address.')
  if ('client_secret' in document) throw unusable('It must have no secret.')
  if (!description.success) {
    const [issue] = description.error.issues
    throw unusable(`${issue?.path.join('.')}: ${issue?.message}`)
  }
  return { description: description.data, seconds: secondsOf(response.headers['cache-control']) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw unusable('It is not JSON.')
  }
}

function isAbout(document: unknown, id: string): document is { readonly client_id: string } {
  return typeof document === 'object' && document !== null && 'client_id' in document && document.client_id === id
}

/** Between five minutes and a day, whatever the document's server says. */
function secondsOf(cacheControl = ''): number {
  const [, age = '0'] = /(?:^|[\s,])max-age=(\d{1,9})/i.exec(cacheControl) ?? []
  const wanted = /no-store|no-cache/i.test(cacheControl) ? 0 : Number(age)
  return Math.min(Math.max(wanted, SHORTEST_SECONDS), DAY_SECONDS)
}

function unusable(why: string, cause?: Error): Refusal {
  const message = `The document at client_id cannot be used. ${why}`
  return cause
    ? new Refusal('INVALID_REQUEST', message, { cause, issues: [{ path: 'client_id', message }] })
    : invalidInput('client_id', message)
}
