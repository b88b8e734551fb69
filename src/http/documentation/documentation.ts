import type { Config } from '../../config/config.ts'
import type { Answering } from '../answers/answering.ts'
import { answerFile, fileOf, type SentFile } from '../answers/file.ts'
import { ownCookie } from '../answers/own-cookie.ts'
import type { Route } from '../route.ts'
import type { Router } from '../router.ts'
import { docsPage } from './docs-page.ts'
import { docsScript } from './docs-script.ts'
import { docsStyle } from './docs-style.ts'
import type { Look, ReadLook } from './look.ts'
import { describeRoutes } from './openapi.ts'

const POLICY = [
  ...["default-src 'none'", "object-src 'none'", "style-src 'self'", "script-src 'self'", "connect-src 'self'"],
  ...["img-src 'self'", "base-uri 'none'", "frame-ancestors 'none'"],
].join('; ')
const FOR_FIVE_MINUTES = 'max-age=300'

/** The routes' documentation, for programs and for people, under the name that the installation has now. */
export function serveDocumentation(
  router: Router,
  routes: readonly Route[],
  answering: Answering,
  config: Config,
  readLook: ReadLook,
): void {
  const serve = (path: string, getFile: () => SentFile | Promise<SentFile>) =>
    router.on(
      'GET',
      path,
      answering(path, async (exchange) =>
        answerFile(exchange, await getFile(), FOR_FIVE_MINUTES, { 'content-security-policy': POLICY }),
      ),
    )
  const serveLike = (path: string, type: string, write: Write) => serve(path, keptForLook(readLook, type, write))
  const script = fileOf(Buffer.from(docsScript), 'text/javascript; charset=utf-8')
  serveLike('/api/openapi.json', 'application/json', ({ name }) =>
    JSON.stringify(
      describeRoutes(routes, {
        title: `${name} API`,
        version: '1',
        serverUrl: config.baseUrl,
        sessionCookie: ownCookie('session').nameFor(config),
      }),
    ),
  )
  serveLike('/api/docs', 'text/html; charset=utf-8', async (look) =>
    String(await docsPage(routes, look, config.baseUrl)),
  )
  serveLike('/api/docs.css', 'text/css; charset=utf-8', ({ palette }) => docsStyle(palette))
  serve('/api/docs.js', () => script)
}

type Write = (look: Look) => string | Promise<string>

/** Built only when the look has changed. */
function keptForLook(readLook: ReadLook, type: string, write: Write): () => Promise<SentFile> {
  let kept: { readonly look: string; readonly file: Promise<SentFile> } | undefined
  const made = async (known: Look) => fileOf(Buffer.from(await write(known)), type)
  return async () => {
    const known = await readLook()
    const look = JSON.stringify(known)
    if (kept?.look !== look) kept = { look, file: made(known) }
    return kept.file
  }
}
