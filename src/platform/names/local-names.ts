import type { LookupAddress } from 'node:dns'
import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'

/** Sources that the system's look-up reads beside its name servers, and c-ares does not. */
export interface NameFiles {
  readonly hosts: string
  /** `resolv.conf`: in which domains a short name is looked for. */
  readonly resolver: string
}

const IS_WINDOWS = process.platform === 'win32'
export const SYSTEM_FILES: NameFiles = {
  hosts: IS_WINDOWS ? String.raw`C:\Windows\System32\drivers\etc\hosts` : '/etc/hosts',
  resolver: '/etc/resolv.conf',
}

const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/** Names that need no name server, and the names that a short one stands for. */
export class LocalNames {
  readonly #hosts: () => ReadonlyMap<string, readonly LookupAddress[]>
  readonly #search: () => Search

  constructor({ hosts, resolver }: NameFiles) {
    this.#hosts = whileUnchanged(hosts, hostsIn)
    this.#search = whileUnchanged(resolver, searchIn)
  }

  /** None if name servers have to be asked. */
  addressesOf(name: string): readonly LookupAddress[] {
    const family = isIP(name)
    if (family !== 0) return [{ address: name, family }]
    const plain = name.toLowerCase().replace(/\.$/, '')
    const listed = this.#hosts().get(plain)
    return listed ?? (/(^|\.)localhost$/.test(plain) ? LOOPBACK : [])
  }

  /** Follows the order of `getaddrinfo`, so that a name inside a cluster is not sought on the internet first. */
  namesFor(name: string): readonly string[] {
    if (name.endsWith('.')) return [name]
    const { domains, dots } = this.#search()
    const longer = domains.map((domain) => `${name}.${domain}`)
    return name.split('.').length > dots ? [name, ...longer] : [...longer, name]
  }
}

function hostsIn(text: string): ReadonlyMap<string, readonly LookupAddress[]> {
  const addresses = new Map<string, LookupAddress[]>()
  for (const [address = '', ...names] of wordsOfLines(text)) {
    const family = isIP(address)
    if (family === 0) continue
    for (const name of names.map((one) => one.toLowerCase()))
      addresses.set(name, [...(addresses.get(name) ?? []), { address, family }])
  }
  return addresses
}

interface Search {
  readonly domains: readonly string[]
  /** A name with at least this many dots is first looked up as it is. */
  readonly dots: number
}

/** The last line counts; `.`, the root of all names, adds nothing. */
function searchIn(text: string): Search {
  const search = { domains: [] as readonly string[], dots: 1 }
  for (const [keyword, ...words] of wordsOfLines(text)) {
    if (keyword === 'search' || keyword === 'domain') search.domains = words.filter((word) => word !== '.')
    if (keyword !== 'options') continue
    const dots = words.map((word) => /^ndots:(\d{1,2})$/.exec(word)?.[1]).find((one) => one !== undefined)
    if (dots !== undefined) search.dots = Number(dots)
  }
  return search
}

function wordsOfLines(text: string): readonly (readonly string[])[] {
  return text
    .split('\n')
    .map((line) => line.replace(/[#;].*$/, '').trim())
    .filter((line) => line !== '')
    .map((line) => line.split(/\s+/))
}

/** Reads the file again after a change. A missing file counts as empty. */
function whileUnchanged<T>(path: string, parse: (text: string) => T): () => T {
  let read: { readonly at: number | undefined; readonly value: T } | undefined
  return () => {
    const at = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    if (read?.at !== at || !read) read = { at, value: parse(at === undefined ? '' : readFileSync(path, 'utf8')) }
    return read.value
  }
}
