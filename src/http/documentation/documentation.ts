import type { Hono } from 'hono'
import type { Config } from '../../config/config.ts'
import { unlessUnavailable } from '../../database/store.ts'
import { Answer } from '../answers/answer.ts'
import type { Answering } from '../answers/answering.ts'
import { ownCookie } from '../answers/own-cookie.ts'
import type { Route } from '../route.ts'
import { docsPage, docsStyle } from './docs-page.ts'
import { describeRoutes } from './openapi.ts'

const POLICY =
  "default-src 'none'; object-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'"

/** The routes' documentation, for programs and for people, under the name that the installation has now. */
export function serveDocumentation(
  app: Hono,
  routes: readonly Route[],
  answering: Answering,
  config: Config,
  readName: () => Promise<string>,
): void {
  const serve = (path: string, type: string, write: () => string | Promise<string>) =>
    app.get(
      path,
      answering(path, async () => {
        const headers = { 'content-type': type, 'content-security-policy': POLICY }
        return new Answer(await write(), 200, headers)
      }),
    )
  const serveNamed = (path: string, type: string, write: (name: string) => string | Promise<string>) =>
    serve(path, type, keptForName(readName, new URL(config.baseUrl).host, write))
  serveNamed('/api/openapi.json', 'application/json', (name) =>
    JSON.stringify(
      describeRoutes(routes, {
        title: `${name} API`,
        version: '1',
        serverUrl: config.baseUrl,
        sessionCookie: ownCookie('session').nameFor(config),
      }),
    ),
  )
  serveNamed('/api/docs', 'text/html; charset=utf-8', async (name) =>
    String(await docsPage(routes, name, config.baseUrl)),
  )
  serve('/api/docs.css', 'text/css; charset=utf-8', () => docsStyle)
}

/** Built only when the name has changed. While no store can be read, the last name counts, or the host's. */
function keptForName(
  readName: () => Promise<string>,
  host: string,
  write: (name: string) => string | Promise<string>,
): () => Promise<string> {
  let known = host
  let kept: { readonly name: string; readonly text: string } | undefined
  return async () => {
    known = (await readName().catch(unlessUnavailable)) ?? known
    if (kept?.name !== known) kept = { name: known, text: await write(known) }
    return kept.text
  }
}
