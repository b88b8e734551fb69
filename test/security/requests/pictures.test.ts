import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeJwt } from 'jose'
import { describe } from 'vitest'
import { importUsers } from '../../../src/operator/user-import/users-file.ts'
import { assertRefused } from '../../service/answers.ts'
import { bearer, queryFor, register, tokensFor } from '../../service/applications.ts'
import { newVerifier } from '../../service/grants.ts'
import { it as base } from '../../service/it.ts'
import { type Person, stranger } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'

const UPDATE = '/api/auth/update-user'
const OF_GITHUB = 'https://avatars.githubusercontent.com/u/7?v=4'
const OF_GOOGLE = 'https://lh3.googleusercontent.com/a/photo'
const TRACKERS = [
  'https://tracker.example/ann.png',
  'http://avatars.githubusercontent.com/u/7',
  'https://avatars.githubusercontent.com.evil.example/u/7',
  'https://avatars.githubusercontent.com:8443/u/7',
  'https://evil.example/.googleusercontent.com',
  'https://googleusercontent.com.evil.example/',
  '//tracker.example/ann.png',
  '/api/auth/sign-out',
]
/** The largest size of a logo. */
const PNG = Buffer.alloc(200 * 1024, '89504e470d0a1a0a', 'hex')

interface Fixtures {
  /** The user whom a picture reveals to its server. */
  readonly tracker: { readonly url: string; readonly heard: object[]; answer: Answered }
}

