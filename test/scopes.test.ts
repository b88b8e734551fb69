import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { routes } from '../src/app.ts'
import type { Route } from '../src/http/route.ts'
import { isAdministratorScope, isScope, routesOf, SCOPES } from '../src/rules/scopes.ts'

const declared: readonly Route[] = routes

/** Open to everybody, or to a person's own session: everything else needs a scope. */
const WITHOUT_SCOPE = /^\/(api\/(auth|oauth)\/|\.well-known\/|register$|healthz$|readyz$|metrics$)/
const NAMED_WITHOUT_SCOPE: ReadonlySet<string> = new Set([
  '/api/health',
  '/api/unsubscribe',
  '/api/client_config',
  '/api/brand/application',
  '/api/brand/application_favicon',
  '/api/brand/application_logo',
  '/api/brand/application_logo_dark',
  '/api/brand/application_style',
  '/api/brand/favicon',
  '/api/brand/logo',
  '/api/brand/logo_dark',
  '/api/brand/style',
  '/api/list_grants',
  '/api/revoke_grant',
  '/api/update_grant',
  '/api/list_approvals',
  '/api/decide_approval',
  '/api/get_approval',
  '/api/list_grant_acts',
  '/api/list_personal_tokens',
  '/api/list_product_scopes',
  '/api/create_personal_token',
  '/api/revoke_personal_token',
  '/api/verify',
])

/** Views are for the readers of their list, so each view has its list’s scope. */
const OF_LISTS: readonly string[] = ['/api/admin/list_views', '/api/admin/save_view', '/api/admin/delete_view']

describe('protected routes', () => {
  it('register exactly one scope of the vocabulary each', () => {
    for (const route of declared) {
      if (route.access !== 'protected') continue
      assert.ok(isScope(route.scope), `${route.path} has the scope ${route.scope}`)
    }
  })

  it('are all those under /api that are not named as open, or for the administrator’s own session', () => {
    for (const route of declared) {
      const { path, access } = route
      if (access === 'protected' || (access === 'session' && route.role)) continue
      assert.ok(
        WITHOUT_SCOPE.test(path) || NAMED_WITHOUT_SCOPE.has(path) || OF_LISTS.includes(path),
        `${path} has no scope`,
      )
    }
  })

  it('for the administrator have an administrator’s scope or session, and no others have', () => {
    for (const route of declared) {
      const isAdministrators =
        (route.access === 'protected' && isAdministratorScope(route.scope)) ||
        (route.access === 'session' && route.role === 'administrator') ||
        OF_LISTS.includes(route.path)
      assert.equal(isAdministrators, /^\/api\/(admin\/|auth\/admin\/impersonate-user$)/.test(route.path), route.path)
    }
  })

  it('are declared once per path and method', () => {
    const names = declared.map(({ method, path }) => `${method} ${path}`)
    assert.equal(new Set(names).size, names.length)
  })
})

/** A public route that tells a grant more if it has this scope. */
const PUBLIC_WITH_SCOPE = { '/api/auth/get-session': 'account:profile:read' } as const

describe('108. the words of a scope', () => {
  it.for(Object.keys(SCOPES).filter(isScope))('%s name each route that it opens to programs', (scope) => {
    const opened = declared
      .filter((route) => route.access === 'protected' && route.scope === scope && route.grants !== 'refused')
      .map(({ path }) => path)
    const told = Object.entries(PUBLIC_WITH_SCOPE).flatMap(([path, its]) => (its === scope ? [path] : []))

    assert.deepEqual(routesOf(scope).toSorted(), [...opened, ...told].toSorted())
  })
})

describe('the vocabulary', () => {
  it('has the form area:subject:read or :write', () => {
    for (const scope of Object.keys(SCOPES)) assert.match(scope, /^[a-z]+:[a-z]+:(read|write)$/)
  })
})
