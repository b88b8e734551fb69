import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CALLBACK, queryFor, register } from '../../service/applications.ts'
import { newVerifier } from '../../service/grants.ts'
import { people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

const OTHER = 'https://shop.example/other'

describe('a redirect address that is removed while the user decides', () => {
  for (const approve of [true, false])
    it(`is sent ${approve ? 'no code' : 'no refusal'}, until it is registered again`, async () => {
      await using w = await world()
      const { request_id } = await w.begin()
      const decide = () => w.ann.post('/api/oauth/decide_authorization', { request_id, approve })

      await w.registerAddress(OTHER)
      const shown = await w.ann.post('/api/oauth/get_authorization', { request_id })
      const refused = await decide()
      await w.registerAddress(CALLBACK)
      const decided = await decide()

      assert.deepEqual([shown.status, refused.status, refused.body.code], [404, 404, 'NOT_FOUND'])
      assert.equal(refused.body.redirect_to, undefined)
      const redirect = new URL(decided.body.redirect_to)
      assert.equal(redirect.origin + redirect.pathname, CALLBACK)
      assert.equal(redirect.searchParams.has('code'), approve)
    })

  it('leaves no consent behind', async () => {
    await using w = await world()
    const { request_id } = await w.begin()

    await w.registerAddress(OTHER)
    await w.ann.post('/api/oauth/decide_authorization', { request_id, approve: true })

    const consents = await w.service.platform.meta.primary.selectFrom('consent').selectAll().execute()
    assert.deepEqual(consents, [])
  })
})

async function world() {
  const service = await startService()
  const { administrator, ann } = await people(service)
  const shop = await register(administrator)
  const begin = async () =>
    (await ann.post('/api/oauth/begin_authorization', queryFor(shop, newVerifier()))).body
  const registerAddress = (address: string) =>
    administrator.post('/api/admin/update_application', { id: shop.id, redirect_uris: [address] })
  const close = () => service[Symbol.asyncDispose]()
  return { service, ann, begin, registerAddress, [Symbol.asyncDispose]: close }
}
