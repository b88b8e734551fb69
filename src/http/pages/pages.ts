import type { Config } from '../../config/config.ts'
import { unlessUnavailable } from '../../database/store.ts'
import { Refusal } from '../../rules/refusal.ts'
import { Answer, redirect } from '../answers/answer.ts'
import type { Answering } from '../answers/answering.ts'
import { answerFile, fileOf, type SentFile } from '../answers/file.ts'
import { refuseMissing } from '../answers/refuse.ts'
import type { Exchange } from '../exchange.ts'
import { readForm } from '../requests/form.ts'
import type { Router } from '../router.ts'
import { earlyScripts } from './early-scripts.ts'
import { documentWith, namelessDocument, type PageFacts, type Theme, themeOf } from './page-document.ts'
import type { Pages } from './page-files.ts'
import { pageHeaders } from './page-headers.ts'
import { acceptsPages, pageInstead } from './page-instead.ts'

/** Paths that have a page; every other one outside `/api` is a 404, in JSON except for browsers. */
const PAGES = [
  '/',
  '/sign-in',
  '/sign-in/second-step',
  '/invitation',
  '/sign-up',
  '/verify',
  '/forgot',
  '/reset',
  '/secure',
  '/beta',
  '/return',
  '/unsubscribe',
  '/notifications',
  '/feedback',
  '/settings',
  '/settings/*',
  '/oauth/authorize',
  '/oauth/consent',
  '/oauth/end-session',
  '/console',
  '/console/*',
] as const

const ASSETS = '/assets/'

const ELEMENTS = '/elements.js'
/** Its parts are served under its own path, so that a policy can allow that one; a query names each by its version. */
const PARTS = [
  { query: 'v', path: '/elements-later.js' },
  { query: 'organization', path: '/elements-organization.js' },
] as const
const OF_ELEMENTS: readonly string[] = [ELEMENTS, ...PARTS.map(({ path }) => path)]
const FOR_EVER = 'public, max-age=31536000, immutable'
/** A module of another site is fetched only with permission. */
const FOR_ANY_PAGE = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
}

/** The cookie that the pages keep a browser's choice in, so that the first paint already has it. */
const THEME = 'theme'

/** The facts of the page that this request is for. */
type ReadFacts = (exchange: Exchange) => Promise<PageFacts>

/** Called before the page of its path is served: it can return another response. */
type BeforePages = Readonly<Record<string, (exchange: Exchange) => Promise<Answer | undefined>>>

/** The page for a path without a route; undefined if the caller is a program. */
export type FindMissingPage = (exchange: Exchange) => Promise<Answer | undefined>

/** Serves the built pages from memory: hashed files for ever, the page itself always fresh. */
export function servePages(
  router: Router,
  answering: Answering,
  config: Config,
  files: Pages,
  readFacts: ReadFacts,
  pictures: readonly string[] = [],
  before: BeforePages = {},
  elementsLoaded: (origin: string) => void = () => undefined,
): FindMissingPage {
  const headers = pageHeaders(config, pictures)
  const page = files.get('/index.html')
  const answerBuilt = (exchange: Exchange) => {
    const file = files.get(exchange.path)
    if (!file) return refuseMissing()
    // Scripts and styles need no policy of their own, and every byte counts on a phone.
    return answerFile(exchange, file, cacheFor(exchange.path), {})
  }
  const answerElements = (exchange: Exchange) => {
    const query = exchange.query()
    const part = PARTS.find((one) => query[one.query] !== undefined)
    const file = files.get(part?.path ?? ELEMENTS)
    if (!file) return refuseMissing()
    const origin = exchange.header('origin')
    if (origin !== undefined) elementsLoaded(origin)
    // While processes of two versions run, one can be asked for a file that only the other has.
    const isNamed = part !== undefined && file.tag === `"${query[part.query]}"`
    return answerFile(exchange, file, isNamed ? FOR_EVER : 'no-cache', FOR_ANY_PAGE)
  }
  const built = answering('other', answerBuilt)
  for (const [path, file] of files) {
    const isElsewhere = file === page || OF_ELEMENTS.includes(path)
    if (!isElsewhere) router.on('GET', path, built)
  }
  router.on('GET', ELEMENTS, answering('other', answerElements))
  const early = earlyScripts([...files.keys()])
  const current = page && currentPage(page, readFacts, new URL(config.baseUrl).host)
  const answerPage = async (exchange: Exchange) => {
    if (!current) throw new Refusal('NOT_FOUND', 'The pages are not built.')
    return answerFile(
      exchange,
      await current(exchange, early(exchange), themeOf(exchange.cookie(THEME))),
      'no-cache',
      headers,
    )
  }
  for (const [path, answer] of Object.entries(before)) {
    const respond = async (exchange: Exchange) => (await answer(exchange)) ?? answerPage(exchange)
    router.on('GET', path, answering(path, pageInstead(respond, answerPage)))
    router.on('POST', path, answering(path, pageInstead(asGet, answerPage)))
  }
  if (page) for (const path of PAGES) router.on('GET', path, answering('other', answerPage))
  return async (exchange) => {
    if (!page || !asksForPage(exchange)) return undefined
    const { body, status, headers: sent } = await answerPage(exchange)
    return new Answer(body, status === 200 ? 404 : status, { ...sent, vary: 'accept, accept-encoding' })
  }
}

/** True for a browser that navigates to the address, not for a script or program that calls it. */
function asksForPage(exchange: Exchange): boolean {
  const isRead = exchange.method === 'GET' || exchange.method === 'HEAD'
  return isRead && acceptsPages(exchange) && !/^\/(?:api|\.well-known)(?:\/|$)/.test(exchange.path)
}

/**
 * Rebuilt only when the facts have changed. If the store is away, the pages still open under their last known
 * name and say what is wrong.
 */
function currentPage(built: SentFile, readFacts: ReadFacts, host: string) {
  const text = built.plain.toString()
  const last = new Map<string, SentFile>()
  let known: PageFacts | undefined
  return async (exchange: Exchange, scripts: readonly string[], theme: Theme | undefined): Promise<SentFile> => {
    const facts = await readFacts(exchange).catch(unlessUnavailable)
    if (facts?.styleOf === undefined) known = facts ?? known
    const shown = facts ?? known
    const plain = Buffer.from(shown ? documentWith(text, shown, scripts, theme) : namelessDocument(text, host))
    const kind = [theme, facts?.styleOf, ...scripts].join()
    const before = last.get(kind)
    if (before?.plain.equals(plain)) return before
    const made = fileOf(plain, built.type)
    last.set(kind, made)
    return made
  }
}

/**
 * OpenID Connect allows a form too. It becomes a query, and nothing happens until the browser comes back with
 * that.
 */
async function asGet(exchange: Exchange): Promise<Answer> {
  const form = await readForm(exchange)
  return redirect(`${exchange.path}?${new URLSearchParams(form)}`)
}

/** Built files carry a hash of their content in their name. */
function cacheFor(path: string): string {
  return path.startsWith(ASSETS) ? FOR_EVER : 'public, max-age=3600'
}
