import assert from 'node:assert/strict'
import { describe } from 'vitest'
import type { ProtectedRoute } from '../../src/http/route.ts'
import { isAdministratorScope, SCOPES } from '../../src/rules/scopes.ts'
import { assertRefused } from '../service/answers.ts'
import { grantFor } from '../service/grants.ts'
import { it } from '../service/it.ts'
import { stranger } from '../service/people.ts'
import { declared, everyOf, saidByEach } from './support/every-route.ts'

/** An empty body is sent: each refusal comes before the body is looked at. */
const protectedRoutes = declared.filter((route): route is ProtectedRoute => route.access === 'protected')
const forAdministrator = declared.filter((route) =>
  route.access === 'protected' ? isAdministratorScope(route.scope) : route.access === 'session' && route.role,
)
const allScopes = Object.keys(SCOPES)

describe('each protected route', () => {
  it('without a session is 401 UNAUTHORIZED', async ({ service }) => {
    assert.deepEqual(await saidByEach(stranger(service), protectedRoutes), everyOf(protectedRoutes, '401 UNAUTHORIZED'))
  })

  it('refuses the token of a grant that has every scope but its own', async ({ service, administrator }) => {
    for (const scope of new Set(protectedRoutes.map((route) => route.scope))) {
      const client = await grantFor(administrator, ...allScopes.filter((other) => other !== scope))
      const authorization = `Bearer ${client.tokens.access_token}`
      const asked = protectedRoutes.filter((route) => route.scope === scope)

      const answers = await saidByEach(stranger(service), asked, { authorization })

      assert.deepEqual(answers, everyOf(asked, '403 INSUFFICIENT_SCOPE'))
    }
  })

  it('with the gate on is 403 BETA_CODE_REQUIRED, but for binding a code and for what says so live', async ({
    administrator,
    ann,
  }) => {
    await administrator.saveSettings('authentication', { beta_gate_enabled: true })
    const gated = protectedRoutes.filter((route) => route.gate !== 'open')

    assert.deepEqual(await saidByEach(ann, gated), everyOf(gated, '403 BETA_CODE_REQUIRED'))
    assert.deepEqual(
      protectedRoutes.filter((route) => route.gate === 'open').map(({ path }) => path),
      ['/api/live', '/api/bind_beta_code'],
    )
  })

  it('for the administrator is 403 FORBIDDEN to everybody else', async ({ ann }) => {
    assert.deepEqual(await saidByEach(ann, forAdministrator), everyOf(forAdministrator, '403 FORBIDDEN'))
  })
})

describe('security checklist 62', () => {
  it("62: a non-administrator's grant with administrator scopes is 403", async ({ service, ann }) => {
    const client = await grantFor(ann, 'account:profile:read')
    // Consent refuses these scopes to Ann, so they are written where the token has them.
    await service.platform.meta
      .updateTable('access_token')
      .set({ scopes: allScopes.join(' ') })
      .execute()

    const answers = await saidByEach(stranger(service), forAdministrator, {
      authorization: `Bearer ${client.tokens.access_token}`,
    })

    assert.deepEqual(answers, everyOf(forAdministrator, '403 FORBIDDEN'))
  })

  it("62: a demoted administrator's live session and token are 403", async ({ service, administrator }) => {
    const client = await grantFor(administrator, 'config:ai:read')
    const before = await client.post('/api/admin/get_ai_config')

    await service.platform.meta.updateTable('user').set({ role: 'user' }).where('id', '=', administrator.id).execute()

    const withToken = await client.post('/api/admin/get_ai_config')
    const withSession = await administrator.post('/api/admin/get_ai_config', {})
    assert.equal(before.status, 200)
    assertRefused(withToken, 'FORBIDDEN')
    assertRefused(withSession, 'FORBIDDEN')
  })

  it('62: a grant with exactly its scope serves the administrator, no more', async ({ administrator }) => {
    const client = await grantFor(administrator, 'config:ai:read')

    const read = await client.post('/api/admin/get_ai_config', {})
    const write = await client.post('/api/admin/update_ai_config', { expected_version: 1 })

    assert.equal(read.status, 200)
    assertRefused(write, 'INSUFFICIENT_SCOPE')
  })
})
