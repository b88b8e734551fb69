import { applicationRoutes } from './features/access/applications/routes.ts'
import { approvalRoutes } from './features/access/approvals/routes.ts'
import { grantRules } from './features/access/approvals/rules.ts'
import { clientLogoRoutes } from './features/access/client-logos/routes.ts'
import { endingRoutes } from './features/access/ending/routes.ts'
import { grantCallRoutes } from './features/access/grant-calls/routes.ts'
import { authorizeQuietly } from './features/access/grants/requests/authorize.ts'
import { grantRoutes } from './features/access/grants/routes.ts'
import { mcpRoutes } from './features/access/mcp/routes.ts'
import { endSessionQuietly } from './features/access/openid/end-session.ts'
import { openidRoutes } from './features/access/openid/routes.ts'
import { personalTokenRoutes } from './features/access/personal-tokens/routes.ts'
import { productScopeRoutes } from './features/access/product-scopes/routes.ts'
import { noteRefusal } from './features/access/refusals/refusals.ts'
import { signedTokenRoutes } from './features/access/signed-tokens/routes.ts'
import { verifyRoutes } from './features/access/verify/routes.ts'
import { liveRoutes } from './features/delivery/live/routes.ts'
import { mailRoutes } from './features/delivery/mail/routes.ts'
import { revocationRoutes } from './features/delivery/revocations/routes.ts'
import { webhookRoutes } from './features/delivery/webhooks/routes.ts'
import { auditRoutes } from './features/ground/audit/routes.ts'
import { eventRoutes } from './features/ground/events/routes.ts'
import { healthRoutes } from './features/ground/health/routes.ts'
import { countCall } from './features/ground/limits/calls.ts'
import { pictureOrigins } from './features/ground/provider-presets/presets.ts'
import { currentName } from './features/ground/settings/brand/current-name.ts'
import { notePage } from './features/ground/settings/brand/product-pages.ts'
import { settingsOf } from './features/ground/settings/current-settings.ts'
import { settingsRoutes } from './features/ground/settings/routes.ts'
import { signingRoutes } from './features/ground/signing/routes.ts'
import { betaCodeRoutes } from './features/operations/beta-codes/routes.ts'
import { creditRoutes } from './features/operations/credits/routes.ts'
import { figureRoutes } from './features/operations/daily-figures/routes.ts'
import { feedbackRoutes } from './features/operations/feedback/routes.ts'
import { notificationRoutes } from './features/operations/notifications/routes.ts'
import { overviewRoutes } from './features/operations/overview/routes.ts'
import { viewRoutes } from './features/operations/views/routes.ts'
import { pageFacts } from './features/people/account/client-config.ts'
import { refuseOtpSignIn } from './features/people/account/email-rules.ts'
import { providerRoutes } from './features/people/account/providers/routes.ts'
import { accountRoutes } from './features/people/account/routes.ts'
import { findByAccessToken, findCaller } from './features/people/callers/find-caller.ts'
import { secondFactorRoutes } from './features/people/second-factor/routes.ts'
import { sessionRoutes } from './features/people/sessions/routes.ts'
import { userDataRoutes } from './features/people/user-data/routes.ts'
import { shardRoutes } from './features/tenancy/shards/routes.ts'
import { answering } from './http/answers/answering.ts'
import { crossOrigin } from './http/answers/cors.ts'
import { refuseMissing } from './http/answers/refuse.ts'
import { serveDocumentation } from './http/documentation/documentation.ts'
import type { Exchange } from './http/exchange.ts'
import { mount } from './http/mount.ts'
import { loadPages, type Pages } from './http/pages/page-files.ts'
import { type FindMissingPage, servePages } from './http/pages/pages.ts'
import { type ApiOf, isGuarded, type Route } from './http/route.ts'
import { Router } from './http/router.ts'
import { serveMcp } from './mcp.ts'
import type { Platform } from './platform/platform.ts'

/** Adding a feature is adding a line here. */
const plainRoutes = [
  ...healthRoutes,
  ...accountRoutes,
  ...secondFactorRoutes,
  ...sessionRoutes,
  ...endingRoutes,
  ...providerRoutes,
  ...feedbackRoutes,
  ...notificationRoutes,
  ...liveRoutes,
  ...grantRoutes(findByAccessToken),
  ...grantCallRoutes,
  ...clientLogoRoutes,
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

const callable: readonly Route[] = plainRoutes

/** Every declared route. What a user approves is carried out by one of the others. */
export const routes = [
  ...plainRoutes,
  ...approvalRoutes((method, path) =>
    callable.filter(isGuarded).find((route) => route.method === method && route.path === path),
  ),
] as const

/** Path to input and output. Pages and clients import nothing else. */
export type App = ApiOf<typeof routes>

/** The folder the pages are built into. */
export const pagesFolder = new URL('../dist/web', import.meta.url)

export function createApp(platform: Platform, pages: Pages = loadPages(pagesFolder)): Router {
  const router = new Router()
  const { config } = platform
  const readReturnOrigins = async (exchange: Exchange) =>
    (await settingsOf({ platform, exchange })).brand.return_origins
  const answer = answering(
    platform,
    async (exchange) => (await findMissingPage(exchange)) ?? refuseMissing(),
    crossOrigin(config, readReturnOrigins),
    (exchange, refused) => noteRefusal(platform, exchange, refused),
  )
  router.on('ALL', '/api/auth/sign-in/email-otp/*', answer('other', refuseOtpSignIn))
  serveDocumentation(router, routes, answer, config, () => currentName(platform))
  serveMcp(router, routes, platform, answer)
  const findMissingPage: FindMissingPage = servePages(
    router,
    answer,
    config,
    pages,
    () => pageFacts(platform),
    pictureOrigins(config),
    {
      '/oauth/authorize': (exchange) => authorizeQuietly(platform, exchange, findCaller),
      '/oauth/end-session': (exchange) => endSessionQuietly(platform, exchange),
    },
    (origin) => notePage(platform, origin),
  )
  mount(router, routes, platform, answer, { findCaller, countCall, ...grantRules }, findMissingPage, readReturnOrigins)
  return router
}
