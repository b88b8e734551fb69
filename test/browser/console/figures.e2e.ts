import { expect } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { zh } from '../../../web/src/texts/zh.ts'
import { Person } from '../../service/people.ts'
import { choose } from '../support/acts.ts'
import { test } from '../support/test.ts'

/** The last day: what the bar counts, the list behind it, and the number of its rows. */
const LAST_DAY = [
  { kind: 'sign_ins', count: 3, action: 'user.sign_in', rows: 3 },
  { kind: 'people', count: 2, action: 'user.sign_in', rows: 3 },
  { kind: 'refused', count: 1, action: 'user.sign_in_refused', rows: 1 },
] as const

test.describe('the figures of the overview', () => {
  for (const [locale, texts] of Object.entries({ 'en-US': en, 'zh-CN': zh })) {
    test(`lead from each bar to what it counts (${locale})`, async ({ openConsole, service, ann }) => {
      service.clock.advance({ days: 3 })
      for (let i = 0; i < 2; i++) await ann.signIn()
      await new Person(service, ann.email, 'not the password at all').signIn()
      const page = await openConsole('/console', { locale, timezoneId: 'Pacific/Auckland' })
      const { audit, figures, common } = texts

      for (const { kind, count, action, rows } of LAST_DAY) {
        await choose(page, common.show, figures.kinds[kind])
        const chart = page.getByRole('figure', { name: figures.kinds[kind] })
        const bar = chart.locator('[aria-hidden] a').last()
        await bar.hover()
        await expect(bar.getByText(figures.lists[kind])).toBeVisible()
        await expect(bar).toHaveText(new RegExp(`[:：]\\s*${count} · `))
        await bar.click()
        await expect(page).toHaveURL(new RegExp(`action=${action}&when=(\\d{4}-\\d\\d-\\d\\d)..\\1$`))
        // The row above a day's entries names the day, and has no cell.
        const entries = page.getByRole('table', { name: audit.title }).getByRole('row')
        const listed = entries.filter({ has: page.getByRole('cell') })
        await expect(listed.filter({ hasText: audit.actions[action] })).toHaveCount(rows)
        await expect(listed).toHaveCount(rows)
        await page.goto('/console')
      }
    })
  }

  test('lead from a day’s sign-ups to its users, with the health of each store', async ({ openConsole }) => {
    const { figures } = en
    const page = await openConsole('/console')
    const chart = page.getByRole('figure', { name: figures.kinds.sign_ups })

    await expect(page.getByRole('link', { name: `${en.overview.users} 3` })).toBeVisible()
    const shard = page.getByRole('listitem').filter({ hasText: 'apac-1' })
    await expect(shard.getByText(en.overview.up)).toBeVisible()
    // Only the day that has any is a link, and has a link's hint.
    await expect(chart.locator('[aria-hidden] a')).toHaveCount(1)
    await expect(chart.getByText(figures.lists.sign_ups)).toHaveCount(1)
    await chart.getByText(figures.table).click()
    await expect(chart.getByRole('row').getByText(/^3$/)).toBeVisible()
    const signIns = page.getByRole('figure', { name: figures.kinds.sign_ins })
    await expect(signIns.getByText(figures.table)).toBeVisible()
    await chart.getByRole('row').getByRole('link').click()
    await expect(page.getByRole('row').filter({ hasText: 'ann@example.com' })).toBeVisible()
    await expect(page).toHaveURL(/joined=(\d{4}-\d\d-\d\d)\.\.\1$/)
  })
})
