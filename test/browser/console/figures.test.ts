import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { en } from '../../../web/src/texts/en.ts'
import { zh } from '../../../web/src/texts/zh.ts'
import { Person, people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { choose, fillSignIn } from '../support/acts.ts'
import { openBrowserSession } from '../support/browser-session.ts'

/** On the last day: what the bar counts, the list behind it, and how many rows that list has. */
const LAST_DAY = [
  { kind: 'sign_ins', count: 3, action: 'user.sign_in', rows: 3 },
  { kind: 'people', count: 2, action: 'user.sign_in', rows: 3 },
  { kind: 'refused', count: 1, action: 'user.sign_in_refused', rows: 1 },
] as const

const catalogues = { 'en-US': en, 'zh-CN': zh }

describe('the figures of the overview', () => {
  for (const [locale, texts] of Object.entries(catalogues)) {
    it(`lead from each bar to what it counts, and say so (${locale})`, async () => {
      await using service = await startService()
      const { administrator, ann } = await people(service)
      service.clock.advance({ days: 3 })
      for (let i = 0; i < 2; i++) await ann.signIn()
      await new Person(service, ann.email, 'not the password at all').signIn()
      await using browser = await openBrowserSession(service)
      const page = await browser.openPage({ locale })
      await page.goto('/console')
      await fillSignIn(page, administrator.email, administrator.password, texts)
      const { audit, figures, filters } = texts

      for (const { kind, count, action, rows } of LAST_DAY) {
        await choose(page, figures.what, figures.kinds[kind])
        const chart = page.getByRole('figure', { name: figures.kinds[kind] })
        const bar = chart.locator('[aria-hidden] a').last()
        await bar.hover()
        await bar.getByText(figures.lists[kind]).waitFor()
        const tooltip = await bar.textContent()
        await bar.click()
        await page.getByRole('button', { name: filters.remove(audit.when) }).waitFor()
        const listed = page.getByRole('table', { name: audit.title }).locator('tbody').getByRole('row')
        await listed
          .filter({ hasText: audit.actions[action] })
          .nth(rows - 1)
          .waitFor()

        assert.match(tooltip ?? '', new RegExp(`[:：]\\s*${count} · `))
        assert.match(page.url(), new RegExp(`action=${action}&day=\\d{4}-\\d\\d-\\d\\d$`))
        assert.equal(await listed.count(), rows)
        await page.goto('/console')
      }
      assert.deepEqual(browser.complaints, [])
    })
  }

  it('have no link and no hint on a day without any', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/console')
    await fillSignIn(page, administrator.email, administrator.password)
    const chart = page.getByRole('figure', { name: en.figures.kinds.sign_ups })
    const hint = chart.getByText(en.figures.lists.sign_ups, { exact: false })

    await chart.locator('[aria-hidden] a').waitFor()

    assert.equal(await hint.count(), 1)
    assert.deepEqual(browser.complaints, [])
  })
})
