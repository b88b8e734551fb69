import { expect } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { assertAccessible } from '../support/accessible.ts'
import { choose, effectsRun } from '../support/acts.ts'
import { listenAs, listening, publish, unread, watchRequests } from '../support/live.ts'
import { test } from '../support/test.ts'

test('a page that is open receives a new notification without a request, as do all windows through one stream', async ({
  page: first,
  service,
  administrator,
  ann,
}) => {
  await listenAs(first, ann, '/notifications')
  const second = await first.context().newPage()
  const asked = watchRequests(second)
  await second.goto('/')
  await expect(second.getByText(en.notifications.emptyUnreadTitle)).toBeVisible()
  await effectsRun(second)

  await publish(service, administrator, 'The drawbridge is open')
  await expect(first.getByRole('heading', { name: 'The drawbridge is open' })).toBeVisible()
  await expect(unread(first, 1)).toBeVisible()
  await expect(unread(second, 1)).toBeVisible()
  expect(asked, 'the second window shares the stream of the first').not.toContain('/api/live')

  const taken = listening(second)
  await first.close()
  await taken
  await publish(service, administrator, 'The drawbridge is closed')
  await expect(unread(second, 2)).toBeVisible()
  await expect(second.getByText(en.notifications.arrived).first()).toBeVisible()
})

test('notifications are counted, filtered, and read one by one or all', async ({ enterAs, administrator, ann }) => {
  for (const title of ['One', 'Two', 'Three']) {
    await administrator.post('/api/admin/create_notification', { title, content: `About ${title}` })
  }
  const page = await enterAs(ann, '/')

  await expect(page.getByText(en.home.unreadSome(3))).toBeVisible()
  await page.getByRole('navigation').getByRole('link', { name: en.nav.notifications }).click()
  const two = page.getByRole('listitem').filter({ hasText: 'About Two' })
  await page.emulateMedia({ forcedColors: 'active' })
  await expect(two.locator(':scope > span')).toHaveCSS('background-color', 'rgb(0, 0, 0)')
  await page.emulateMedia({ forcedColors: 'none' })
  await two.getByRole('button', { name: en.notifications.markRead }).click()
  await choose(page, en.common.show, en.notifications.unread)
  await expect(two).toHaveCount(0)
  await expect(page).toHaveURL(/show=unread/)
  await page.reload()
  await expect(page.getByText('About Three')).toBeVisible()
  await assertAccessible(page)
  await expect(page.getByText(/^About /)).toHaveText(['About Three', 'About One'])
  await page.getByRole('button', { name: en.notifications.readAll }).click()
  await expect(page.getByRole('alertdialog', { name: en.notifications.allRead })).toBeVisible()
  await expect(page.getByText(en.notifications.emptyUnreadTitle)).toBeVisible()

  expect((await ann.post('/api/count_unread_notifications')).body.count).toBe(0)
})

test('a notification is written to one user, archived, and brought back by undo', async ({
  openConsole,
  service,
  enterAs,
  administrator,
  ann,
  ben,
}) => {
  await changeSettings(service, 'email', { provider: 'outbox' })
  const page = await openConsole('/console/notifications')
  const seen = async () => {
    const answers = await Promise.all([ann, ben].map((person) => person.post('/api/list_notifications')))
    return answers.map(({ body }) => body.total)
  }

  await page.getByRole('button', { name: en.publishing.write }).click()
  const dialog = page.getByRole('dialog')
  await choose(dialog, en.publishing.audience, en.publishing.onePerson)
  await dialog.getByLabel(en.publishing.findPerson).fill('ann@')
  await dialog.getByRole('button', { name: ann.email }).click()
  await dialog.getByLabel(en.publishing.headline).fill('A word to Ann')
  await dialog.getByLabel(en.publishing.content).fill('Only for your eyes.')
  const preview = dialog.getByRole('region', { name: en.publishing.preview })
  await expect(preview.getByText('Only for your eyes.')).toBeVisible()
  await choose(dialog, en.publishing.level, en.notifications.levels.warning)
  await expect(preview.getByText(en.notifications.levels.warning)).toBeVisible()
  await choose(dialog, en.publishing.preview, en.publishing.previews.bell)
  await expect(preview.getByText('Only for your eyes.')).toBeVisible()
  await dialog.getByLabel(en.publishing.link).fill('javascript:alert(1)')
  await dialog.getByText(en.publishing.alsoEmail).click()
  await choose(dialog, en.publishing.preview, en.publishing.previews.letter)
  const letter = dialog.frameLocator(`iframe[title="${en.publishing.letterNamed}"]`)
  await expect(letter.getByRole('heading', { name: 'A word to Ann' })).toBeVisible()
  await expect(letter.getByText('Only for your eyes.')).toBeVisible()
  await dialog.getByRole('button', { name: en.publishing.publish }).click()
  await expect(dialog.getByText(en.publishing.linkInvalid)).toBeVisible()
  await dialog.getByLabel(en.publishing.link).fill('https://app.example.com/news')
  await dialog.getByRole('button', { name: en.publishing.publish }).click()
  await expect(page.getByRole('button', { name: 'A word to Ann', exact: true })).toBeVisible()
  await expect(dialog).toHaveCount(0)
  const { body } = await administrator.post('/api/admin/list_notifications')
  expect(body.items).toMatchObject([{ also_email: true, level: 'warning' }])
  const reader = await enterAs(ann, '/notifications')
  await expect(reader.getByText(en.notifications.levels.warning)).toBeVisible()
  await expect(reader.getByRole('link', { name: en.notifications.openNamed('A word to Ann') })).toHaveAttribute(
    'href',
    'https://app.example.com/news',
  )
  await assertAccessible(reader)
  expect(await seen()).toEqual([1, 0])
  await page.getByRole('button', { name: en.publishing.archiveNamed('A word to Ann') }).click()
  await expect(page.getByText(en.publishing.archivedNow)).toBeVisible()
  expect(await seen()).toEqual([0, 0])
  await page.getByRole('button', { name: en.common.undo }).click()
  await expect(page.getByText(en.publishing.restoredNow)).toBeVisible()
  expect(await seen()).toEqual([1, 0])
})
