import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it } from '../../../../test/service/it.ts'
import { people, stranger } from '../../../../test/service/people.ts'
import { serviceWithMail } from '../../../../test/service/with-mail.ts'

const SEND = '/api/auth/email-otp/send-verification-otp'

const VERIFY = '/api/auth/email-otp/verify-email'

const REQUEST_RESET = '/api/auth/email-otp/request-password-reset'

const RESET = '/api/auth/email-otp/reset-password'

describe('code requests', () => {
  for (const [path, extra, scene] of [
    [SEND, { type: 'email-verification' }, 'send_verification_email'],
    [REQUEST_RESET, {}, 'request_password_reset'],
  ] as const) {
    it(`${scene}: known, unknown, verified and community addresses get the same response`, async () => {
      await using service = await serviceWithMail()
      const { ann, administrator } = await people(service)
      const addresses = [ann.email, 'nobody@example.com', administrator.email, 'community-7@community.local']

      const answers = await Promise.all(
        addresses.map((email) => stranger(service).post(path, { email, ...extra })),
      )

      for (const { status, body } of answers) assert.deepEqual([status, body], [200, { success: true }])
      const queued = await service.platform.meta.selectFrom('mail_queue').select('id').execute()
      assert.equal(queued.length, addresses.length - 1)
      const receivers = (await service.mail.all()).map(({ to }) => to)
      assert.equal(receivers.includes(ann.email), true)
      assert.equal(receivers.includes('nobody@example.com'), false)
      assert.equal(receivers.includes('community-7@community.local'), false)
    })

    it(`${scene}: twenty at once, over two processes, send exactly one mail`, async () => {
      await using service = await serviceWithMail()
      const { ann } = await people(service)
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: ann.email, ...extra }),
      }

      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          (i % 2 ? service.request : service.requestElsewhere)(path, init),
        ),
      )

      const refused = answers.filter(({ status }) => status === 429)
      assert.equal(refused.length, 19)
      for (const { headers } of refused) assert.equal(headers.get('retry-after'), '60')
      assert.equal((await service.mail.sentTo(ann.email)).length, 1)
    })

    it(`${scene}: a request that is refused for its input starts no window`, async () => {
      await using service = await serviceWithMail()
      const { ann } = await people(service)

      const refused = [
        await ann.post(path, { email: 'ann@', ...extra }),
        await ann.post(SEND, { email: ann.email, type: 'unknown' }),
        await ann.post(SEND, { email: ann.email }),
      ]

      for (const { status } of refused) assert.equal(status, 400)
      assert.equal((await ann.post(path, { email: ann.email, ...extra })).status, 200)
    })
  }

  it('without a provider are EMAIL_PROVIDER_UNAVAILABLE, and nothing is written', async ({
    service,
    ann,
  }) => {
    const { email } = ann
    const otp = '123456'

    const answers = [
      await ann.post(SEND, { email, type: 'email-verification' }),
      await ann.post(VERIFY, { email, otp }),
      await ann.post(REQUEST_RESET, { email }),
      await ann.post(RESET, { email, otp, password: 'a brand new one' }),
    ]

    for (const { status, body } of answers) {
      assert.deepEqual([status, body.code], [400, 'EMAIL_PROVIDER_UNAVAILABLE'])
    }
    const { meta } = service.platform
    assert.equal((await meta.selectFrom('verification').select('id').execute()).length, 0)
    assert.equal((await meta.selectFrom('mail_queue').select('id').execute()).length, 0)
    const windows = await meta
      .selectFrom('key_value')
      .select('key')
      .where('key', 'like', '%:request_%')
      .execute()
    assert.equal(windows.length, 0)
  })
})
