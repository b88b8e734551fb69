import { html, raw } from 'hono/html'
import { escapedHtml } from '../../rules/html.ts'
import { brandLine, type Shown } from '../documentation/brand-line.ts'
import type { Theme } from '../pages/page-document.ts'
import { documentWords as words } from './document-words.ts'
import { type Group, type Page, sectionsOf } from './library.ts'
import type { Found } from './search.ts'

export interface Around {
  readonly look: Shown
  readonly theme: Theme | undefined
  readonly groups: readonly Group[]
  /** True for a site without the service around it. */
  readonly isAlone?: boolean
}

/** One document, with the list of all of them beside it. */
export function documentPage(around: Around, page: Page) {
  const all = around.groups.flatMap(({ pages }) => pages)
  const at = all.indexOf(page)
  const [before, after] = [all[at - 1], all[at + 1]]
  const headings = sectionsOf(page).filter(({ level }) => level === 2)
  const links = html`<ul>${headings.map(({ anchor, heading }) => html`<li><a href="#${anchor}">${heading}</a></li>`)}</ul>`
  const toc =
    headings.length < 2
      ? ''
      : html`<details class="toc narrow"><summary>${words.onThisPage}</summary>${links}</details>
<nav class="toc wide" aria-label="${words.onThisPage}"><p>${words.onThisPage}</p>${links}</nav>`
  return frame(
    around,
    page.title,
    page,
    html`${toc}<article>${raw(page.html)}</article>
<p class="others">${before ? html`<a rel="prev" href="/docs/${before.name}"><span>${words.previous}</span>${before.title}</a>` : ''}${after ? html`<a rel="next" href="/docs/${after.name}"><span>${words.next}</span>${after.title}</a>` : ''}</p>`,
  )
}

/** The list of documents, by task. */
export function contentsPage(around: Around) {
  return frame(around, words.documents, undefined, html`<h1>${words.documents}</h1>${cards(around.groups)}`)
}

export function missingDocument(around: Around) {
  return frame(around, words.missing, undefined, html`<h1>${words.missing}</h1>${cards(around.groups)}`)
}

export function foundPage(around: Around, query: string, wanted: readonly string[], found: readonly Found[]) {
  const results = found.map(
    ({ section: { page, anchor, heading }, excerpt }) =>
      html`<li><a href="/docs/${page.name}${anchor === '' ? '' : `#${anchor}`}">${heading}</a>${anchor === '' ? '' : html` <span>${page.title}</span>`}<p>${marked(excerpt, wanted)}</p></li>`,
  )
  const title = words.resultsFor(query)
  const list = found.length === 0 ? html`<p>${words.noMatches}</p>${cards(around.groups)}` : html`<ol>${results}</ol>`
  return frame(around, title, undefined, html`<div class="found"><h1>${title}</h1>${list}</div>`, query)
}

function frame(
  { look, theme, groups, isAlone = false }: Around,
  title: string,
  page: Page | undefined,
  main: unknown,
  query = '',
) {
  const list = groups.map(
    (group) =>
      html`<p>${group.title}</p><ul>${group.pages.map(
        (one) =>
          html`<li><a href="/docs/${one.name}"${one === page ? raw(' aria-current="page"') : ''}>${one.title}</a></li>`,
      )}</ul>`,
  )
  return html`<!doctype html>
<html lang="en"${theme === undefined ? '' : html` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} &middot; ${look.name}</title>
<link rel="icon" href="${look.iconUrl ?? '/favicon.svg'}">
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<a class="skip sr-only" href="#main">Skip to content</a>
<header>
${brandLine(look)}
<a class="home" href="/docs">${words.documents}</a>
<form class="search" action="/docs" role="search"><label class="sr-only" for="search">${words.search}</label><input id="search" name="q" type="search" value="${query}" placeholder="${words.search}" maxlength="100"><button>${words.find}</button></form>
${isAlone ? '' : html`<a href="/api/docs">${words.api}</a>`}
</header>
<div class="columns">
<details class="narrow menu"><summary>${words.contents}</summary><nav aria-label="${words.contents}">${list}</nav></details>
<nav class="wide" aria-label="${words.contents}">${list}</nav>
<main id="main" class="document">
${main}
</main>
</div>
</body>
</html>`
}

function cards(groups: readonly Group[]) {
  return html`<div class="cards">${groups.map(
    ({ title, pages }) =>
      html`<section><h2>${title}</h2><ul>${pages.map(
        ({ name, title: words, lead }) => html`<li><a href="/docs/${name}">${words}</a><p>${lead}</p></li>`,
      )}</ul></section>`,
  )}</div>`
}

function marked(text: string, wanted: readonly string[]) {
  const some = wanted.map((word) => word.replaceAll('.', '\\.')).join('|')
  const parts = text.split(new RegExp(`(${some})`, 'gi'))
  return raw(parts.map((part, at) => (at % 2 === 1 ? `<mark>${escapedHtml(part)}</mark>` : escapedHtml(part))).join(''))
}
