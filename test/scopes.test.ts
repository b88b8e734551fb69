import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { routes } from '../src/app.ts'
import type { Route } from '../src/http/route.ts'
import { isAdministratorScope, isScope, SCOPES } from '../src/rules/scopes.ts'

const declared: readonly Route[] = routes

/** Open to everybody, or to a person's own session: everything else needs a scope. */
const WITHOUT_SCOPE = /^\/(api\/(auth|oauth)\/|\.well-known\/|healthz$|readyz$|metrics$)/
const NAMED_WITHOUT_SCOPE: ReadonlySet<string> = new Set([
  '/api/health',
  '/api/live',
  '/api/client_config',
  '/api/brand/logo',
  '/api/list_grants',
  '/api/revoke_grant',
  '/api/list_personal_tokens',
  '/api/list_product_scopes',
  '/api/create_personal_token',
  '/api/revoke_personal_token',
  '/api/verify',
])

describe('protected routes', () => {
  it('register exactly one scope of the vocabulary each', () => {
    for (const route of declared) {
      if (route.access !== 'protected') continue
      assert.ok(isScope(route.scope), `${route.path} has the scope ${route.scope}`)
    }
  })

  it('are all those under /api that are not named as open', () => {
    for (const { path, access } of declared) {
      if (access === 'protected') continue
      assert.ok(WITHOUT_SCOPE.test(path) || NAMED_WITHOUT_SCOPE.has(path), `${path} has no scope`)
    }
  })

  it('for the administrator have an administrator’s scope, and no others have', () => {
    for (const route of declared) {
      if (route.access !== 'protected') continue
      assert.equal(isAdministratorScope(route.scope), route.path.startsWith('/api/admin/'), route.path)
    }
  })

  it('are declared once per path and method', () => {
    const names = declared.map(({ method, path }) => `${method} ${path}`)
    assert.equal(new Set(names).size, names.length)
  })
})

describe('the vocabulary', () => {
  it('has the form area:subject:read or :write', () => {
    for (const scope of Object.keys(SCOPES)) assert.match(scope, /^[a-z]+:[a-z]+:(read|write)$/)
  })
})
