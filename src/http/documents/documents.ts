import type { Config } from '../../config/config.ts'
import { findOwnFile } from '../../config/own-files.ts'
import { Refusal } from '../../rules/refusal.ts'
import { Answer } from '../answers/answer.ts'
import type { Answering } from '../answers/answering.ts'
import { answerFile, fileOf, type SentFile } from '../answers/file.ts'
import type { ReadLook } from '../documentation/look.ts'
import type { Exchange } from '../exchange.ts'
import { themeOf } from '../pages/page-document.ts'
import { pageHeaders } from '../pages/page-headers.ts'
import type { Router } from '../router.ts'
import { contentsPage, documentPage, foundPage, missingDocument } from './document-page.ts'
import { documentStyle } from './document-style.ts'
import { type Group, sectionsOf } from './library.ts'
import { search, wordsOf } from './search.ts'

const ABOVE = '/docs'
const STYLE = `${ABOVE}/style.css`
const HTML = 'text/html; charset=utf-8'
const LONGEST_QUERY = 100

/**
 * The documents, as the build has rendered them into one file. It is read when somebody first opens one, so that a
 * start knows nothing of them.
 */
export function serveDocuments(
  router: Router,
  answering: Answering,
  config: Config,
  readLook: ReadLook,
  built: URL,
): void {
  const headers = pageHeaders(config, [])
  const kept = new Map<string, SentFile>()
  let keptFor = ''
  let library: ReturnType<typeof readLibrary> | undefined

  const answer = async (exchange: Exchange) => {
    library ??= readLibrary(built)
    const { groups, pages, sections } = library
    const look = await readLook()
    const around = { look, theme: themeOf(exchange.cookie('theme')), groups }
    const answerKept = async (type: string, write: () => unknown) => {
      const lookNow = JSON.stringify(look)
      if (lookNow !== keptFor) kept.clear()
      keptFor = lookNow
      const key = `${exchange.path} ${around.theme}`
      const file = kept.get(key) ?? fileOf(Buffer.from(String(await write())), type)
      kept.set(key, file)
      return answerFile(exchange, file, 'no-cache', headers)
    }
    const path = exchange.path === `${ABOVE}/` ? ABOVE : exchange.path
    if (path === STYLE) return answerKept('text/css; charset=utf-8', () => documentStyle(look.palette))
    const query = path === ABOVE ? exchange.query().q?.slice(0, LONGEST_QUERY).trim() : undefined
    if (query) {
      const words = wordsOf(query)
      return page(String(await foundPage(around, query, words, search(sections, words))), 200, headers)
    }
    if (path === ABOVE) return answerKept(HTML, () => contentsPage(around))
    const wanted = pages.get(path.slice(ABOVE.length + 1))
    if (wanted) return answerKept(HTML, () => documentPage(around, wanted))
    return page(String(await missingDocument(around)), 404, headers)
  }
  router.on('GET', `${ABOVE}/*`, answering(`${ABOVE}/*`, answer))
}

/** Each search is different, so its page is neither kept nor compressed. */
function page(text: string, status: number, headers: Readonly<Record<string, string>>): Answer {
  return new Answer(text, status, { ...headers, 'content-type': HTML, 'cache-control': 'no-cache' })
}

function readLibrary(built: URL) {
  const text = findOwnFile(built)
  if (!text) throw new Refusal('NOT_FOUND', 'The documents are not built.')
  const groups: readonly Group[] = JSON.parse(text.toString())
  const pages = groups.flatMap((group) => group.pages)
  return { groups, pages: new Map(pages.map((one) => [one.name, one])), sections: pages.flatMap(sectionsOf) }
}
