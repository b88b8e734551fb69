import { en } from '../../../web/src/texts/en.ts'
import { zh } from '../../../web/src/texts/zh.ts'
import { fillSignIn } from '../support/acts.ts'
import { untilHeard } from '../support/heard.ts'
import { test } from '../support/test.ts'

const catalogues = { 'en-US': en, 'zh-CN': zh }

test.describe('a screen reader', () => {
  for (const [locale, texts] of Object.entries(catalogues)) {
    test(`says what was done, saved or refused (${locale})`, async ({ openPage, administrator, ann }) => {
      const page = await openPage({ locale })
      const { common, config, failures, people: words, publishing } = texts

      await page.goto('/console/settings/credits')
      await fillSignIn(page, administrator.email, 'not the password at all', texts)
      await untilHeard(page, failures.INVALID_EMAIL_OR_PASSWORD)
      await fillSignIn(page, administrator.email, administrator.password, texts)
      await page.getByLabel(config.fields.signup_reward_amount).fill('7')
      await page.getByRole('button', { name: common.save }).click()
      await untilHeard(page, config.saved)
      await page.goto(`/console/users/${ann.id}?open=end-sessions`)
      await page.getByRole('dialog').getByRole('button', { name: words.endSessions, exact: true }).click()
      await untilHeard(page, words.endedSessions)
      await administrator.post('/api/admin/create_notification', { title: 'One', content: 'C' })
      await page.goto('/console/notifications')
      await page.getByRole('button', { name: publishing.archiveNamed('One') }).click()
      await untilHeard(page, publishing.archivedNow)
    })
  }
})
