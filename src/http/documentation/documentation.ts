import type { Config } from '../../config/config.ts'
import { unlessUnavailable } from '../../database/store.ts'
import type { Answering } from '../answers/answering.ts'
import { answerFile, fileOf, type SentFile } from '../answers/file.ts'
import { ownCookie } from '../answers/own-cookie.ts'
import type { Route } from '../route.ts'
import type { Router } from '../router.ts'
import { docsPage, docsStyle } from './docs-page.ts'
import { describeRoutes } from './openapi.ts'

const POLICY = "default-src 'none'; object-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'"
const FOR_FIVE_MINUTES = 'max-age=300'

/** The routes' documentation, for programs and for people, under the name that the installation has now. */
export function serveDocumentation(
  router: Router,
  routes: readonly Route[],
  answering: Answering,
  config: Config,
  readName: () => Promise<string>,
): void {
  const serve = (path: string, getFile: () => SentFile | Promise<SentFile>) =>
    router.on(
      'GET',
      path,
      answering(path, async (exchange) =>
        answerFile(exchange, await getFile(), FOR_FIVE_MINUTES, { 'content-security-policy': POLICY }),
      ),
    )
  const serveNamed = (path: string, type: string, write: Write) =>
    serve(path, keptForName(readName, new URL(config.baseUrl).host, type, write))
  const style = fileOf(Buffer.from(docsStyle), 'text/css; charset=utf-8')
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
  serve('/api/docs.css', () => style)
}

type Write = (name: string) => string | Promise<string>

/** Built only when the name has changed. While no store can be read, the last name counts, or the host's. */
function keptForName(
  readName: () => Promise<string>,
  host: string,
  type: string,
  write: Write,
): () => Promise<SentFile> {
  let known = host
  let kept: { readonly name: string; readonly file: Promise<SentFile> } | undefined
  const made = async (name: string) => fileOf(Buffer.from(await write(name)), type)
  return async () => {
    known = (await readName().catch(unlessUnavailable)) ?? known
    if (kept?.name !== known) kept = { name: known, file: made(known) }
    return kept.file
  }
}
