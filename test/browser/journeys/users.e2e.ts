import { expect, type Locator, type Page } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { addApp } from '../../service/devices/factors.ts'
import { grantFor } from '../../service/grants.ts'
import { Person } from '../../service/people.ts'
import { assertAccessible } from '../support/accessible.ts'
import { choose } from '../support/acts.ts'
import { test } from '../support/test.ts'

const { person, invite, access } = en

test.beforeEach(({ service, persons: _ }) => changeSettings(service, 'email', { provider: 'outbox' }))

/** Presses a button that asks first, and agrees. */
async function agree(page: Page, button: string, fill?: (dialog: Locator) => unknown) {
  await page.getByRole('main').getByRole('button', { name: button, exact: true }).click()
  const dialog = page.getByRole('dialog')
  await fill?.(dialog)
  await dialog.getByRole('button', { name: button, exact: true }).click()
  await expect(dialog).toHaveCount(0)
}

test('a user is verified, helped, moved, suspended, restored and removed', async ({ openConsole, service, ben }) => {
  const page = await openConsole('/console/users')
  await page.getByLabel(en.people.search).fill('ben@')
  await expect(page.getByText('ann@example.com')).toHaveCount(0)
  await page.getByRole('link', { name: 'ben@example.com' }).click()

  await agree(page, person.verify)
  await expect(page.getByRole('button', { name: person.verify })).toHaveCount(0)
  await agree(page, person.reset)
  expect(await service.mail.sentTo(ben.email)).toHaveLength(1)
  await agree(page, person.give, (dialog) => dialog.getByLabel(person.amount).fill('40'))
  await expect(page.getByText(person.balance('40'))).toBeVisible()
  await agree(page, person.move, (dialog) => dialog.getByLabel(person.moveTo).selectOption('oc-1'))
  await expect(page.getByRole('definition').filter({ hasText: 'oc-1' }).first()).toBeVisible()
  await agree(page, en.people.endSessions)
  await expect(page.getByText(person.sessionsNone)).toBeVisible()
  await agree(page, en.people.suspend, (dialog) => dialog.getByLabel(en.people.suspendReason).fill('Too many bells'))
  await expect(page.getByText('Too many bells').first()).toBeVisible()
  expect((await ben.signIn()).body.code).toBe('ACCOUNT_SUSPENDED')
  await agree(page, en.people.restore)
  await expect(page.getByRole('button', { name: en.people.suspend })).toBeVisible()
  expect((await ben.signIn()).status).toBe(200)
  await agree(page, en.people.remove)
  await expect(page.getByText(en.people.removed)).toBeVisible()
  await expect(page.getByRole('heading', { name: en.people.title })).toBeVisible()

  expect((await ben.signIn()).status).toBe(401)
})

test('a user’s second factors are removed, and a tool is ended', async ({ openConsole, service, ann }) => {
  await addApp(service, ann)
  const client = await grantFor(ann, 'account:profile:read')
  const page = await openConsole(`/console/users/${ann.id}`)

  await agree(page, en.people.removeFactors)
  await expect(page.getByText(en.people.removedFactors)).toBeVisible()
  await expect(page.getByRole('button', { name: en.people.removeFactors })).toHaveCount(0)
  await page.getByRole('button', { name: access.revokeNamed('Command-line client') }).click()
  await page.getByRole('dialog').getByRole('button', { name: access.revoke, exact: true }).click()
  await expect(page.getByText(access.done)).toBeVisible()

  expect((await client.post('/api/export_account')).status).toBe(401)
  expect((await new Person(service, ann.email, ann.password).signIn()).body.redirect).toBe(false)
  const subjects = (await service.mail.sentTo(ann.email)).map(({ subject }) => subject)
  for (const about of [/second factors were removed/, /tool was disconnected/])
    expect(subjects).toContainEqual(expect.stringMatching(about))
})

test('a user is invited by email, and another added at once', async ({ openConsole, service }) => {
  const page = await openConsole('/console/users')

  await page.getByRole('button', { name: invite.open }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(invite.email).fill('carl@example.com')
  await assertAccessible(page)
  await dialog.getByRole('button', { name: invite.send }).click()
  await expect(page.getByRole('link', { name: 'carl@example.com' })).toBeVisible()
  await page.getByRole('button', { name: invite.open }).click()
  await choose(dialog, invite.how, invite.ways.create)
  await dialog.getByLabel(invite.email).fill('ann@example.com')
  await dialog.getByRole('button', { name: invite.create }).click()
  await expect(dialog.getByText(en.failures.USER_ALREADY_EXISTS)).toBeVisible()
  await dialog.getByLabel(invite.email).fill('dora@example.com')
  await dialog.getByRole('button', { name: invite.create }).click()
  await expect(page.getByRole('link', { name: 'dora@example.com' })).toBeVisible()

  expect(await service.mail.sentTo('carl@example.com')).toHaveLength(1)
  expect(await service.mail.sentTo('dora@example.com')).toHaveLength(0)
})
