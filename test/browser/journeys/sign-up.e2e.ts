import { expect } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { startDevice } from '../../service/grants.ts'
import { stranger } from '../../service/people.ts'
import { anyNumber, paste } from '../support/acts.ts'
import { test } from '../support/test.ts'

test('a user who signs up for a command-line client proves the address and comes to the consent, and the focus follows', async ({
  page,
  service,
}) => {
  await changeSettings(service, 'email', { provider: 'outbox' })
  await changeSettings(service, 'authentication', { email_verification_required: true })
  const { body: device } = await startDevice(stranger(service), 'account:profile:read')
  const next = `/oauth/authorize?user_code=${device.user_code}`

  await page.goto(`/sign-up?${new URLSearchParams({ next })}`)
  await page.getByLabel(en.common.email).fill('dora@example.com')
  await page.getByLabel(en.common.password, { exact: true }).fill('paper boats drift south')
  await page.getByRole('button', { name: en.signUp.submit }).click()
  await expect(page.getByRole('heading', { name: en.verify.title })).toBeVisible()
  await expect(page.getByRole('button', { name: anyNumber(en.verify.resendIn) })).toBeVisible()
  await expect(page.getByLabel(en.verify.digit(1))).toBeFocused()
  await paste(page.getByLabel(en.verify.digit(1)), await service.mail.codeFor('dora@example.com'))

  const title = en.consent.title('Command-line client')
  await expect(page.getByRole('heading', { level: 1, name: title })).toBeFocused()
})

test('a name can be given at sign-up, and is the one that the account has', async ({ page, service }) => {
  await page.goto('/sign-up')
  await page.getByLabel(en.signUp.name).fill(' Dora Diaz ')
  await page.getByLabel(en.common.email).fill('dora@example.com')
  await page.getByLabel(en.common.password, { exact: true }).fill('paper boats drift south')
  await page.getByRole('button', { name: en.signUp.submit }).click()
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()

  const { name } = await service.platform.meta
    .selectFrom('user')
    .select('name')
    .where('email', '=', 'dora@example.com')
    .executeTakeFirstOrThrow()
  expect(name).toBe('Dora Diaz')
})
