import { expect, type Page } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { newcomer, type Person } from '../../service/people.ts'
import { test } from '../support/test.ts'

const { lists, people, common } = en
const LONG = `${'giulia.haddad.'.repeat(3)}167@mail.example.net`

async function crowd(administrator: Person, count: number): Promise<void> {
  await administrator.post('/api/admin/create_user', { email: LONG, name: 'Giulia Haddad' })
  for (let at = 1; at < count; at++)
    await administrator.post('/api/admin/create_user', { email: `user${at}@example.com`, name: `Uma ${at}` })
}

const headings = (page: Page) => page.getByRole('columnheader').allTextContents()

const boxOf = async (page: Page, selector: string) => {
  const box = await page.locator(selector).first().boundingBox()
  if (!box) throw new Error(`${selector} is not shown`)
  return box
}

test.describe('a table', () => {
  test('keeps 260 pixels and one line for what names its rows; other columns leave, the least needed first', async ({
    openConsole,
    administrator,
  }) => {
    await crowd(administrator, 3)
    await administrator.post('/api/submit_feedback', { type: 'idea', content: 'A bell that rings. '.repeat(30) })
    const page = await openConsole('/console/users', { viewport: { width: 1440, height: 900 } })
    await expect(page.getByRole('row').nth(1)).toBeVisible()
    const all = [people.user, common.status, people.lastSignIn, people.factor, people.since]
    expect((await headings(page)).slice(1)).toEqual(all)

    for (const [width, left] of [
      [1250, 5],
      [1024, 3],
      [800, 2],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      await expect.poll(() => headings(page).then((shown) => shown.length - 1), `at ${width}`).toBeGreaterThan(0)
      const visible = await page.locator('th:visible').count()
      expect(visible - 1, `columns at ${width}`).toBeGreaterThanOrEqual(left)
      const cell = await boxOf(page, 'tbody tr td:nth-child(2)')
      expect(cell.width, `first column at ${width}`).toBeGreaterThanOrEqual(260)
      await page.screenshot({ path: test.info().outputPath(`users-${width}.png`) })
      const link = await boxOf(page, 'a[data-row]')
      expect(link.height, `lines at ${width}`).toBeLessThan(30)
    }
    await page.goto('/console/feedback')
    await expect(page.getByRole('row').nth(1)).toBeVisible()
    expect((await boxOf(page, 'tbody tr td:nth-child(2)')).width).toBeGreaterThanOrEqual(260)
  })

  test('has its whole width where columns have left, and a long sender on one line', async ({
    openConsole,
    service,
  }) => {
    const sender = await newcomer(service, LONG)
    await sender.post('/api/submit_feedback', { type: 'idea', content: 'A bell that rings.' })
    const page = await openConsole('/console/audit', { viewport: { width: 1024, height: 900 } })
    await expect(page.getByRole('row').nth(2)).toBeVisible()
    const table = await boxOf(page, 'table')
    const sentence = await boxOf(page, 'tbody tr:nth-child(2) td:nth-child(2)')
    expect(sentence.x + sentence.width).toBeGreaterThan(table.x + table.width - 2)

    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto('/console/feedback')
    await expect(page.getByRole('cell', { name: LONG })).toBeVisible()
    expect((await boxOf(page, 'tbody tr')).height).toBeLessThan(56)
  })

  test('begins at most 230 pixels below the heading, and a row on a phone is at most 80 pixels high', async ({
    openConsole,
    administrator,
  }) => {
    await crowd(administrator, 3)
    const page = await openConsole('/console/users', { viewport: { width: 1280, height: 800 } })
    await expect(page.getByRole('row').nth(1)).toBeVisible()
    await page.screenshot({ path: test.info().outputPath('desk.png') })
    const heading = await boxOf(page, 'h1')
    const row = await boxOf(page, 'tbody tr')
    expect(row.y - heading.y).toBeLessThanOrEqual(230)

    await page.setViewportSize({ width: 390, height: 844 })
    await expect(page.getByRole('list', { name: people.title })).toBeVisible()
    await page.screenshot({ path: test.info().outputPath('phone.png') })
    for (const item of await page.getByRole('list', { name: people.title }).getByRole('listitem').all()) {
      const box = await item.boundingBox()
      expect(box?.height).toBeLessThanOrEqual(80)
    }
  })

  test('is sorted by its headings, and says by which and in which direction', async ({
    openConsole,
    administrator,
  }) => {
    await crowd(administrator, 3)
    const page = await openConsole('/console/users')
    const since = page.getByRole('columnheader', { name: people.since })
    await expect(since).toHaveAttribute('aria-sort', 'descending')

    await since.getByRole('button').click()
    await expect(since).toHaveAttribute('aria-sort', 'ascending')
    await expect(page).toHaveURL(/order=oldest/)
    await page.getByRole('columnheader', { name: people.user }).getByRole('button').click()
    await expect(page.getByRole('columnheader', { name: people.user })).toHaveAttribute('aria-sort', 'ascending')

    await expect(since).not.toHaveAttribute('aria-sort')
  })

  test('says once to screen readers what a search, a filter or the next page has led to, and shows its first row', async ({
    openConsole,
    administrator,
  }) => {
    await crowd(administrator, 30)
    const page = await openConsole('/console/users', { viewport: { width: 1024, height: 600 } })
    await expect(page.getByRole('row').nth(1)).toBeVisible()
    const said = page.getByRole('status')
    await page.getByRole('button', { name: common.next }).click()
    await expect(said.getByText(lists.pageNumber(2), { exact: true })).toHaveCount(1)
    await expect(page.getByRole('row').nth(1)).toBeInViewport()

    await page.getByLabel(people.search).fill('Uma 2')
    await expect(said.getByText(/^\d+ results?$/)).toHaveCount(1)
    await page.getByLabel(people.search).fill('nobody at all')
    await expect(said.getByText(lists.noMatches, { exact: true })).toHaveCount(1)
    await page.getByRole('button', { name: lists.clearFilters }).click()

    await expect(page.getByRole('row').nth(1)).toBeVisible()
    await expect(page.getByLabel(people.search)).toHaveValue('')
  })

  test('offers to select the matches of all pages once those of this one are', async ({
    openConsole,
    administrator,
  }) => {
    await crowd(administrator, 30)
    const page = await openConsole('/console/users')
    await page.getByLabel(lists.chooseAll).check()
    await expect(page.getByText(lists.chosen(20))).toBeVisible()

    await page.getByRole('button', { name: /^Select all \d+ matches$/ }).click()

    await expect(page.getByText(/^3\d rows selected$/)).toBeVisible()
  })
})

/** What a finger presses and is too low for it; links inside a sentence may be. */
const TOO_LOW = `(() => {
  const pressed = 'button, select, summary, input:not([type=hidden]), nav a, [role=option]'
  const areaOf = (one) => (one.matches('input') ? (one.closest('label') ?? one) : one)
  return [...document.querySelectorAll(pressed)]
    .map(areaOf)
    .filter((one) => one.checkVisibility() && !one.closest('.sr-only, dl, h3') && !one.matches('[data-row]'))
    .map((one) => ({ one, box: one.getBoundingClientRect() }))
    .filter(({ box }) => box.width > 1 && box.height < 43.5)
    .map(({ one, box }) => Math.round(box.height) + ' ' + one.outerHTML.slice(0, 160))
})()`

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const

test('on a touch screen everything that is pressed is at least 44 pixels high', async ({
  openConsole,
  administrator,
}) => {
  await crowd(administrator, 3)
  const page = await openConsole('/console/users', PHONE)
  await expect(page.getByRole('list', { name: people.title })).toBeVisible()
  for (const path of ['/console/users', '/console/settings', '/settings', '/settings/access', '/notifications', '/']) {
    await page.goto(path)
    await expect(page.getByRole('main').getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.locator('[data-placeholder]')).toHaveCount(0)
    expect(await page.evaluate<readonly string[]>(TOO_LOW), path).toEqual([])
  }
})
