import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { en } from '../../../web/src/texts/en.ts'
import { people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { assertAccessible } from '../support/accessible.ts'
import { fillSignIn, paste } from '../support/acts.ts'
import { openBrowserSession } from '../support/browser-session.ts'

/** A key is pressed after the address has changed, before the page has been drawn with it. */
const TYPE_DURING_NEXT_STEP = `
  const { pushState } = history
  history.pushState = (...given) => {
    history.pushState = pushState
    history.pushState(...given)
    document.execCommand('insertText', false, 'n')
  }
`

describe('filters', () => {
  it('of the audit log find a user by a part of the address, and can be removed', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await administrator.saveSettings('credits', { signup_reward_amount: 5 })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/console/audit')
    await fillSignIn(page, administrator.email, administrator.password)

    await page.getByLabel(en.audit.findActor).fill('ann@')
    await page.getByRole('button', { name: 'ann@example.com' }).first().click()
    const chips = page.getByRole('list', { name: en.filters.active })
    await chips.getByText('ann@example.com').waitFor()
    await page
      .getByRole('row')
      .filter({ hasText: administrator.email })
      .first()
      .waitFor({ state: 'detached' })
    await assertAccessible(page)
    await page.getByRole('button', { name: en.filters.remove(en.audit.actor) }).click()
    await page.getByRole('button', { name: en.audit.actions['settings.update'] }).click()
    const chosen = { name: en.audit.actions['settings.update'], selected: true }
    await page.getByRole('option', chosen).waitFor({ state: 'attached' })

    assert.match(page.url(), /action=settings\.update/)
    assert.equal(await chips.count(), 0)
  })

  it('of the inbox show whose messages are seen, and a kind that a client made up can be chosen', async () => {
    await using service = await startService()
    const { administrator, ann, ben } = await people(service)
    await ann.post('/api/submit_feedback', { type: 'wish', content: 'A second bell' })
    await ann.post('/api/submit_feedback', { type: 'idea', content: 'A third bell' })
    await ben.post('/api/submit_feedback', { type: 'wish', content: 'A lantern' })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto(`/console/feedback?user_id=${ann.id}`)
    await fillSignIn(page, administrator.email, administrator.password)

    await page.getByRole('list', { name: en.filters.active }).getByText('ann@example.com').waitFor()
    await page.getByRole('button', { name: 'wish' }).click()
    await page.getByText('A third bell').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: en.filters.remove(en.inbox.sender) }).click()
    await page.getByText('A lantern').waitFor()

    assert.equal(await page.getByLabel(en.inbox.type).inputValue(), 'wish')
  })

  it('of the inbox hold what was typed when a row is pressed before the pause', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await ann.post('/api/submit_feedback', { type: 'idea', content: 'A second bell' })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/console/feedback')
    await fillSignIn(page, administrator.email, administrator.password)
    await page.getByRole('button', { name: 'A second bell' }).waitFor()

    await page.getByLabel(en.inbox.search).fill('bell')
    await page.getByRole('button', { name: 'A second bell' }).click()
    await page.waitForURL(/open=/)

    assert.match(page.url(), /search=bell/)
    assert.deepEqual(browser.complaints, [])
  })

  it('of the users keep a letter that is typed while the list changes', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/console/users')
    await fillSignIn(page, administrator.email, administrator.password)
    const field = page.getByLabel(en.people.search)
    await field.focus()
    await page.evaluate(TYPE_DURING_NEXT_STEP)

    await field.pressSequentially('an')
    await page.waitForURL(/search=ann/)

    assert.equal(await field.inputValue(), 'ann')
    assert.deepEqual(browser.complaints, [])
  })

  it('of the inbox take as much of a pasted text as can be searched for', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const content = 'The bell rings. '.repeat(20)
    await ann.post('/api/submit_feedback', { type: 'idea', content })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/console/feedback')
    await fillSignIn(page, administrator.email, administrator.password)
    await page.getByRole('table').waitFor()

    await paste(page.getByLabel(en.inbox.search), content)
    await page.waitForURL(/search=/)

    await page.getByRole('row').filter({ hasText: 'The bell rings.' }).waitFor()
    assert.deepEqual(browser.complaints, [])
  })

  it('of the users are one step back, however often the typing paused', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/console')
    await fillSignIn(page, administrator.email, administrator.password)
    await page.getByRole('navigation').getByRole('link', { name: en.people.title }).click()
    const field = page.getByLabel(en.people.search)

    for (const typed of ['an', 'ann', 'ann@']) {
      await field.fill(typed)
      await page.waitForURL(`**/console/users?${new URLSearchParams({ search: typed })}`)
    }
    await page.goBack()
    await page.getByText('ben@example.com').waitFor()

    assert.equal(new URL(page.url()).search, '')
    assert.equal(await field.inputValue(), '')
    assert.deepEqual(browser.complaints, [])
  })

  it('of the users are another step back for each visit to the field', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/console/users')
    await fillSignIn(page, administrator.email, administrator.password)
    const field = page.getByLabel(en.people.search)

    await field.fill('ann')
    await page.waitForURL(/search=ann$/)
    await field.blur()
    await field.fill('ben')
    await page.waitForURL(/search=ben$/)
    await page.goBack()
    await page.getByText('ann@example.com').waitFor()

    assert.equal(await field.inputValue(), 'ann')
    assert.deepEqual(browser.complaints, [])
  })
})
