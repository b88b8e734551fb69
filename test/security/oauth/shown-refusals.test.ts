import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { queryFor } from '../../service/applications.ts'
import { newVerifier } from '../../service/grants.ts'
import { stranger } from '../../service/people.ts'
import { it } from '../../service/shop.ts'

const FROM_A_BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

const UNREADABLE: Readonly<Record<string, readonly [Readonly<Record<string, string>>, string]>> = {
  JSON: [{ 'content-type': 'application/json' }, '{"client_id":"a"}'],
  'plain text': [{ 'content-type': 'text/plain' }, 'client_id=a'],
  parts: [{ 'content-type': 'multipart/form-data; boundary=x' }, '--x--'],
  'a name twice': [FORM, 'state=a&state=b'],
  'too much': [FORM, `state=${'a'.repeat(200_000)}`],
}

describe('a browser that is sent with a request that cannot be read', () => {
  it.override('registration', { skip_consent: true })

  for (const path of ['/oauth/authorize', '/oauth/end-session'])
    it(`is led to the page of ${path}, with nothing of the request; a program gets the refusal`, async ({
      service,
    }) => {
      const browser = stranger(service)

      for (const [what, [headers, body]] of Object.entries(UNREADABLE)) {
        const ofBrowser = { method: 'POST', headers: { ...headers, ...FROM_A_BROWSER }, body }
        const shown = await browser.send(path, ofBrowser)
        const refused = await browser.send(path, { method: 'POST', headers, body })

        assert.deepEqual([shown.status, shown.headers.get('location')], [302, `${path}?client_id=`], what)
        assert.ok([400, 413].includes(refused.status), `${what}: ${refused.status}`)
      }
    })

  it('is led to the page if the address names two applications or two addresses', async ({ ann, shop }) => {
    const query = new URLSearchParams(queryFor(shop, newVerifier()))

    for (const twice of ['client_id=evil', 'redirect_uri=https://evil.example/']) {
      const path = `/oauth/authorize?${query}&${twice}`
      const shown = await ann.get(path, FROM_A_BROWSER)
      const refused = await ann.get(path)

      assert.deepEqual([shown.status, shown.headers.get('location')], [302, '/oauth/authorize?client_id='])
      assert.equal(refused.status, 400)
    }
  })

  it('gets the page itself if the user has begun too many', async ({ ann, shop }) => {
    const address = `/oauth/authorize?${new URLSearchParams(queryFor(shop, newVerifier()))}`

    const begun = await Promise.all(Array.from({ length: 121 }, () => ann.get(address)))
    const refused = begun.filter(({ status }) => status === 429)
    const shown = await ann.get(address, FROM_A_BROWSER)

    assert.equal(refused.length, 1)
    assert.deepEqual([shown.status, shown.headers.get('location')], [200, null])
    assert.match(shown.headers.get('content-type') ?? '', /^text\/html/)
  })
})
