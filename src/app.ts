import { fileURLToPath } from 'node:url'
import { Hono } from 'hono'
import { accessRoutes } from './features/access/routes.ts'
import { applicationRoutes } from './features/applications/routes.ts'
import { auditRoutes } from './features/audit/routes.ts'
import { betaCodeRoutes } from './features/beta-codes/routes.ts'
import { findCaller } from './features/callers/find-caller.ts'
import { creditRoutes } from './features/credits/routes.ts'
import { figureRoutes } from './features/daily-figures/routes.ts'
import { eventRoutes } from './features/events/routes.ts'
import { feedbackRoutes } from './features/feedback/routes.ts'
import { authorizeQuietly } from './features/grants/requests/authorize.ts'
import { grantRoutes } from './features/grants/routes.ts'
import { healthRoutes } from './features/health/routes.ts'
import { pageFacts } from './features/identity/client-config.ts'
import { refuseOtpSignIn } from './features/identity/email-rules/email-rules.ts'
import { providerRoutes } from './features/identity/providers/routes.ts'
import { identityRoutes } from './features/identity/routes.ts'
import { liveRoutes } from './features/live/routes.ts'
import { mailRoutes } from './features/mail/routes.ts'
import { mcpRoutes } from './features/mcp/routes.ts'
import { notificationRoutes } from './features/notifications/routes.ts'
import { endSessionQuietly } from './features/openid/end-session.ts'
import { openidRoutes } from './features/openid/routes.ts'
import { overviewRoutes } from './features/overview/routes.ts'
import { personalTokenRoutes } from './features/personal-tokens/routes.ts'
import { productScopeRoutes } from './features/product-scopes/routes.ts'
import { revocationRoutes } from './features/revocations/routes.ts'
import { securityRoutes } from './features/security/routes.ts'
import { sessionRoutes } from './features/sessions/routes.ts'
import { currentName } from './features/settings/brand/brand.ts'
import { settingsRoutes } from './features/settings/routes.ts'
import { currentSettings } from './features/settings/settings.ts'
import { shardRoutes } from './features/shards/routes.ts'
import { signedTokenRoutes } from './features/signed-tokens/routes.ts'
import { signingRoutes } from './features/signing/routes.ts'
import { userDataRoutes } from './features/user-data/routes.ts'
import { verifyRoutes } from './features/verify/routes.ts'
import { viewRoutes } from './features/views/routes.ts'
import { webhookRoutes } from './features/webhooks/routes.ts'
import { answering } from './http/answers/answering.ts'
import { allowAnyOriginWithoutCookies, allowElements, allowTrustedOrigins } from './http/answers/cors.ts'
import { refuseMissing } from './http/answers/refuse.ts'
import { serveDocumentation } from './http/documentation/documentation.ts'
import { mount } from './http/mount.ts'
import { loadPages, type Pages } from './http/pages/page-files.ts'
import { type FindMissingPage, servePages } from './http/pages/pages.ts'
import type { ApiOf } from './http/route.ts'
import { serveMcp } from './mcp.ts'
import type { Platform } from './platform/platform.ts'

/** Every declared route. Adding a feature is adding a line here. */
export const routes = [
  ...healthRoutes,
  ...identityRoutes,
  ...securityRoutes,
  ...sessionRoutes,
  ...accessRoutes,
  ...providerRoutes,
  ...feedbackRoutes,
  ...notificationRoutes,
  ...liveRoutes,
  ...grantRoutes,
  ...openidRoutes,
  ...revocationRoutes,
  ...applicationRoutes,
  ...productScopeRoutes,
  ...viewRoutes,
  ...personalTokenRoutes,
  ...signingRoutes,
  ...signedTokenRoutes,
  ...settingsRoutes,
  ...mailRoutes,
  ...creditRoutes,
  ...betaCodeRoutes,
  ...userDataRoutes,
  ...shardRoutes,
  ...auditRoutes,
  ...eventRoutes,
  ...webhookRoutes,
  ...verifyRoutes,
  ...mcpRoutes,
  ...figureRoutes,
  ...overviewRoutes,
] as const

/** Path to input and output. Pages and clients import nothing else. */
export type App = ApiOf<typeof routes>

/** Where the build puts the pages. */
export const pagesFolder = fileURLToPath(new URL('../dist/web', import.meta.url))

export function createApp(platform: Platform, pages: Pages = loadPages(pagesFolder)): Hono {
  const app = new Hono()
  const { config } = platform
  const answer = answering(platform, async (exchange) => (await findMissingPage(exchange)) ?? refuseMissing())
  const readReturnOrigins = async () => (await currentSettings(platform)).brand.return_origins
  allowTrustedOrigins(app, config)
  allowElements(app, config, readReturnOrigins)
  allowAnyOriginWithoutCookies(app, config)
  app.all('/api/auth/sign-in/email-otp/*', answer('other', refuseOtpSignIn))
  serveDocumentation(app, routes, answer, config, () => currentName(platform))
  serveMcp(app, routes, platform, answer)
  const findMissingPage: FindMissingPage = servePages(app, answer, config, pages, () => pageFacts(platform), {
    '/oauth/authorize': (exchange) => authorizeQuietly(platform, exchange, findCaller),
    '/oauth/end-session': (exchange) => endSessionQuietly(platform, exchange),
  })
  mount(app, routes, platform, answer, findCaller, findMissingPage, readReturnOrigins)
  return app
}
