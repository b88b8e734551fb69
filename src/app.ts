import { askingClientOf } from './features/access/applications/asking-client.ts'
import { applicationLook } from './features/access/applications/brand.ts'
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
import { hookRoutes } from './features/ground/hooks/routes.ts'
import { countCall } from './features/ground/limits/calls.ts'
import { pictureOrigins } from './features/ground/provider-presets/presets.ts'
import { currentLook } from './features/ground/settings/brand/current-name.ts'
import { notePage } from './features/ground/settings/brand/product-pages.ts'
import { settingsOf } from './features/ground/settings/current-settings.ts'
import { settingsRoutes } from './features/ground/settings/routes.ts'
import { signingRoutes } from './features/ground/signing/routes.ts'
import { betaCodeRoutes } from './features/operations/beta-codes/routes.ts'
import { creditRoutes } from './features/operations/credits/routes.ts'
import { figureRoutes } from './features/operations/daily-figures/routes.ts'
import { feedbackRoutes } from './features/operations/feedback/routes.ts'
import { findingRoutes } from './features/operations/finding/routes.ts'
import { namesOfSubjects } from './features/operations/finding/subject-names.ts'
import { notificationRoutes } from './features/operations/notifications/routes.ts'
import { overviewRoutes } from './features/operations/overview/routes.ts'
import { replyRoutes } from './features/operations/replies/routes.ts'
import { viewRoutes } from './features/operations/views/routes.ts'
import { pageFacts } from './features/people/account/client-config.ts'
import { refuseOtpSignIn } from './features/people/account/email-rules.ts'
import { providerRoutes } from './features/people/account/providers/routes.ts'
import { accountRoutes } from './features/people/account/routes.ts'
import { findByAccessToken, findByActing, findCaller, findCallerById } from './features/people/callers/find-caller.ts'
import { noteChange } from './features/people/impersonations/listing.ts'
import { impersonationRoutes } from './features/people/impersonations/routes.ts'
import { organizationDataRoutes } from './features/people/organizations/data-routes.ts'
import { organizationsRoutes } from './features/people/organizations/routes.ts'
import { productDataRoutes } from './features/people/product-data/routes.ts'
import { secondFactorRoutes } from './features/people/second-factor/routes.ts'
import { sessionRoutes } from './features/people/sessions/routes.ts'
import { staffRoutes } from './features/people/staff/routes.ts'
import { userDataRoutes } from './features/people/user-data/routes.ts'
import { shardRoutes } from './features/tenancy/shards/routes.ts'
import { answering } from './http/answers/answering.ts'
import { crossOrigin } from './http/answers/cors.ts'
import { refuseMissing } from './http/answers/refuse.ts'
import { serveDocumentation } from './http/documentation/documentation.ts'
import { lastLook } from './http/documentation/look.ts'
import { serveDocuments } from './http/documents/documents.ts'
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
  ...staffRoutes,
  ...organizationsRoutes,
  ...organizationDataRoutes,
  ...impersonationRoutes,
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
  ...replyRoutes,
  ...personalTokenRoutes,
  ...signingRoutes,
  ...signedTokenRoutes,
  ...settingsRoutes,
  ...hookRoutes,
  ...mailRoutes,
  ...creditRoutes,
  ...betaCodeRoutes,
  ...userDataRoutes,
  ...productDataRoutes,
  ...shardRoutes,
  ...auditRoutes(namesOfSubjects),
  ...eventRoutes,
  ...webhookRoutes,
  ...verifyRoutes,
  ...mcpRoutes,
  ...figureRoutes,
  ...overviewRoutes,
  ...findingRoutes,
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

const documentsFile = new URL('../dist/documents.json', import.meta.url)

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
  const readLook = lastLook(() => currentLook(platform), new URL(config.baseUrl).host)
  serveDocumentation(router, routes, answer, config, readLook)
  if (config.docs === 'on') serveDocuments(router, answer, config, readLook, documentsFile)
  serveMcp(router, routes, platform, answer)
  const findMissingPage: FindMissingPage = servePages(
    router,
    answer,
    config,
    pages,
    async (exchange) => {
      const look = await applicationLook(platform, await settingsOf({ platform, exchange }), askingClientOf(exchange))
      return pageFacts(platform, look)
    },
    pictureOrigins(config),
    {
      '/oauth/authorize': (exchange) => authorizeQuietly(platform, exchange, findCaller, findCallerById),
      '/oauth/end-session': (exchange) => endSessionQuietly(platform, exchange),
    },
    (origin) => notePage(platform, origin),
  )
  mount(
    router,
    routes,
    platform,
    answer,
    { findCaller, findByActing, countCall, noteChange, ...grantRules },
    findMissingPage,
    readReturnOrigins,
  )
  return router
}
