import { readFileSync } from 'node:fs'
import { expect } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { assertAccessible } from '../support/accessible.ts'
import { test } from '../support/test.ts'

const { common, lists, people, person, publishing } = en

test.describe('the list of users', () => {
  test('is filtered in the address, marks what was searched for, and is there again after a visit to a user', async ({
    openConsole,
    administrator,
    service,
    ann,
    ben,
  }) => {
    service.clock.advance({ milliseconds: Date.now() - service.clock.now() })
    await ann.post('/api/auth/update-user', { name: 'José Müller' })
    await ann.signIn()
    await administrator.post('/api/admin/suspend_user', { id: ben.id, reason: 'Too many bells' })
    const page = await openConsole('/console/users', { timezoneId: 'Europe/Berlin' })
    const row = (email: string) => page.getByRole('row').filter({ hasText: email })

    await page.getByLabel(people.state, { exact: true }).selectOption('suspended')
    await expect(row(ann.email)).toHaveCount(0)
    await expect(row(ben.email)).toBeVisible()
    await page.getByLabel(people.state, { exact: true }).selectOption('all')
    await page.getByLabel(people.lastSignIn, { exact: true }).selectOption('today')
    await expect(page.getByTitle('Europe/Berlin')).toBeVisible()
    await expect(row(ben.email)).toHaveCount(0)
    await page.getByLabel(people.search).fill('muller jos')
    await expect(page.locator('mark')).toHaveText(['Jos', 'Müller'])
    await assertAccessible(page)
    await page.getByRole('link', { name: ann.email }).click()
    await page.getByRole('link', { name: person.backToSearch }).click()
    await expect(page).toHaveURL('/console/users?signed_in=today&search=muller+jos')
    await page.getByLabel(people.lastSignIn, { exact: true }).selectOption('dates')
    await page.getByRole('group', { name: people.lastSignIn }).getByLabel(lists.to).fill('2020-01-31')

    await expect(page.getByText(people.emptyTitle)).toBeVisible()
    await expect(page).toHaveURL(/signed_in=..2020-01-31/)
  })

  test('suspends, restores, writes to and exports those that are selected', async ({
    openConsole,
    administrator,
    ann,
    ben,
  }) => {
    const page = await openConsole('/console/users')
    const select = async () => {
      for (const { email } of [ann, ben]) await page.getByLabel(lists.choose(email)).check()
    }
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    const dialog = page.getByRole('dialog')

    await page.getByLabel(lists.choose(administrator.email)).check()
    await select()
    await press(people.suspend)
    await expect(dialog.getByRole('heading', { name: people.suspendMany(2) })).toBeVisible()
    await dialog.getByLabel(people.suspendReason).fill('Too many bells')
    await assertAccessible(page)
    await dialog.getByRole('button', { name: people.suspend }).click()
    await expect(page.getByText(people.suspendedMany(2))).toBeVisible()
    expect((await ann.signIn()).body.code).toBe('ACCOUNT_SUSPENDED')
    await select()
    await press(people.restore)
    await dialog.getByRole('button', { name: people.restore }).click()
    await expect(page.getByText(people.restoredMany(2))).toBeVisible()
    await page.getByLabel(lists.choose(administrator.email)).uncheck()
    await select()
    const download = page.waitForEvent('download')
    await press(lists.exportChosen)
    const text = readFileSync(await (await download).path(), 'utf8')
    await press(person.write)
    await dialog.getByLabel(publishing.headline).fill('The bell is mended')
    await dialog.getByLabel(publishing.content).fill('Ring it.')
    await dialog.getByRole('button', { name: person.send }).click()
    await expect(page.getByText(people.wroteTo(2))).toBeVisible()

    expect(text.trim().split('\r\n')).toHaveLength(3)
    for (const one of [ann, ben]) {
      await one.signIn()
      const { body } = await one.post('/api/list_notifications')
      expect(body.items.map(({ title }: { readonly title: string }) => title)).toEqual(['The bell is mended'])
    }
  })
})

test('a user’s page writes to this user alone', async ({ openConsole, ann, ben }) => {
  const page = await openConsole(`/console/users/${ann.id}`)
  const dialog = page.getByRole('dialog', { name: person.writeTitle(ann.email) })

  await page.getByRole('button', { name: person.write, exact: true }).click()
  await dialog.getByLabel(publishing.headline).fill('A word to Ann')
  await dialog.getByLabel(publishing.content).fill('Only for her.')
  await assertAccessible(page)
  await dialog.getByRole('button', { name: person.send }).click()

  await expect(page.getByText('A word to Ann')).toBeVisible()
  expect((await ann.post('/api/list_notifications')).body.total).toBe(1)
  expect((await ben.post('/api/list_notifications')).body.total).toBe(0)
  await expect(dialog.getByRole('button', { name: common.cancel })).toHaveCount(0)
})
