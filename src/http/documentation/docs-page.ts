import { html, raw } from 'hono/html'
import { z } from 'zod'
import type { Route } from '../route.ts'
import { curlOf } from './curl.ts'

/** `/api/docs`: the routes as a page without scripts. */
export function docsPage(routes: readonly Route[], appName: string, baseUrl: string) {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${appName} API</title>
<link rel="stylesheet" href="/api/docs.css">
</head>
<body>
<main>
<h1>${appName} API</h1>
<p>Send JSON, get JSON. Every refusal is <code>{ "code", "message" }</code>. For programs, the same is in <a href="/api/openapi.json">openapi.json</a>.</p>
${routes.map((route) => section(route, baseUrl))}
</main>
</body>
</html>`
}

function section(route: Route, baseUrl: string) {
  return html`<section>
<h2><span>${route.method}</span> ${route.path}</h2>
<p>${route.summary}. <em>${accessWords(route)}</em></p>
<pre class="curl">${curlOf(route, baseUrl)}</pre>
<details><summary>Schemas</summary>
<h3>Request</h3><pre>${shape(route.input, 'input')}</pre>
<h3>Response</h3><pre>${shape(route.output, 'output')}</pre>
</details>
</section>`
}

function accessWords(route: Route): string {
  if (route.access === 'public') return 'Open to everyone.'
  if (route.access === 'session') return 'For a signed-in browser session only.'
  if (route.access === 'caller') return 'For any session or token.'
  return `Needs ${route.scope}.`
}

function shape(schema: z.ZodType, io: 'input' | 'output') {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return raw(JSON.stringify(plain, null, 2).replaceAll('<', '&lt;'))
}

export const docsStyle = `
:root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif; }
body { margin: 0; background: light-dark(#fafaf9, #141416); color: light-dark(#1c1c1f, #e8e8ea); }
main { max-width: 48rem; margin: 0 auto; padding: 3rem 1.25rem 6rem; }
h1 { font-size: 1.75rem; letter-spacing: -0.02em; }
section { border-top: 1px solid light-dark(#e4e4e1, #2b2b30); padding: 0.5rem 0 1rem; }
h2 { font: 600 0.95rem/1.4 ui-monospace, monospace; margin-bottom: 0; overflow-wrap: anywhere; }
h2 span { color: light-dark(#0f766e, #5eead4); margin-right: 0.5rem; }
h3 { font-size: 0.8rem; margin: 1rem 0 0.25rem; }
p { margin: 0.25rem 0 0.5rem; }
em { color: light-dark(#6b6b72, #9a9aa2); }
summary { cursor: pointer; font-size: 0.9rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 0.8rem; padding: 0.75rem; border-radius: 0.5rem; background: light-dark(#f0f0ee, #1d1d21); }
a { color: inherit; }
`
