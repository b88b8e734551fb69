import { expect } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { zh } from '../../../web/src/texts/zh.ts'
import { startDevice } from '../../service/grants.ts'
import { stranger } from '../../service/people.ts'
import { anyWords } from '../support/acts.ts'
import { faultsOf, READERS } from '../support/every-page.ts'
import { CONSOLE, FRONT, INSIDE } from '../support/paths.ts'
import { test } from '../support/test.ts'

const longWord = 'drawbridge'.repeat(1_000)
const arabic = 'الجسر المتحرك يصدر صريرا (جدا)'
/** Characters that nobody sees. */
const withoutWidth = '\u200b\u202e\u2060'

test.describe('every page', () => {
  test.beforeEach(({ page: _ }) => test.setTimeout(900_000))

  for (const [look, reader] of Object.entries(READERS)) {
    const texts = reader.locale === 'zh-CN' ? zh : en

    test(`before the sign-in passes axe, fits and does not move, ${look}`, async ({ openPage }) => {
      expect(await faultsOf(await openPage(reader), FRONT, texts === en)).toEqual([])
    })

    test(`inside passes axe, fits any screen and does not move, whatever people have written, ${look}`, async ({
      enterAs,
      service,
      administrator,
      ann,
      ben,
    }) => {
      const given = (path: string, body: object) => administrator.post(path, body)
      const application = { name: arabic, kind: 'browser', redirect_uris: ['https://app.example.com/back'] }
      const answers = [
        await ann.post('/api/auth/update-user', { name: longWord.slice(0, 200) }),
        await ben.post('/api/auth/update-user', { name: withoutWidth }),
        await given('/api/auth/update-user', { name: arabic }),
        await ann.post('/api/submit_feedback', { type: longWord.slice(0, 64), content: longWord }),
        await ann.post('/api/submit_feedback', { type: 'idea', content: arabic }),
        await ann.post('/api/submit_feedback', { type: arabic, content: 'A wish' }),
        await ben.post('/api/submit_feedback', { type: 'idea', content: withoutWidth }),
        await given('/api/admin/suspend_user', { id: ann.id, reason: arabic }),
        await given('/api/admin/create_application', application),
        await given('/api/admin/declare_product_scope', { scope: 'product:bells:read', description: arabic }),
        await given('/api/admin/declare_product_scope', {
          scope: 'product:bridges:write',
          description: longWord.slice(0, 200),
        }),
        await given('/api/create_personal_token', {
          name: arabic,
          scopes: ['account:profile:read'],
          expires_in_days: 30,
        }),
        await given('/api/admin/create_notification', { title: arabic, type: arabic, content: longWord }),
        await given('/api/admin/create_notification', {
          title: longWord.slice(0, 200),
          type: longWord.slice(0, 64),
          content: arabic,
        }),
        await given('/api/admin/generate_beta_codes', { count: 3 }),
      ]
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      const { body: device } = await startDevice(
        stranger(service),
        'account:profile:read',
        'admin:users:write',
      )
      const page = await enterAs(administrator, '/sign-in', reader)
      await expect(page.getByRole('heading', { name: anyWords(texts.home.title) })).toBeVisible()

      const made = [`/oauth/authorize?user_code=${device.user_code}`, `/console/users/${ann.id}`]
      expect(await faultsOf(page, [...INSIDE, ...CONSOLE, ...made], texts === en)).toEqual([])
    })
  }
})
