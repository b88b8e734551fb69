import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { basic, bearer, codeFor, tokensFor } from '../../service/applications.ts'
import { postForm } from '../../service/grants.ts'
import type { Person } from '../../service/people.ts'
import { introspect, itWith, redeemFor, refreshFor } from '../../service/shop.ts'

const SCOPES = ['openid', 'offline_access']
const ASKED = { scope: SCOPES.join(' ') }

const it = itWith({ scopes: SCOPES })

describe('a user who is suspended or deleted', () => {
  it('gets nothing for a code, a refresh token or an access token from before', async ({
    administrator,
    ann,
    ben,
    shop,
  }) => {
    const of = async (person: Person) => ({
      tokens: await tokensFor(person, shop, ASKED),
      pending: await codeFor(person, shop, ASKED),
    })
    const [suspended, deleted] = [await of(ann), await of(ben)]

    await administrator.post('/api/admin/suspend_user', { id: ann.id, reason: 'a test' })
    await administrator.post('/api/admin/delete_user', { id: ben.id })

    for (const { tokens, pending } of [suspended, deleted]) {
      const redeemed = await redeemFor(administrator, shop, pending)
      const renewed = await refreshFor(administrator, shop, tokens.refresh_token)
      const info = await administrator.get('/api/oauth/userinfo', bearer(tokens.access_token))
      const seen = await introspect(administrator, shop, tokens.access_token)
      assert.deepEqual(
        [redeemed.body.error, renewed.body.error, info.status, seen.body.active],
        ['invalid_grant', 'invalid_grant', 401, false],
      )
    }
  })
})

describe('a remembered consent', () => {
  it('outlives the tokens that the application itself revokes, as it does when its user signs out', async ({
    ann,
    shop,
  }) => {
    const revoke = (token: string) => postForm(ann, '/api/oauth/revoke', { token }, basic(shop))

    await revoke((await tokensFor(ann, shop, ASKED)).access_token)
    const afterFirst = await codeFor(ann, shop, ASKED)
    const { refresh_token } = await tokensFor(ann, shop, ASKED)
    await revoke(refresh_token)
    const afterSecond = await codeFor(ann, shop, ASKED)

    assert.deepEqual([afterFirst.wasAsked, afterSecond.wasAsked], [false, false])
    assert.equal((await refreshFor(ann, shop, refresh_token)).body.error, 'invalid_grant')
  })

  it.for(['user', 'administrator'])(
    'ends with a grant that the %s revokes',
    async (who, { administrator, ann, shop }) => {
      await tokensFor(ann, shop, ASKED)
      const [{ id }] = (await ann.post('/api/list_grants')).body.items

      if (who === 'user') await ann.post('/api/revoke_grant', { id })
      else await administrator.post('/api/admin/revoke_user_grant', { user_id: ann.id, id })

      assert.equal((await codeFor(ann, shop, ASKED)).wasAsked, true)
    },
  )
})
