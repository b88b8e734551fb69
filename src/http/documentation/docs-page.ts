import { html, raw } from 'hono/html'
import { escapedHtml } from '../../rules/html.ts'
import { takesForm, takesQuery } from '../requests/form.ts'
import { isProtected, type Route } from '../route.ts'
import { brandLine, type Shown } from './brand-line.ts'
import { pythonOf, typescriptOf } from './code.ts'
import { curlOf, queryOf } from './curl.ts'
import { docsWords } from './docs-words.ts'
import { type Field, fieldsOf } from './fields.ts'
import { areaOf, operationIdOf } from './openapi.ts'
import { inputSample, requiredOf, sampleOf, schemaOf } from './samples.ts'

/**
 * `/api/docs`: every route with its fields, its code in three languages and its response. It is whole without its
 * script, which adds the search and a way to try each route.
 */
export function docsPage(routes: readonly Route[], look: Shown, baseUrl: string) {
  const { name } = look
  const areas = [...Map.groupBy(routes, areaNamed)].toSorted(([one], [other]) => placeOf(one) - placeOf(other))
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name} API</title>
<link rel="stylesheet" href="/api/docs.css">
<script src="/api/docs.js"></script>
</head>
<body>
<a class="skip sr-only" href="#main">Skip to content</a>
<header>
${brandLine(look)}
<div class="search" hidden><label for="search">${docsWords.search}</label><input id="search" type="search" placeholder="${docsWords.placeholder}" autocomplete="off"><span id="found" role="status"></span></div>
<fieldset class="languages"><legend>Code in</legend>
${LANGUAGES.map(({ id, words }, at) => html`<label><input type="radio" name="language" id="in-${id}"${raw(at === 0 ? ' checked' : '')}>${words}</label>`)}
</fieldset>
</header>
<div class="columns">
<nav aria-label="Areas">
${areas.map(([area, those]) => areaLinks(area, those))}
</nav>
<main id="main">
<h1>${name} API</h1>
<p>Send JSON, get JSON. Every refusal is <code>{ "code", "message" }</code>. For programs, the same is in <a href="/api/openapi.json">openapi.json</a>.</p>
<p id="none" hidden>${docsWords.noMatches}. <button type="button" id="clear">${docsWords.clear}</button></p>
${[...areas].map(
  ([
    area,
    those,
  ]) => html`<section class="area" aria-labelledby="area-${area}"><h2 id="area-${area}">${titleOf(area)}</h2>
${those.map((route) => article(route, baseUrl))}
</section>`,
)}
</main>
</div>
</body>
</html>`
}

const LANGUAGES = [
  { id: 'curl', words: 'curl' },
  { id: 'typescript', words: 'TypeScript' },
  { id: 'python', words: 'Python' },
] as const

/** In the order of the page. */
const TITLES = {
  auth: 'Sign-in',
  oauth: 'OAuth and OpenID Connect',
  account: 'Account',
  operations: 'Operations',
  service: 'Tools and service',
  admin: 'Administration',
  config: 'Settings',
} as const

/** What follows `/api/auth/` in so many routes that one area with all of them has no end for who reads by keyboard. */
const PARTS_OF_SIGN_IN: Readonly<Record<string, string>> = {
  'two-factor': 'auth:two-factor',
  passkey: 'auth:passkey',
  organization: 'account:organizations',
}

/** The first two parts of a route's scope; without a scope, what its path begins with. */
function areaNamed(route: Route): string {
  if (isProtected(route)) return route.scope.split(':', 2).join(':')
  const area = areaOf(route)
  const part = area === 'auth' && PARTS_OF_SIGN_IN[route.path.split('/')[3] ?? '']
  if (part) return part
  if (isTitled(area)) return area
  return area.startsWith('oauth') ? 'oauth' : 'service'
}

const isTitled = (name: string): name is keyof typeof TITLES => name in TITLES

function placeOf(area: string): number {
  const [first = ''] = area.split(':')
  return Object.keys(TITLES).indexOf(first)
}

function titleOf(area: string): string {
  const [first = '', second] = area.split(':')
  const title = isTitled(first) ? TITLES[first] : first
  return second === undefined ? title : `${title}: ${second}`
}

function areaLinks(area: string, routes: readonly Route[]) {
  return html`<details><summary>${titleOf(area)} <span>${routes.length}</span></summary>
<ul>${routes.map((route) => html`<li><a href="#${operationIdOf(route)}">${route.path.replace(/^\/api\/(?:admin\/)?/, '')}</a></li>`)}</ul>
</details>`
}

function article(route: Route, baseUrl: string) {
  const id = operationIdOf(route)
  const required = requiredOf(route)
  const input = fieldsOf(schemaOf(route.input, 'input'), required)
  const answer = schemaOf(route.output, 'output')
  return html`<article id="${id}">
<h3><a href="#${id}"><span>${route.method}</span> ${route.path}</a></h3>
<p>${inline(`${route.summary}.`)} <em>${inline(accessWords(route))}</em></p>
<div class="sides">
<div>
<h4>Request</h4>
${fieldTable(input, 'Nothing.')}
<h4>Response</h4>
${fieldTable(fieldsOf(answer), 'An empty object, or what the summary says.')}
</div>
<div>
<h4>${docsWords.code}</h4>
<pre class="curl">${curlOf(route, baseUrl)}</pre>
<pre class="typescript">${typescriptOf(route, baseUrl)}</pre>
<pre class="python">${pythonOf(route, baseUrl)}</pre>
<details class="sample"><summary>Example of a response</summary><pre class="answer">${JSON.stringify(sampleOf(answer), null, 2) ?? ''}</pre></details>
<button type="button" class="try" hidden data-method="${route.method}" data-path="${route.path}" data-body="${bodyKindOf(route)}" data-sample="${sampleTextOf(route)}">${docsWords.tryIt}</button>
</div>
</div>
</article>`
}

function bodyKindOf(route: Route): 'query' | 'form' | 'json' {
  if (takesQuery(route)) return 'query'
  return takesForm(route) ? 'form' : 'json'
}

/** What a reader begins with who tries the route. */
function sampleTextOf(route: Route): string {
  const input = inputSample(route)
  return bodyKindOf(route) === 'json' ? JSON.stringify(input, null, 2) : queryOf(input).slice(1)
}

function fieldTable(fields: readonly Field[], nothing: string) {
  if (fields.length === 0) return html`<p class="nothing">${nothing}</p>`
  return html`<dl>${fields.map(
    ({ name, type, isRequired }) =>
      html`<div><dt><code>${name}</code>${isRequired ? '' : html` <span>optional</span>`}</dt><dd>${type}</dd></div>`,
  )}</dl>`
}

function accessWords(route: Route): string {
  if (route.access === 'public') return 'Open to everyone.'
  if (route.access === 'session') return 'For a signed-in browser session only.'
  if (route.access === 'caller') return 'For any session or token.'
  return `Needs \`${route.scope}\`.`
}

/** The Markdown that summaries have: code between backticks. */
function inline(text: string) {
  return raw(escapedHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>'))
}
