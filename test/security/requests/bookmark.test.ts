import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { changeSettings } from '../../service/change-settings.ts'
import { it } from '../../service/it.ts'
import { stranger } from '../../service/people.ts'
import { WITH_MAIL } from '../../service/with-mail.ts'
import { REQUEST_RESET, VERIFY } from '../support/codes.ts'

const NAME = 'x-db-meta-bookmark'
const LIST = '/api/list_notifications'
const CREATE = '/api/admin/create_notification'
const bookmarkOf = ({ headers }: { readonly headers: Headers }) => headers.get(NAME) ?? ''

describe('75. a caller without a credential', () => {
  it.override('settings', WITH_MAIL)

  it('checklist 75: always gets first-primary, whatever is done or sent', async ({ service, ann }) => {
    const sound = ann.cookies.get('db_meta_bookmark') ?? ''
    const acts = [
      [REQUEST_RESET, { email: ann.email }],
      [REQUEST_RESET, { email: 'nobody@example.com' }],
      [VERIFY, { email: ann.email, otp: '000000' }],
      ['/api/auth/sign-in/email', { email: ann.email, password: 'not hers at all' }],
      ['/api/auth/sign-in/social', { provider: 'provider_a' }],
      ['/api/auth/sign-out', {}],
      [LIST, {}],
      ['/api/nowhere', {}],
    ] as const

    for (const [path, body] of acts) {
      for (const headers of [{}, { [NAME]: sound }, { authorization: 'Bearer ghs_of-nobody' }]) {
        const answer = await stranger(service).post(path, body, headers)
        assert.equal(bookmarkOf(answer), 'first-primary', path)
        assert.match(answer.headers.getSetCookie().join(), /db_meta_bookmark=first-primary;/, path)
      }
    }
  })

  it('checklist 75: gets a real one once an answer has opened a session', async ({ service }) => {
    const carl = stranger(service)

    const answers = [await carl.signUp(), await carl.signIn(), await carl.get('/api/auth/get-session')]

    for (const answer of answers) assert.match(bookmarkOf(answer), /^meta=/)
  })

  it('keeps that of a signed-in browser for pages that need no session', async ({ service, ann }) => {
    const path = '/api/client_config'

    assert.match(bookmarkOf(await ann.get(path)), /^meta=/)
    assert.equal(bookmarkOf(await stranger(service).get(path)), 'first-primary')
  })

  it('checklist 75: gets none with a sign-up that opens no session', async ({ service }) => {
    await changeSettings(service, 'authentication', { email_verification_required: true })

    assert.equal(bookmarkOf(await stranger(service).signUp()), 'first-primary')
  })
})

describe('the part of the bookmark about a shard', () => {
  it('is kept by requests that do not use the shard', async ({ ann }) => {
    const before = bookmarkOf(await ann.post('/api/submit_feedback', { type: 'idea', content: 'Owls.' }))

    const after = bookmarkOf(await ann.get('/api/auth/list-sessions'))

    assert.match(before, /^meta=[^~]+~[a-z0-9-]+=[^~]+$/)
    assert.equal(after.split('~')[1], before.split('~')[1])
  })

  it('is dropped if it is made up', async ({ ann }) => {
    const written = await ann.post('/api/submit_feedback', { type: 'idea', content: 'Owls.' })
    const [meta = '', own = ''] = bookmarkOf(written).split('~')
    const shard = own.split('=')[0]
    const madeUp = [`${shard}=1`, `${shard}=evil`, 'nowhere=1.1', 'nowhere-9=1-0/1', own.replace(/^[^=]+/, 'oc-2')]
    const quiet = ['/api/auth/list-sessions', '/api/auth/get-session', '/api/client_config'] as const

    for (const part of madeUp)
      for (const path of quiet) {
        const answer = await ann.get(path, { [NAME]: `${meta}~${part}` })
        assert.equal(answer.status, 200)
        assert.ok(!bookmarkOf(answer).includes(part), `${path} hands ${part} back`)
      }
  })
})

describe('the bookmark', () => {
  it('is sent in header and cookie on every /api route, also with a refusal', async ({ ann }) => {
    for (const path of ['/api/health', '/api/auth/get-session', '/api/auth/sign-in/email', '/api/nowhere']) {
      const answer = await ann.get(path)
      const cookie = answer.headers.getSetCookie().find((line) => line.startsWith('db_meta_bookmark='))
      const [, value = ''] = /^db_meta_bookmark=([^;]+); .*HttpOnly; SameSite=Lax$/.exec(cookie ?? '') ?? []
      assert.ok(bookmarkOf(answer), path)
      assert.equal(decodeURIComponent(value), bookmarkOf(answer), path)
    }
  })

  it('comes with nothing else, which can be kept for everybody', async ({ ann }) => {
    for (const path of ['/', '/healthz', '/.well-known/openid-configuration']) {
      const { headers } = await ann.get(path)
      assert.deepEqual([headers.get(NAME), headers.getSetCookie()], [null, []], path)
    }
  })

  it('is another one after a write', async ({ ann }) => {
    const before = bookmarkOf(await ann.get('/api/auth/get-session'))

    const written = await ann.post('/api/auth/update-user', { name: 'Ann' })

    assert.notEqual(bookmarkOf(written), before)
  })
})

// `test/faults` tests with real replicas that a lagging one never shows the past.
describe('65. a bookmark', () => {
  it('from a write shows that write to the next read', async ({ administrator, ann }) => {
    for (let i = 1; i <= 20; i += 1) {
      const written = await administrator.post(CREATE, { title: `${i}`, content: 'New.' })
      const { body } = await ann.post(LIST, {}, { [NAME]: bookmarkOf(written) })
      assert.equal(body.items[0].title, String(i))
    }
  })

  for (const bookmark of [
    'first-primary',
    'garbage',
    'meta=',
    'meta=999999999999999',
    '99999999-FFFFFFFF/FFFFFFFF',
    'meta=1~apac-1=1~weur-1=1',
    'meta=99999-FFFFFFFF/FFFFFFFF',
    '%%%',
    '../../etc/passwd',
    "' or 1=1 --",
    'x'.repeat(8_000),
  ]) {
    it(`${bookmark.slice(0, 40)} gives the newest state and a sound one`, async ({ administrator, ann }) => {
      await administrator.post(CREATE, { title: 'One', content: 'New.' })
      const authorization = `Bearer ${ann.token}`

      const cookie = `db_meta_bookmark=${encodeURIComponent(bookmark)}`
      for (const sent of [{ [NAME]: bookmark }, { cookie }] as Record<string, string>[]) {
        const answer = await ann.post(LIST, {}, { authorization, ...sent })
        assert.deepEqual([answer.status, answer.body.total], [200, 1])
        assert.notEqual(bookmarkOf(answer), bookmark === 'first-primary' ? '' : bookmark)
      }
    })
  }
})
