import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { changeSettings } from '../../service/change-settings.ts'
import { it } from '../../service/it.ts'
import { people, stranger } from '../../service/people.ts'

describe('75. a caller without a credential', () => {
  it('checklist 75: always gets first-primary, whatever others do and whatever is sent', async ({
    service,
  }) => {
    await changeSettings(service, 'email', { provider: 'smtp' })
    const { ann } = await people(service)
    const sound = ann.cookies.get('db_meta_bookmark') ?? ''
    const acts = [
      ['/api/auth/email-otp/request-password-reset', { email: ann.email }],
      ['/api/auth/email-otp/request-password-reset', { email: 'nobody@example.com' }],
      ['/api/auth/email-otp/verify-email', { email: ann.email, otp: '000000' }],
      ['/api/auth/sign-in/email', { email: ann.email, password: 'not hers at all' }],
      ['/api/auth/sign-in/social', { provider: 'provider_a' }],
      ['/api/auth/sign-out', {}],
      ['/api/list_notifications', {}],
      ['/api/nowhere', {}],
    ] as const

    for (const [path, body] of acts) {
      for (const headers of [
        {},
        { 'x-db-meta-bookmark': sound },
        { authorization: 'Bearer ghs_of-nobody' },
      ]) {
        const answer = await stranger(service).post(path, body, headers)
        assert.equal(answer.headers.get('x-db-meta-bookmark'), 'first-primary', path)
        assert.match(answer.headers.getSetCookie().join(), /db_meta_bookmark=first-primary;/, path)
      }
    }
  })

  it('checklist 75: gets a real one with an answer that opens a session, and from then on', async ({
    service,
  }) => {
    const carl = stranger(service)

    const answers = [await carl.signUp(), await carl.signIn(), await carl.get('/api/auth/get-session')]

    for (const { headers } of answers) assert.match(headers.get('x-db-meta-bookmark') ?? '', /^meta=/)
  })

  it('keeps the bookmark of a signed-in browser when pages ask without a session', async ({
    service,
    ann,
  }) => {
    const ofAnn = await ann.get('/api/client_config')
    const ofStranger = await stranger(service).get('/api/client_config')

    assert.match(ofAnn.headers.get('x-db-meta-bookmark') ?? '', /^meta=/)
    assert.equal(ofStranger.headers.get('x-db-meta-bookmark'), 'first-primary')
  })

  it('checklist 75: gets none with a sign-up that opens no session', async ({ service }) => {
    await changeSettings(service, 'email', { provider: 'smtp' })
    await changeSettings(service, 'authentication', { email_verification_required: true })

    const { headers } = await stranger(service).signUp()

    assert.equal(headers.get('x-db-meta-bookmark'), 'first-primary')
  })
})

// That a lagging replica never shows the past is tested with real ones in test/faults.
describe('65. a bookmark', () => {
  it('from a write shows that write to the next read', async ({ administrator, ann }) => {
    for (let i = 1; i <= 20; i += 1) {
      const written = await administrator.post('/api/admin/create_notification', {
        title: `${i}`,
        content: 'New.',
      })
      const bookmark = written.headers.get('x-db-meta-bookmark') ?? ''
      const { body } = await ann.post('/api/list_notifications', {}, { 'x-db-meta-bookmark': bookmark })
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
    '../../etc/passwd',
    "' or 1=1 --",
    'x'.repeat(8_000),
  ]) {
    it(`${bookmark.slice(0, 40)} gives the newest state and a valid bookmark`, async ({
      administrator,
      ann,
    }) => {
      await administrator.post('/api/admin/create_notification', { title: 'One', content: 'New.' })

      for (const headers of [
        { 'x-db-meta-bookmark': bookmark },
        { cookie: `db_meta_bookmark=${encodeURIComponent(bookmark)}` },
      ]) {
        const bearer = { authorization: `Bearer ${ann.token}`, ...headers }
        const { status, body, headers: answered } = await ann.post('/api/list_notifications', {}, bearer)
        assert.deepEqual([status, body.total], [200, 1])
        assert.notEqual(answered.get('x-db-meta-bookmark'), bookmark === 'first-primary' ? '' : bookmark)
      }
    })
  }
})
