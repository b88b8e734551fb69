import { expect } from '@playwright/test'
import { CALLBACK } from '../../service/applications.ts'
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
  test.describe.configure({ timeout: 900_000 })

  for (const [look, { texts, looks, hasKeyboardOnly }] of Object.entries(READERS)) {
    test(`before the sign-in passes axe, fits and does not move, ${look}`, async ({ openPage }) => {
      expect(await faultsOf(await openPage(looks), FRONT, hasKeyboardOnly)).toEqual([])
    })

    test(`inside passes axe, fits any screen and does not move, whatever people have written, ${look}`, async ({
      enterAs,
      service,
      administrator,
      ann,
      ben,
    }) => {
      const given = [
        [ann, 'auth/update-user', { name: longWord.slice(0, 200) }],
        [ben, 'auth/update-user', { name: `Ben ${withoutWidth}` }],
        [administrator, 'auth/update-user', { name: arabic }],
        [ann, 'submit_feedback', { type: longWord.slice(0, 64), content: longWord }],
        [ann, 'submit_feedback', { type: 'idea', content: arabic }],
        [ann, 'submit_feedback', { type: arabic, content: 'A wish' }],
        [ben, 'submit_feedback', { type: 'idea', content: `A wish ${withoutWidth}` }],
        [administrator, 'admin/suspend_user', { id: ann.id, reason: arabic }],
        [
          administrator,
          'admin/create_application',
          { name: arabic, kind: 'browser', redirect_uris: [CALLBACK] },
        ],
        [administrator, 'admin/declare_product_scope', { scope: 'product:bells:read', description: arabic }],
        [
          administrator,
          'admin/declare_product_scope',
          { scope: 'product:walls:write', description: longWord.slice(0, 200) },
        ],
        [
          administrator,
          'create_personal_token',
          { name: arabic, scopes: ['account:profile:read'], expires_in_days: 30 },
        ],
        [administrator, 'admin/create_notification', { title: arabic, type: arabic, content: longWord }],
        [
          administrator,
          'admin/create_notification',
          { title: longWord.slice(0, 200), type: longWord.slice(0, 64), content: arabic },
        ],
        [administrator, 'admin/generate_beta_codes', { count: 3 }],
      ] as const
      for (const [person, path, body] of given)
        expect((await person.post(`/api/${path}`, body)).status, path).toBe(200)
      const { body: device } = await startDevice(
        stranger(service),
        'account:profile:read',
        'admin:users:write',
      )
      const page = await enterAs(administrator, '/sign-in', looks)
      await expect(page.getByRole('heading', { name: anyWords(texts.home.title) })).toBeVisible()

      const made = [`/oauth/authorize?user_code=${device.user_code}`, `/console/users/${ann.id}`]
      expect(await faultsOf(page, [...INSIDE, ...CONSOLE, ...made], hasKeyboardOnly)).toEqual([])
    })
  }
})
