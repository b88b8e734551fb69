import { Hono } from 'hono'
import { secureHeaders } from 'hono/secure-headers'
import { healthRoutes } from './features/health/routes.ts'
import { identityRoutes } from './features/identity/routes.ts'
import { findCaller } from './features/sessions/caller.ts'
import { answerErrors } from './http/answer-errors.ts'
import { bookmark } from './http/bookmark.ts'
import { identify } from './http/identify.ts'
import { mount } from './http/mount.ts'
import { observe } from './http/observe.ts'
import { ownOrigin } from './http/origin.ts'
import { Refusal } from './http/refusal.ts'
import type { ApiOf } from './http/route.ts'
import type { Platform } from './platform/platform.ts'

/** Every declared route. Adding a feature is adding a line here. */
export const routes = [...healthRoutes, ...identityRoutes] as const

/** Path to input and output; all that pages and clients may import. */
export type App = ApiOf<typeof routes>

export function createApp(platform: Platform): Hono {
  const app = new Hono()
  app.onError(answerErrors(platform))
  app.use(identify(platform.config))
  app.use(observe(platform))
  app.use('/api/*', secureHeaders({ strictTransportSecurity: !platform.config.isLocal }))
  app.use('/api/*', bookmark({ secureCookie: !platform.config.isLocal }))
  app.use('/api/*', ownOrigin(platform.config))
  mount(app, routes, platform, findCaller)
  app.all('/api/*', () => {
    throw new Refusal('NOT_FOUND', 'There is nothing at this address.')
  })
  return app
}
