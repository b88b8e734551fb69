import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'
import { LocalNames, type NameFiles, SYSTEM_FILES } from './local-names.ts'
import { type Asker, LookUps } from './look-ups.ts'
import { NameNotResolved } from './name-not-resolved.ts'

/**
 * Looks up names that others choose. `dns.lookup`, which finds stores, SMTP_URL and providers, occupies a thread of the
 * process until a name server responds; these look-ups occupy a socket, and end when their caller leaves.
 */
export interface Names {
  /** Throws a `NameNotResolved`, or the reason of the asker's signal. */
  addresses(kind: Kind, name: string, asker: Asker): Promise<readonly LookupAddress[]>
  /** The texts that are published for a name; none if it has none. Throws as `addresses` does. */
  texts(name: string, asker: Asker): Promise<readonly string[]>
}

/**
 * A look-up takes a socket and about 20 KB. Names that visitors choose are bounded closely, the rest against mistakes.
 */
const PLACES = {
  /** Named by any visitor. */
  'client document': { inAll: 32, forNetwork: 4 },
  /** Named by the administrator, looked up when a visitor sees it. */
  logo: { inAll: 16 },
  /** Names in webhooks, and in applications' sign-outs. */
  endpoint: { inAll: 256 },
  'mail server': { inAll: 32 },
} as const
const PLACES_OF_TEXTS = { inAll: 64 }

type Kind = keyof typeof PLACES

/** All tries at all name servers together. */
const PATIENCE_MILLISECONDS = 4_000
const TRIES = 2
/** A fraction of the patience. The second try takes twice as long. */
const FIRST_TRY = 3 / 8
const NOTHING_PUBLISHED = ['ENODATA', 'ENOTFOUND']

export interface NameService extends NameFiles {
  /** Replaces this machine's name servers. */
  readonly servers?: readonly string[]
  readonly patienceMilliseconds?: number
}

export function openNames(service: NameService = SYSTEM_FILES): Names {
  const local = new LocalNames(service)
  const find = async (name: string, signal: AbortSignal) => {
    const known = local.addressesOf(name)
    return known.length > 0 ? known : ask(service, name, signal, firstOf(local.namesFor(name)))
  }
  const kinds = {
    'client document': new LookUps(PLACES['client document'], find),
    logo: new LookUps(PLACES.logo, find),
    endpoint: new LookUps(PLACES.endpoint, find),
    'mail server': new LookUps(PLACES['mail server'], find),
  } satisfies Record<Kind, LookUps<readonly LookupAddress[]>>
  const texts = new LookUps(PLACES_OF_TEXTS, (name, signal) => ask(service, name, signal, textsOf(name)))
  return {
    addresses: (kind, name, asker) => kinds[kind].find(name, asker),
    texts: (name, asker) => texts.find(name, asker),
  }
}

type Ask<T> = (resolver: Resolver, signal: AbortSignal) => Promise<T>

/** Has a resolver of its own, because a resolver can only cancel all of its queries. */
async function ask<T>(
  { servers, patienceMilliseconds = PATIENCE_MILLISECONDS }: NameService,
  name: string,
  cancelled: AbortSignal,
  questions: Ask<T>,
): Promise<T> {
  const resolver = new Resolver({ timeout: patienceMilliseconds * FIRST_TRY, tries: TRIES })
  if (servers) resolver.setServers(servers)
  const over = new AbortController()
  const end = () => {
    over.abort()
    resolver.cancel()
  }
  const late = setTimeout(end, patienceMilliseconds)
  cancelled.addEventListener('abort', end, { once: true })
  try {
    return await questions(resolver, over.signal)
  } catch (cause) {
    throw cause instanceof NameNotResolved ? cause : new NameNotResolved(name, 'late', { cause })
  } finally {
    clearTimeout(late)
    cancelled.removeEventListener('abort', end)
  }
}

function textsOf(name: string): Ask<readonly string[]> {
  return async (resolver) => {
    const found = await resolver.resolveTxt(name).catch(unlessNothing)
    return (found ?? []).map((parts) => parts.join(''))
  }
}

/** The addresses of the first of these names that has any. */
function firstOf(names: readonly string[]): Ask<readonly LookupAddress[]> {
  return async (resolver, over) => {
    for (const name of names) {
      over.throwIfAborted()
      const found = await addressesOf(resolver, name)
      if (found.length > 0) return found
    }
    throw new NameNotResolved(names.at(-1) ?? '', 'unknown')
  }
}

/** An answer for one family is enough: some name servers never respond for the other. */
async function addressesOf(resolver: Resolver, name: string): Promise<readonly LookupAddress[]> {
  const asked = await Promise.allSettled([
    resolver.resolve4(name).then(ofFamily(4), unlessNothing),
    resolver.resolve6(name).then(ofFamily(6), unlessNothing),
  ])
  const found = asked.flatMap((one) => (one.status === 'fulfilled' ? (one.value ?? []) : []))
  const failed = asked.find(({ status }) => status === 'rejected')
  if (found.length === 0 && failed?.status === 'rejected') throw failed.reason
  return hasOnlyIPv6() ? found.toReversed() : found
}

function ofFamily(family: 4 | 6) {
  return (addresses: readonly string[]) => addresses.map((address) => ({ address, family }))
}

/** Some callers take the first address and no other. */
function hasOnlyIPv6(): boolean {
  const outside = Object.values(networkInterfaces()).flatMap((all = []) => all.filter((one) => !one.internal))
  return outside.length > 0 && outside.every(({ family }) => family === 'IPv6')
}

function unlessNothing(error: unknown): undefined {
  const isNothing = error instanceof Error && 'code' in error && NOTHING_PUBLISHED.includes(String(error.code))
  if (!isNothing) throw error
}
