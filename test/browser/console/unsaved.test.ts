import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { en } from '../../../web/src/texts/en.ts'
import { people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { assertAccessible } from '../support/accessible.ts'
import { fillSignIn } from '../support/acts.ts'
import { openBrowserSession } from '../support/browser-session.ts'

const question = (page: Page) => page.getByRole('dialog', { name: en.unsaved.title })
const keep = (page: Page) => question(page).getByRole('button', { name: en.unsaved.keep }).click()
const discard = (page: Page) => question(page).getByRole('button', { name: en.unsaved.discard }).click()

describe('unsaved work', () => {
  it('in a dialog survives Escape, its close button and Back, until the user discards it', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage({ viewport: { width: 390, height: 844 } })
    await page.goto('/console/notifications')
    await fillSignIn(page, administrator.email, administrator.password)
    await page.getByRole('button', { name: en.publishing.write }).click()
    const editor = page.getByRole('dialog', { name: en.publishing.write })
    await editor.getByLabel(en.publishing.content).fill('A long letter\n'.repeat(60))

    await page.keyboard.press('Escape')
    await question(page).waitFor()
    await assertAccessible(page)
    await keep(page)
    await editor.getByRole('button', { name: en.common.close }).click()
    await keep(page)
    await page.goBack()
    await keep(page)
    const kept = await editor.getByLabel(en.publishing.content).inputValue()
    await editor.getByRole('button', { name: en.common.close }).click()
    await discard(page)
    await editor.waitFor({ state: 'detached' })

    assert.equal(kept.length, 14 * 60)
    assert.match(page.url(), /\/console\/notifications$/)
    assert.deepEqual(browser.complaints, [])
  })

  it('that was saved lets the dialog close', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/console/notifications?open=new')
    await fillSignIn(page, administrator.email, administrator.password)
    const editor = page.getByRole('dialog', { name: en.publishing.write })
    await editor.getByLabel(en.publishing.headline).fill('The bell')
    await editor.getByLabel(en.publishing.content).fill('It rings at nine.')

    await editor.getByRole('button', { name: en.publishing.publish }).click()
    await page.getByRole('button', { name: 'The bell', exact: true }).waitFor()

    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  it('in settings is asked about before another tab, another page or Back takes it away', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/console')
    await fillSignIn(page, administrator.email, administrator.password)
    await page
      .getByRole('navigation', { name: en.nav.label })
      .getByRole('link', { name: en.console.settings })
      .last()
      .click()
    const cooldown = page.getByLabel(en.config.cooldown)
    await cooldown.fill('90')

    await page.getByRole('link', { name: en.config.email, exact: true }).click()
    await keep(page)
    await page.getByRole('link', { name: en.console.users }).click()
    await keep(page)
    await page.goBack()
    await keep(page)
    const kept = await cooldown.inputValue()
    await page.goBack()
    await discard(page)
    await page.getByRole('heading', { name: en.overview.title }).waitFor()

    assert.equal(kept, '90')
    assert.match(page.url(), /\/console$/)
  })

  it('on a message of the inbox is not lost by closing it', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const { body } = await ann.post('/api/submit_feedback', { type: 'idea', content: 'A second bell' })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto(`/console/feedback?open=${body.id}`)
    await fillSignIn(page, administrator.email, administrator.password)
    await page.getByLabel(en.inbox.reply, { exact: true }).fill('It is ordered.')

    await page.keyboard.press('Escape')
    await keep(page)

    assert.equal(await page.getByLabel(en.inbox.reply, { exact: true }).inputValue(), 'It is ordered.')
  })

  it('is not shown to the next user of the same tab, and is kept for the user who wrote it', async () => {
    await using service = await startService()
    const { ann, ben } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    const content = page.getByLabel(en.feedback.content)
    const comeBackAs = async (person: typeof ann) => {
      await page.context().clearCookies()
      await page.goto('/feedback')
      await fillSignIn(page, person.email, person.password)
      await content.waitFor()
      return content.inputValue()
    }
    await comeBackAs(ann)
    await content.fill('Between us')

    const seen = [await comeBackAs(ann), await comeBackAs(ben)]

    assert.deepEqual(seen, ['Between us', ''])
  })

  it('is not asked about by the link that skips the navigation', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/')
    await fillSignIn(page, ann.email, ann.password)
    await page.getByRole('navigation').getByRole('link', { name: en.nav.settings }).click()
    const name = page.getByLabel(en.profile.name)
    await name.fill('Ann of the gate')

    await page.getByRole('link', { name: en.common.skip }).press('Enter')
    await page.locator('main:focus').waitFor()
    await page.getByRole('navigation').getByRole('link', { name: en.nav.feedback }).click()
    await discard(page)
    await page.getByRole('heading', { name: en.feedback.title }).waitFor()
    await page.goBack()
    await name.waitFor()

    assert.equal(new URL(page.url()).pathname, '/settings')
    assert.deepEqual(browser.complaints, [])
  })
})
