import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { en } from '../../../web/src/texts/en.ts'
import { zh } from '../../../web/src/texts/zh.ts'
import { people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { assertAccessible } from '../support/accessible.ts'
import { fillSignIn } from '../support/acts.ts'
import { openBrowserSession } from '../support/browser-session.ts'

const { applications, audit, config, filters, webhooks } = zh
const creditsSettings = `${filters.only}: ${audit.subjects.settings} ${config.credits}`
/** With its id; the code of this kind differs only in its small first letter. */
const aWebhook = new RegExp(`^${filters.only}: ${audit.subjects.webhook} \\S`)
/** A status of feedback has that value, and here it is a name. */
const likeACode = 'new'

describe('the audit log in the console', () => {
  it('has no codes in it: acts, targets and facts are in the reader’s language', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await administrator.saveSettings('credits', { signup_reward_amount: 5 })
    await administrator.post('/api/admin/create_webhook', { url: 'https://hooks.example.com/in' })
    const declared = { scope: 'product:bells:read', description: '读取钟声' }
    await administrator.post('/api/admin/declare_product_scope', declared)
    await administrator.post('/api/admin/create_application', {
      name: likeACode,
      kind: 'browser',
      redirect_uris: ['https://app.example.com/back'],
      scopes: ['openid', declared.scope],
    })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage({ locale: 'zh-CN' })
    await page.goto('/console/audit')
    await fillSignIn(page, administrator.email, administrator.password, zh)

    const table = page.getByRole('table', { name: audit.title })
    const rowOf = (act: keyof typeof audit.actions) =>
      table.getByRole('row').filter({ has: page.getByRole('button', { name: audit.actions[act] }) })
    await rowOf('settings.update').getByRole('button', { name: creditsSettings, exact: true }).waitFor()
    await rowOf('settings.update').getByText(config.rewardAmount).waitFor()
    await rowOf('webhook.create').getByRole('button', { name: aWebhook }).waitFor()
    await rowOf('webhook.create').getByText(webhooks.allTypes).waitFor()
    await rowOf('application.create').getByText(applications.kinds.browser).waitFor()
    await rowOf('application.create').getByText(likeACode, { exact: true }).waitFor()
    await rowOf('application.create').getByText(declared.description).waitFor()
    await assertAccessible(page)
    const names = await table.locator('dt').allInnerTexts()

    assert.deepEqual(
      names.filter((name) => /^[a-z_]+:$/.test(name)),
      [],
    )
    assert.deepEqual(browser.complaints, [])
  })

  it('a user to whom something was done is named by address', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await administrator.post('/api/admin/suspend_user', { id: ann.id, reason: 'Too many bells' })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()

    await page.goto('/console/audit')
    await fillSignIn(page, administrator.email, administrator.password)
    const row = page.getByRole('row').filter({ hasText: 'Too many bells' })
    await row.getByRole('button', { name: ann.email }).click()
    await page.getByRole('button', { name: en.filters.remove(en.audit.subject) }).waitFor()

    await page.getByRole('list', { name: en.filters.active }).getByText(ann.email).waitFor()
    assert.deepEqual(browser.complaints, [])
  })

  it('an act without details has no empty line for them on a phone', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await administrator.post('/api/admin/mark_verified', { id: ann.id })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage({ viewport: { width: 390, height: 844 } })

    await page.goto('/console/audit?action=user.mark_verified')
    await fillSignIn(page, administrator.email, administrator.password)
    await page.getByRole('listitem').getByText(en.audit.actions['user.mark_verified']).waitFor()

    assert.equal(await page.locator('main dl:empty').count(), 0)
    assert.deepEqual(browser.complaints, [])
  })
})
