import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { en } from '../../../web/src/texts/en.ts'
import { people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { choose, effectsRun } from '../support/acts.ts'
import { openBrowserSession } from '../support/browser-session.ts'
import { enterAs } from '../support/enter-as.ts'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const focused = (page: Page, place: Locator) => place.and(page.locator(':focus')).waitFor()

describe('a form in which something is missing', () => {
  it('asks for the permission of an access token', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, ann, '/settings/tokens')
    await page.getByLabel(en.tokens.name, { exact: true }).fill('The nightly report')

    await button(page, en.tokens.create).click()

    await page.getByRole('alert').getByText(en.tokens.scopesMissing).waitFor()
    const permission = page.getByRole('group', { name: en.tokens.scopes }).getByRole('checkbox').first()
    await focused(page, permission)
    await page.keyboard.press('Space')
    await page.getByText(en.tokens.scopesMissing).waitFor({ state: 'detached' })
    assert.deepEqual(browser.complaints, [])
  })

  it('asks for the user to whom a notification goes', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, '/console/notifications?open=new')
    await page.getByLabel(en.publishing.headline).fill('The bell')
    await page.getByLabel(en.publishing.content).fill('It rings at nine.')
    await choose(page, en.publishing.audience, en.publishing.onePerson)

    await button(page, en.publishing.publish).click()

    await page.getByText(en.publishing.personMissing).waitFor()
    await focused(page, page.getByLabel(en.publishing.findPerson))
    assert.equal((await administrator.post('/api/admin/list_notifications')).body.total, 0)
    assert.deepEqual(browser.complaints, [])
  })

  it('asks for the reply before the message is resolved', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const { body } = await ann.post('/api/submit_feedback', { type: 'idea', content: 'Oil the drawbridge' })
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, `/console/feedback?open=${body.id}`)
    const reply = page.getByLabel(en.inbox.reply, { exact: true })

    await button(page, en.inbox.replyAndResolve).click()
    await page.getByText(en.form.required).waitFor()
    await focused(page, reply)
    await effectsRun(page)
    await page.keyboard.press('Control+Enter')
    await effectsRun(page)

    const { items } = (await administrator.post('/api/admin/list_feedbacks')).body
    assert.equal(items[0].status, 'new')
    assert.deepEqual(browser.complaints, [])
  })
})
