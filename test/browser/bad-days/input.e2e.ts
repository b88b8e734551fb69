import assert from 'node:assert/strict'
import { expect, type Page } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { choose, effectsRun } from '../support/acts.ts'
import { test } from '../support/test.ts'

test('six million letters are not kept, and the page keeps working', async ({ openConsole }) => {
  const huge = 'drawbridge'.repeat(600_000)
  const page = await openConsole('/console/applications')
  const words = page.getByLabel(en.applications.scopeWords)

  await words.fill(huge)
  await page.getByLabel(en.applications.scopeName).fill('product:bells:read')
  const { length } = await words.inputValue()
  await words.fill('hear the bells')
  await page.getByRole('button', { name: en.applications.declare }).click()

  await expect(page.getByText('hear the bells', { exact: true })).toBeVisible()
  assert.equal(length, huge.length)
})

test.describe('a form in which something is missing', () => {
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

  test('asks for the permission of an access token', async ({ enterAs, ann }) => {
    const page = await enterAs(ann, '/settings/tokens')
    await button(page, en.tokens.add).click()
    await page.getByLabel(en.tokens.name, { exact: true }).fill('The nightly report')

    await button(page, en.tokens.create).click()

    await expect(page.getByRole('alert').getByText(en.tokens.scopesMissing)).toBeVisible()
    const permissions = page.getByRole('group', { name: en.tokens.scopes }).getByRole('checkbox')
    await expect(permissions.first()).toBeFocused()
    await page.keyboard.press('Space')
    await expect(page.getByText(en.tokens.scopesMissing)).toHaveCount(0)
  })

  test('asks for the user to whom a notification goes', async ({ openConsole, administrator }) => {
    const page = await openConsole('/console/notifications?open=new')
    await page.getByLabel(en.publishing.headline).fill('The bell')
    await page.getByLabel(en.publishing.content).fill('It rings at nine.')
    await choose(page, en.publishing.audience, en.publishing.onePerson)

    await button(page, en.publishing.publish).click()

    await expect(page.getByText(en.publishing.personMissing)).toBeVisible()
    await expect(page.getByLabel(en.publishing.findPerson)).toBeFocused()
    assert.equal((await administrator.post('/api/admin/list_notifications')).body.total, 0)
  })

  test('asks for the reply before the message is resolved', async ({ openConsole, administrator, ann }) => {
    const { body } = await ann.post('/api/submit_feedback', { type: 'idea', content: 'Oil the drawbridge' })
    const page = await openConsole(`/console/feedback?open=${body.id}`)

    await button(page, en.inbox.replyAndResolve).click()
    await expect(page.getByText(en.form.required)).toBeVisible()
    await expect(page.getByLabel(en.inbox.reply, { exact: true })).toBeFocused()
    await effectsRun(page)
    await page.keyboard.press('Control+Enter')
    await effectsRun(page)

    const { items } = (await administrator.post('/api/admin/list_feedbacks')).body
    assert.equal(items[0].status, 'new')
  })
})
