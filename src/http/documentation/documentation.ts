import type { Hono } from 'hono'
import type { Config } from '../../config/config.ts'
import { Answer } from '../answers/answer.ts'
import type { Answering } from '../answers/answering.ts'
import { ownCookie } from '../answers/own-cookie.ts'
import type { Route } from '../route.ts'
import { docsPage, docsStyle } from './docs-page.ts'
import { describeRoutes } from './openapi.ts'

const POLICY =
  "default-src 'none'; object-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'"

/** The routes' documentation, for programs and for people; built when first read, then kept. */
export function serveDocumentation(
  app: Hono,
  routes: readonly Route[],
  answering: Answering,
  config: Config,
): void {
  let description: string | undefined
  let page: Promise<string> | undefined
  const serve = (path: string, type: string, write: () => string | Promise<string>) =>
    app.get(
      path,
      answering(path, async () => {
        const headers = { 'content-type': type, 'content-security-policy': POLICY }
        return new Answer(await write(), 200, headers)
      }),
    )
  serve('/api/openapi.json', 'application/json', () => {
    description ??= JSON.stringify(
      describeRoutes(routes, {
        title: `${config.appName} API`,
        version: '1',
        serverUrl: config.baseUrl,
        sessionCookie: ownCookie('session').nameFor(config),
      }),
    )
    return description
  })
  serve('/api/docs', 'text/html; charset=utf-8', () => {
    page ??= Promise.resolve(docsPage(routes, config.appName, config.baseUrl)).then(String)
    return page
  })
  serve('/api/docs.css', 'text/css; charset=utf-8', () => docsStyle)
}
