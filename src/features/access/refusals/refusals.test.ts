import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused, eachOf } from '../../../../test/service/answers.ts'
import { CALLBACK, queryFor, type Registered, register, tokenRequest } from '../../../../test/service/applications.ts'
import { newVerifier, postForm } from '../../../../test/service/grants.ts'
import { it } from '../../../../test/service/it.ts'
import { from } from '../../../../test/service/new-browser.ts'
import { type Person, stranger } from '../../../../test/service/people.ts'

const PKCE_MISSING =
  "code_challenge is missing: switch on PKCE (S256) in the client, or switch off 'Require PKCE' for this application"

function authorize(person: Person, application: Registered, changes: Readonly<Record<string, string>>) {
  const query = new URLSearchParams(queryFor(application, newVerifier(), changes))
  return person.get(`/oauth/authorize?${query}`)
}

const withoutPkce = (person: Person, application: Registered) =>
  authorize(person, application, { code_challenge: '', code_challenge_method: '' })

const listOf = async (administrator: Person, { id }: Registered) =>
  (await administrator.post('/api/admin/list_application_refusals', { id })).body

describe('list_application_refusals', () => {
  it.override('options', { env: { TRUSTED_PROXIES: '127.0.0.0/8' } })

  it('lists what an application was refused, newest first, with the sentence that it got', async ({
    service,
    administrator,
    ann,
  }) => {
    const shop = await register(administrator)
    const other = await register(administrator)
    const moments: number[] = []
    const later = () => {
      service.clock.advance({ seconds: 1 })
      moments.unshift(service.clock.now())
    }

    later()
    const refused = await withoutPkce(ann, shop)
    later()
    await tokenRequest(ann, { ...shop, client_secret: 'ghc_wrong' }, { grant_type: 'authorization_code' })
    later()
    await tokenRequest(ann, shop, { grant_type: 'authorization_code', code: 'used', redirect_uri: CALLBACK })
    later()
    await authorize(ann, shop, { redirect_uri: `${CALLBACK}/` })
    later()
    await ann.get(
      `/oauth/end-session?${new URLSearchParams({ client_id: shop.id, post_logout_redirect_uri: CALLBACK })}`,
    )

    const said = new URL(refused.headers.get('location') ?? '').searchParams.get('error_description')
    assert.equal(said, PKCE_MISSING)
    const { items, total } = await listOf(administrator, shop)
    const [ip] = new Set(items.map((item: { readonly ip: string }) => item.ip))
    assert.deepEqual([typeof ip, total], ['string', 5])
    const expected = [
      ['/oauth/end-session', 'invalid_request', 'post_logout_redirect_uri is not registered for this application.'],
      ['/oauth/authorize', 'invalid_request', 'redirect_uri is not registered for this application.'],
      ['/api/oauth/token', 'invalid_request', 'code_verifier is missing.'],
      ['/api/oauth/token', 'invalid_client', 'The client secret is wrong.'],
      ['/oauth/authorize', 'invalid_request', PKCE_MISSING],
    ] as const
    assert.deepEqual(
      items,
      expected.map(([endpoint, error, error_description], i) => ({
        ...{ at: moments[i], error, error_description },
        ...{ endpoint, ip },
      })),
    )
    assert.deepEqual(await listOf(administrator, other), { items: [], total: 0 })
    const unknown = await administrator.post('/api/admin/list_application_refusals', { id: 'nobody' })
    assertRefused(unknown, 'NOT_FOUND')
  })

  it('covers the last day, and is deleted with the application', async ({ service, administrator, ann }) => {
    const { meta } = service.platform
    const rows = () => meta.selectFrom('application_refusal').select('id').execute()
    const shop = await register(administrator)
    await withoutPkce(ann, shop)
    const first = await listOf(administrator, shop)
    service.clock.advance({ days: 1 })
    const next = await listOf(administrator, shop)
    const before = (await rows()).length
    await service.runJob('application-refusals-sweep')
    const after = (await rows()).length

    await withoutPkce(ann, shop)
    await service.runJob('application-refusals')
    const kept = (await rows()).length
    await administrator.post('/api/admin/delete_application', { id: shop.id })

    assert.deepEqual([first.total, next], [1, { items: [], total: 0 }])
    assert.deepEqual([before, after, kept, (await rows()).length], [1, 0, 1, 0])
  })

  it('leaves out refusals that are part of a flow, and those of guests and unknown clients', async ({
    administrator,
    ann,
  }) => {
    const device = await register(administrator, { kind: 'native', redirect_uris: ['com.example.app:/'] })
    const started = await postForm(ann, '/api/oauth/device_authorization', {
      ...{ client_id: device.id, scope: 'openid' },
    })
    const poll = { client_id: device.id, device_code: started.body.device_code }
    const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
    const shop = await register(administrator)

    const pending = await postForm(ann, '/api/oauth/token', { ...poll, grant_type })
    const silent = await authorize(ann, shop, { prompt: 'none' })
    await withoutPkce(ann, { id: 'cli-client', client_id: 'cli-client' })
    await tokenRequest(ann, { id: 'nobody', client_id: 'nobody' }, { grant_type: 'refresh_token' })

    assert.equal(pending.body.error, 'authorization_pending')
    assert.match(silent.headers.get('location') ?? '', /error=consent_required/)
    assert.equal((await listOf(administrator, device)).total, 0)
    assert.equal((await listOf(administrator, shop)).total, 0)
  })

  it('is bounded: strangers who cause refusals fill neither the list nor the store', async ({
    service,
    administrator,
  }) => {
    const shop = await register(administrator)
    const flood = async (networks: number, kinds: number) => {
      for (let network = 0; network < networks; network++)
        for (let kind = 0; kind < kinds; kind++)
          await stranger(service).get(
            `/oauth/authorize?${new URLSearchParams({ ...queryFor(shop, newVerifier()), scope: `a${kind}` })}`,
            from(`203.0.${network}.1`),
          )
    }

    await flood(1, 1)
    await flood(1, 1)
    const again = await listOf(administrator, shop)
    await flood(1, 20)
    const ofOne = await listOf(administrator, shop)
    await flood(10, 5)
    const ofMany = await listOf(administrator, shop)
    for (let minute = 0; minute < 5; minute++) {
      service.clock.advance({ minutes: 1 })
      await flood(4, 5)
    }
    const { items, total } = await listOf(administrator, shop)

    const rows = await service.platform.meta.selectFrom('application_refusal').select('id').execute()
    assert.deepEqual([again.total, ofOne.total, ofMany.total, total], [1, 5, 20, 100])
    assert.equal(rows.length, 100)
    assert.equal(new Set(eachOf({ body: { items } }, 'at')).size, 5)
  })
})
