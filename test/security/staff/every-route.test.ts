import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { isProtected } from '../../../src/http/route.ts'
import { STAFF_SCOPES } from '../../../src/rules/staff.ts'
import { bearer } from '../../service/applications.ts'
import { grantFor } from '../../service/grants.ts'
import { it } from '../../service/it.ts'
import { stranger } from '../../service/people.ts'
import { onStaff } from '../../service/staff.ts'
import { declared, everyOf, saidByEach } from '../support/every-route.ts'

/** An empty body is sent. The right scope leads to the same answer as the administrator's: most often, a missing field. */
const routesOf = (scope: string) => declared.filter(isProtected).filter((route) => route.scope === scope)
const ofAdministration = STAFF_SCOPES.flatMap(routesOf)
const ofAdministrator = declared.filter((route) => route.access === 'session' && route.role === 'administrator')

describe('130. each route of administration', () => {
  it('has a scope that staff can hold, and each such scope has a route', () => {
    const strays = declared.filter(
      (route) =>
        route.path.startsWith('/api/admin/') && ![...ofAdministration, ...ofAdministrator].some((one) => one === route),
    )

    assert.deepEqual(
      strays.map(({ path }) => path),
      ['/api/admin/list_views', '/api/admin/save_view', '/api/admin/delete_view'],
    )
    assert.deepEqual(
      STAFF_SCOPES.filter((scope) => routesOf(scope).length === 0),
      [],
    )
  })

  it('answers staff with exactly its scope as it answers the administrator, and so does their token', async ({
    service,
    administrator,
    ann,
  }) => {
    for (const scope of STAFF_SCOPES) {
      await onStaff(service, administrator, ann, scope)
      const { tokens } = await grantFor(ann, scope)
      const ofOwner = await grantFor(administrator, scope)
      const asked = routesOf(scope)

      const byAdministrator = await saidByEach(administrator, asked)
      const byStaff = await saidByEach(ann, asked)
      const byOwnersTool = await saidByEach(stranger(service), asked, bearer(ofOwner.tokens.access_token))
      const byTool = await saidByEach(stranger(service), asked, bearer(tokens.access_token))

      assert.deepEqual(byStaff, byAdministrator, scope)
      assert.deepEqual(byTool, byOwnersTool, scope)
      for (const said of byStaff.values()) assert.doesNotMatch(said, /FORBIDDEN|UNAUTHORIZED/, scope)
    }
  })

  it('is 403 FORBIDDEN to staff with every scope but its own, also with a token from before', async ({
    service,
    administrator,
    ann,
  }) => {
    await onStaff(service, administrator, ann, ...STAFF_SCOPES)
    const { tokens } = await grantFor(ann, ...STAFF_SCOPES)
    for (const scope of STAFF_SCOPES) {
      await onStaff(service, administrator, ann, ...STAFF_SCOPES.filter((other) => other !== scope))
      const asked = routesOf(scope)
      const refused = everyOf(asked, '403 FORBIDDEN')

      assert.deepEqual(await saidByEach(ann, asked), refused)
      assert.deepEqual(await saidByEach(stranger(service), asked, bearer(tokens.access_token)), refused)
    }
  })

  it('is 403 FORBIDDEN to a former member and to a user, and 401 to nobody', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    await onStaff(service, administrator, ann, ...STAFF_SCOPES)
    const { tokens } = await grantFor(ann, ...STAFF_SCOPES)
    await onStaff(service, administrator, ann)
    const refused = everyOf(ofAdministration, '403 FORBIDDEN')

    assert.deepEqual(await saidByEach(ann, ofAdministration), refused)
    assert.deepEqual(await saidByEach(ben, ofAdministration), refused)
    assert.deepEqual(await saidByEach(stranger(service), ofAdministration, bearer(tokens.access_token)), refused)
    const unknown = await saidByEach(stranger(service), ofAdministration)
    assert.deepEqual(unknown, everyOf(ofAdministration, '401 UNAUTHORIZED'))
  })

  it("that is the administrator's alone is 403 FORBIDDEN to staff with every scope", async ({
    service,
    administrator,
    ann,
  }) => {
    await onStaff(service, administrator, ann, ...STAFF_SCOPES)

    assert.ok(ofAdministrator.length > 3)
    assert.deepEqual(await saidByEach(ann, ofAdministrator), everyOf(ofAdministrator, '403 FORBIDDEN'))
  })
})
