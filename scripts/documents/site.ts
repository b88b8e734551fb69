// `npm run docs`: the documents as files for any web server, in `site/`. They need no address of their own: links are
// relative. Only the search needs a script, which has its words beside it.
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import { contentsPage, documentPage, foundPage } from '../../src/http/documents/document-page.ts'
import { documentStyle } from '../../src/http/documents/document-style.ts'
import { sectionsOf } from '../../src/http/documents/library.ts'
import { root } from '../ensure.mjs'
import { readDocuments } from './library.ts'

const SEARCH = `
import { documentWords } from './document-words.ts'
import { search, wordsOf } from './search.ts'

const query = new URLSearchParams(location.search).get('q') ?? ''
const place = document.querySelector('.found')
const made = (tag, ...inside) => {
  const element = document.createElement(tag)
  element.append(...inside)
  return element
}
if (query.trim() !== '') {
  document.querySelector('input').value = query
  const items = search(sections.map((one) => ({ ...one, lower: one.text.toLowerCase() })), wordsOf(query)).map(({ section, excerpt }) => {
    const link = made('a', section.heading)
    link.href = section.page.name + '.html' + (section.anchor && '#' + section.anchor)
    return made('li', link, made('span', ' ', section.page.title), made('p', excerpt))
  })
  place.replaceChildren(
    made('h1', documentWords.resultsFor(query)),
    items.length > 0 ? made('ol', ...items) : documentWords.noMatches,
  )
}
`

const folder = join(root, 'site')
const groups = readDocuments()
const pages = groups.flatMap((group) => group.pages)
const look = { name: 'Gatehouse', logoUrl: null, logoDarkUrl: null, iconUrl: 'favicon.svg' }
const around = { look, theme: undefined, groups, isAlone: true }

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
write('index.html', relative(await contentsPage(around)))
for (const page of pages) write(`${page.name}.html`, relative(await documentPage(around, page)))
const scripts = '<script src="search-words.js" defer></script><script src="search.js" defer></script></body>'
write(
  'search.html',
  relative(await foundPage(around, '', [], [])).replace('</body>', () => scripts),
)
write('style.css', documentStyle(null))
const sections = pages
  .flatMap(sectionsOf)
  .map(({ page: { name, title }, lower: _, ...rest }) => ({ page: { name, title }, ...rest }))
write('search-words.js', `globalThis.sections = ${JSON.stringify(sections)}`)
buildSync({
  stdin: { contents: SEARCH, resolveDir: join(root, 'src/http/documents') },
  outfile: join(folder, 'search.js'),
  bundle: true,
  minify: true,
})
copyFileSync(join(root, 'web/public/favicon.svg'), join(folder, 'favicon.svg'))
process.stdout.write(`${pages.length} documents are in ${folder}\n`)

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text)
}

function relative(page: unknown): string {
  return String(page)
    .replaceAll('action="/docs"', 'action="search.html"')
    .replaceAll('"/docs/style.css"', '"style.css"')
    .replaceAll(/href="\/docs\/([\w-]+)/g, 'href="$1.html')
    .replaceAll(/href="\/(?:docs)?"/g, 'href="index.html"')
}
