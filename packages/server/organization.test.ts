import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { encoded, opaque } from '../../test/service/verifier/fake-gatehouse.ts'
import { ANN, bearer, beat, heard, it } from '../../test/service/verifier/fake-product.ts'

const ACME = { id: 'acme-id', slug: 'acme', roles: ['member', 'editor'], permissions: ['ac:read', 'project:create'] }
const CLAIMS = {
  org_id: ACME.id,
  org_slug: ACME.slug,
  org_roles: ACME.roles,
  org_permissions: ACME.permissions,
}
const HEADERS = {
  'x-org-id': ACME.id,
  'x-org-slug': ACME.slug,
  'x-org-roles': ACME.roles.join(' '),
  'x-org-permissions': ACME.permissions.join(' '),
}

describe('the organisation of a caller', () => {
  it('is the one of a signed token, or the one that Gatehouse answers with', async ({ gatehouse, asking }) => {
    gatehouse.sessions.set(opaque('ann'), 'session-one')
    const without = [await asking.verify(bearer(gatehouse.token())), await asking.verify(ANN)]
    gatehouse.headers = HEADERS
    const within = [await asking.verify(bearer(gatehouse.token(CLAIMS))), await asking.verify(ANN)]

    assert.deepEqual(
      without.map((caller) => [caller?.userId, caller?.organization]),
      [
        ['ann', undefined],
        ['ann', undefined],
      ],
    )
    assert.deepEqual(
      within.map((caller) => caller?.organization),
      [ACME, ACME],
    )
  })

  it('is refused as a whole where a token says it in another way', async ({ gatehouse, asking }) => {
    for (const wrong of [
      { ...CLAIMS, org_id: 1 },
      { ...CLAIMS, org_slug: undefined },
      { ...CLAIMS, org_roles: 'member' },
      { ...CLAIMS, org_permissions: [1] },
    ]) {
      const checked = await asking.check(bearer(gatehouse.token(wrong)))
      assert.equal(checked.ok ? 'passed' : checked.code, 'UNAUTHORIZED', encoded(wrong))
    }
  })

  it('must be active and allow what is needed', async ({ gatehouse, asking }) => {
    const token = bearer(gatehouse.token(CLAIMS))
    const scoped = bearer(gatehouse.token({ ...CLAIMS, kind: 'grant', scope: 'product:shop:read' }))
    const codeOf = async (request: typeof token, needed: Parameters<typeof asking.check>[1]) => {
      const checked = await asking.check(request, needed)
      return checked.ok ? 'passed' : checked.code
    }
    const permission = 'project:create'

    assert.deepEqual(
      await Promise.all([
        codeOf(token, { permission }),
        codeOf(token, { permission: ['ac:read', permission], organization: ACME.slug }),
        codeOf(token, { permission, organization: ACME.id }),
        codeOf(scoped, { permission, scope: 'product:shop:read' }),
      ]),
      ['passed', 'passed', 'passed', 'passed'],
    )
    assert.deepEqual(
      await Promise.all([
        codeOf(token, { permission: 'project:delete' }),
        codeOf(token, { permission: [permission, 'project:delete'] }),
        codeOf(token, { permission, organization: 'another' }),
        codeOf(bearer(gatehouse.token()), { permission }),
        codeOf(bearer(gatehouse.token()), { organization: ACME.id }),
      ]),
      Array(5).fill('INSUFFICIENT_PERMISSION'),
    )
    assert.deepEqual(
      await Promise.all([codeOf(scoped, { permission }), codeOf(scoped, { permission, scope: 'product:shop:write' })]),
      ['SESSION_REQUIRED', 'INSUFFICIENT_SCOPE'],
    )
  })

  it('is asked about again once it has changed, for its members alone', async ({ gatehouse, following }) => {
    gatehouse.clock.advance(120_000)
    await beat(gatehouse)
    gatehouse.sessions.set(opaque('ann'), 'session-one')
    gatehouse.sessions.set(opaque('ben'), 'session-two')
    const signed = bearer(gatehouse.token(CLAIMS))
    const elsewhere = bearer(opaque('ben'))
    await following.verify(elsewhere)
    gatehouse.headers = HEADERS
    const before = [await following.verify(ANN), await following.verify(signed)]
    const asks = gatehouse.asks

    gatehouse.headers = { ...HEADERS, 'x-org-permissions': 'ac:read' }
    gatehouse.revoke('organization', ACME.id)
    await heard(gatehouse)
    const after = await following.verify(ANN)
    await following.verify(signed)
    await following.verify(elsewhere)

    assert.deepEqual(
      before.map((caller) => caller?.organization?.permissions.length),
      [2, 2],
    )
    assert.deepEqual(after?.organization?.permissions, ['ac:read'])
    assert.equal(gatehouse.asks - asks, 2)
  })
})
