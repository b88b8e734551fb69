import { readFileSync } from 'node:fs'
import { expect } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { veryMany } from '../../service/very-many.ts'
import { assertAccessible } from '../support/accessible.ts'
import { test } from '../support/test.ts'

const { common, filters, lists, people, person, publishing } = en

test.describe('the list of users', () => {
  test('says how far a search that very many match has looked, and searches all of them on request', async ({
    openConsole,
    service,
  }) => {
    await veryMany(service)
    const page = await openConsole('/console/users')
    const pages = page.getByRole('navigation', { name: common.pages })

    await page.getByLabel(people.search).fill('person')
    await expect(page.getByText(people.searchedFirst(3_000))).toBeVisible()
    await expect(pages).toContainText(common.range('1', '20', '20+'))
    await assertAccessible(page)
    await pages.getByRole('button', { name: common.next }).click()
    await expect(pages).toContainText(common.range('21', '40', '40+'))
    await page.getByLabel(people.search).fill('perexa')
    await expect(page.getByRole('paragraph').getByText(people.emptyTitle)).toBeVisible()
    await page.getByRole('button', { name: people.searchAll }).click()

    await expect(page.getByRole('row').filter({ hasText: 'person-7@example.com' })).toBeVisible()
    await expect(page.getByText(people.searchedFirst(3_000))).toHaveCount(0)
  })

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

    await page.getByLabel(common.status, { exact: true }).selectOption('suspended')
    await expect(row(ann.email)).toHaveCount(0)
    await expect(row(ben.email)).toBeVisible()
    await page.getByLabel(common.status, { exact: true }).selectOption('all')
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

    await expect(page.getByRole('paragraph').getByText(people.emptyTitle)).toBeVisible()
    await expect(page).toHaveURL(/signed_in=..2020-01-31/)
  })

  test('shows who never signed in, who came in a month, and who lives in a shard', async ({
    openConsole,
    administrator,
    service,
    ann,
    ben,
  }) => {
    const now = new Date(2026, 2, 1, 0, 30)
    service.clock.advance({ milliseconds: new Date(2026, 1, 28, 23, 30).getTime() - service.clock.now() })
    await administrator.signIn()
    await administrator.post('/api/admin/create_user', { email: 'carl@example.com', name: 'Carl' })
    service.clock.advance({ milliseconds: now.getTime() - service.clock.now() })
    await ann.signIn()
    const page = await openConsole('/console')
    await page.clock.setFixedTime(now)
    await page.goto('/console/shards')
    const row = (email: string) => page.getByRole('row').filter({ hasText: email })
    const lastSignIn = page.getByLabel(people.lastSignIn, { exact: true })

    await page.getByRole('row').filter({ hasText: 'apac-1' }).getByRole('link').click()
    await expect(page).toHaveURL('/console/users?shard=apac-1')
    await expect(row(ann.email)).toBeVisible()
    await page.getByRole('button', { name: filters.remove(en.shards.shard) }).click()
    await lastSignIn.selectOption(people.never)
    await expect(row('carl@example.com')).toBeVisible()
    await expect(row(ann.email)).toHaveCount(0)
    await lastSignIn.selectOption(lists.ranges.month)
    await expect(row(ann.email)).toBeVisible()
    await expect(row(ben.email)).toHaveCount(0)
    await lastSignIn.selectOption(lists.ranges.any)
    await page.getByLabel(people.since, { exact: true }).selectOption(lists.ranges['last-month'])

    await expect(row('carl@example.com')).toBeVisible()
    await expect(row(ann.email)).toHaveCount(0)
  })

  test('returns to the row at which it was left, by its link and by the browser’s button', async ({
    openConsole,
    administrator,
  }) => {
    for (let at = 10; at < 40; at++)
      await administrator.post('/api/admin/create_user', { email: `user${at}@example.com`, name: 'Uma' })
    const page = await openConsole('/console/users?search=uma&page=2')
    const row = page.getByRole('link', { name: 'user12@example.com' })
    const backIs = async () => {
      await expect(row).toBeFocused()
      await expect(row).toBeInViewport()
      await expect(page).toHaveURL('/console/users?search=uma&page=2')
    }

    await row.click()
    await page.getByRole('link', { name: person.backToSearch }).click()
    await backIs()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { name: 'user12@example.com' })).toBeVisible()
    await page.goBack()

    await backIs()
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
