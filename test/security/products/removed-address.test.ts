import assert from 'node:assert/strict'
import { describe, it, type TestContext } from '../../running/node-test.ts'
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

  for (const approve of [true, false])
    it(`checklist 88: at the moment of the click is sent ${approve ? 'no code' : 'no refusal'}`, async (t) => {
      await using w = await world()
      const { request_id } = await w.begin()
      w.updateBeforeNextWrite(t, { redirect_uris: [OTHER] })

      const refused = await w.ann.post('/api/oauth/decide_authorization', { request_id, approve })
      await w.registerAddress(CALLBACK)
      const decided = await w.ann.post('/api/oauth/decide_authorization', { request_id, approve })

      assert.deepEqual([refused.status, refused.body.code, decided.status], [404, 'NOT_FOUND', 200])
    })

  it('is sent no code when consent is skipped; the user is asked', async (t) => {
    await using w = await world()
    await w.ann.post('/api/oauth/decide_authorization', { ...(await w.begin()), approve: true })
    w.updateBeforeNextWrite(t, { redirect_uris: [OTHER] })

    const begun = await w.begin()

    assert.deepEqual([typeof begun.request_id, begun.redirect_to], ['string', undefined])
  })

  it('does not help an application that loses the right to skip consent at that moment', async (t) => {
    await using w = await world()
    await w.update({ skip_consent: true })
    w.updateBeforeNextWrite(t, { skip_consent: false })

    const begun = await w.begin()

    assert.deepEqual([typeof begun.request_id, begun.redirect_to], ['string', undefined])
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
  const update = (fields: object) =>
    administrator.post('/api/admin/update_application', { id: shop.id, ...fields })
  const registerAddress = (address: string) => update({ redirect_uris: [address] })
  /** What the next batch rests on has been read by then. */
  const updateBeforeNextWrite = ({ mock }: TestContext, fields: object) => {
    const { meta } = service.platform
    const batch = meta.batch.bind(meta)
    const afterRemoval: typeof batch = async (statements) => {
      await update(fields)
      return batch(statements)
    }
    mock.method(meta, 'batch', afterRemoval, { times: 1 })
  }
  const close = () => service[Symbol.asyncDispose]()
  return { service, ann, begin, registerAddress, update, updateBeforeNextWrite, [Symbol.asyncDispose]: close }
}