interface Answered {
  readonly type: string
  readonly body: Buffer
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

const it = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  tracker: async ({}, use) => {
    const tracker = { url: '', heard: [] as object[], answer: { type: 'image/png', body: PNG } as Answered }
    const server = createServer((request, response) => {
      tracker.heard.push(request.headers)
      const { type, body, status = 200, headers } = tracker.answer
      response.writeHead(status, { 'content-type': type, ...headers }).end(body)
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    tracker.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/logo`
    await use(tracker)
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  },
})

describe('112. a picture of a user', () => {
  it('checklist 112: is only ever one that a provider of this installation serves', async ({
    service,
    administrator,
    ann,
  }) => {
    const carl = stranger(service)
    const imageOf = async (person: Person) => (await person.get('/api/auth/get-session')).body.user.image
    for (const image of [OF_GITHUB, OF_GOOGLE]) {
      assert.equal((await ann.post(UPDATE, { image })).status, 200)
      assert.equal(await imageOf(ann), image)
    }

    for (const image of TRACKERS) assertRefused(await ann.post(UPDATE, { image }), 'INVALID_REQUEST', 'image')
    await carl.signUp({ image: TRACKERS[0] })
    const file = [OF_GITHUB, ...TRACKERS].map((image, i) => ({
      id: `i${i}`,
      email: `i${i}@example.com`,
      image,
    }))
    await importUsers(service.platform, file, () => undefined)

    assert.deepEqual([await imageOf(ann), await imageOf(carl)], [OF_GOOGLE, null])
    const { items } = (await administrator.post('/api/admin/list_users', { page_size: 100 })).body
    const stored = items.map(({ image }: { image: string | null }) => image).filter(Boolean)
    assert.deepEqual(new Set(stored), new Set([OF_GOOGLE, OF_GITHUB]))
  })

  it('checklist 112: is shown to nobody if it was stored before that rule', async ({ service, administrator, ann }) => {
    const shop = await register(administrator, { scopes: ['openid', 'profile'] })
    const { access_token } = await tokensFor(ann, shop, { scope: 'openid profile' })
    const { meta } = service.platform
    await meta.updateTable('user').set({ image: TRACKERS[0] }).execute()

    const { body: user } = await administrator.post('/api/admin/get_user', { id: ann.id })
    const { body: listed } = await administrator.post('/api/admin/list_users')
    const { body: session } = await ann.get('/api/auth/get-session')
    const { body: claims } = await ann.get('/api/oauth/userinfo', bearer(access_token))
    const { body: signedIn } = await ann.signIn()
    const { id_token = '' } = await tokensFor(ann, shop, { scope: 'openid profile' })
    const exported = await ann.post('/api/export_account')
    const about = [user, ...listed.items, session.user, signedIn.user, exported.body.user]

    assert.deepEqual(
      about.map(({ image }) => image),
      about.map(() => null),
    )
    assert.deepEqual([claims.sub, claims.picture], [ann.id, undefined])
    assert.equal(decodeJwt(id_token).picture, undefined)
  })

  it('checklist 112: is all that the pages’ policy lets a browser fetch', async ({ service }) => {
    const { headers } = await stranger(service).get('/sign-in', { accept: 'text/html' })

    const [, sources = ''] = /img-src ([^;]+)/.exec(headers.get('content-security-policy') ?? '') ?? []
    assert.deepEqual(sources.split(' '), [
      ...["'self'", 'data:', 'https://*.googleusercontent.com', 'https://avatars.githubusercontent.com'],
    ])
  })
})

describe('112. a logo of an application', () => {
  it.override('options', { env: { WEBHOOK_NETWORKS: '127.0.0.0/8' } })

  /**
   * The address at which the consent page finds it. The API takes only https; the tracker of these tests has no
   * certificate.
   */
  async function shownTo({ service, administrator, ann }: World, logo_url: string): Promise<string> {
    const application = await register(administrator, { logo_url: 'https://shop.example.com/logo.png' })
    const { meta } = service.platform
    await meta.updateTable('application').set({ logo_url }).where('id', '=', application.client_id).execute()
    const asked = queryFor(application, newVerifier(), { scope: 'openid' })
    const { request_id } = (await ann.post('/api/oauth/begin_authorization', asked)).body
    return (await ann.post('/api/oauth/get_authorization', { request_id })).body.client_logo_url
  }

  it('checklist 112: is fetched by the service alone, and kept', async ({
    service,
    administrator,
    ann,
    ben,
    tracker,
  }) => {
    const address = await shownTo({ service, administrator, ann }, tracker.url)

    const answers = await Promise.all([ann, ben, stranger(service)].map((person) => person.get(address)))

    assert.match(address, /^\/api\/oauth\/client_logo\?client_id=/)
    for (const { status, headers } of answers) {
      assert.deepEqual([status, headers.get('content-type')], [200, 'image/png'])
      assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox/)
    }
    assert.equal(tracker.heard.length, 1)
    service.clock.advance({ hours: 2 })
    await ann.get(address)
    assert.deepEqual(Object.keys(tracker.heard.at(-1) ?? {}).sort(), ['accept', 'connection', 'host', 'user-agent'])
    assert.equal(tracker.heard.length, 2)
  })

  it.for([
    ['a document', { type: 'text/html', body: PNG }],
    ['a refusal', { type: 'image/png', body: PNG, status: 404 }],
    ['a redirect', { type: 'image/png', body: PNG, status: 302, headers: { location: '/elsewhere' } }],
    ['more than 200 KB', { type: 'image/png', body: Buffer.alloc(200 * 1024 + 1) }],
  ] as const)(
    'is not shown if its address returns %s',
    async ([, answer], { service, administrator, ann, tracker }) => {
      tracker.answer = answer
      const address = await shownTo({ service, administrator, ann }, tracker.url)

      assertRefused(await ann.get(address), 'NOT_FOUND')
      assertRefused(await ann.get(address), 'NOT_FOUND')
      assert.equal(tracker.heard.length, 1)
    },
  )

  it('is not fetched from a private network', async ({ service, administrator, ann, tracker }) => {
    for (const place of ['https://169.254.169.254/latest', 'https://[::1]/', 'http://10.0.0.1/'])
      assertRefused(await ann.get(await shownTo({ service, administrator, ann }, place)), 'NOT_FOUND')
    assertRefused(await ann.get('/api/oauth/client_logo?client_id=nobody'), 'NOT_FOUND')
    assertRefused(await ann.get('/api/oauth/client_logo?client_id=cli-client'), 'NOT_FOUND')
    assert.equal(tracker.heard.length, 0)
  })
})

interface World {
  readonly service: Service
  readonly administrator: Person
  readonly ann: Person
}
