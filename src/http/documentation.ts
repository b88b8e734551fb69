import type { Hono } from 'hono'
import type { Config } from '../config.ts'
import { docsPage, docsStyle } from './docs-page.ts'
import { describeRoutes } from './openapi.ts'
import type { Route } from './route.ts'

const POLICY =
  "default-src 'none'; object-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'"

/** What the routes say of themselves, for machines and for people; made when first read. */
export function serveDocumentation(app: Hono, routes: readonly Route[], config: Config): void {
  let description: string | undefined
  app.get('/api/openapi.json', (context) => {
    description ??= JSON.stringify(
      describeRoutes(routes, { title: `${config.appName} API`, version: '1', serverUrl: config.baseUrl }),
    )
    return context.body(description, 200, { 'content-type': 'application/json' })
  })
  app.get('/api/docs', (context) =>
    context.html(docsPage(routes, config.appName), 200, { 'content-security-policy': POLICY }),
  )
  app.get('/api/docs.css', (context) =>
    context.body(docsStyle, 200, { 'content-type': 'text/css; charset=utf-8' }),
  )
}
