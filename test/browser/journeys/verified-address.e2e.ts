import { expect } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { zh } from '../../../web/src/texts/zh.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { assertAccessible } from '../support/accessible.ts'
import { paste } from '../support/acts.ts'
import { test } from '../support/test.ts'

for (const [locale, texts] of [
  ['en-US', en],
  ['zh-CN', zh],
] as const) {
  test(`a user from before addresses had to be verified is led through it and back: ${locale}`, async ({
    service,
    enterAs,
    ann,
  }) => {
    await changeSettings(service, 'email', { provider: 'outbox' })
    const page = await enterAs(ann, '/settings', { locale })
    await expect(page.getByRole('heading', { name: texts.settings.profile, exact: true })).toBeVisible()
    await changeSettings(service, 'authentication', { email_verification_required: true })

    await page.goto('/notifications')
    await expect(page.getByRole('heading', { name: texts.verify.title })).toBeVisible()
    await expect(page.getByText(texts.verify.leadRequired(ann.email))).toBeVisible()
    await assertAccessible(page)
    await page.getByRole('button', { name: texts.forgot.submit, exact: true }).click()
    await expect(page.getByText(texts.verify.lead(ann.email))).toBeVisible()
    await paste(page.getByLabel(texts.verify.digit(1)), await service.mail.codeFor(ann.email))

    await expect(page).toHaveURL(/\/notifications$/)
    await expect(page.getByRole('heading', { name: texts.nav.notifications, exact: true })).toBeVisible()
  })
}

test('a user who has to verify the address first can sign out, and is asked at a program’s consent too', async ({
  service,
  enterAs,
  ann,
}) => {
  await changeSettings(service, 'email', { provider: 'outbox' })
  const page = await enterAs(ann, '/settings')
  await expect(page.getByRole('heading', { name: en.settings.profile, exact: true })).toBeVisible()
  await changeSettings(service, 'authentication', { email_verification_required: true })

  await page.goto('/oauth/authorize?user_code=BCDF-GHJK')
  await expect(page.getByText(en.verify.leadRequired(ann.email))).toBeVisible()
  await expect(page).toHaveURL(/next=%2Foauth%2Fauthorize%3Fuser_code%3DBCDF-GHJK/)
  await page.getByRole('button', { name: en.nav.signOut }).click()

  await expect(page).toHaveURL(/\/sign-in/)
})
