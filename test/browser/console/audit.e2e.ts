import { expect } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { zh } from '../../../web/src/texts/zh.ts'
import { stranger } from '../../service/people.ts'
import { assertAccessible } from '../support/accessible.ts'
import { fillSignIn } from '../support/acts.ts'
import { test } from '../support/test.ts'

const { applications, audit, config, webhooks } = zh
/** A status of feedback has that value, and here it is a name. */
const likeACode = 'new'

test.describe('the audit log in the console', () => {
  test('names acts, targets and facts in the reader’s language', async ({ openConsole, administrator }) => {
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
    const page = await openConsole('/console/audit', { locale: 'zh-CN' })

    const table = page.getByRole('table', { name: audit.title })
    const rowOf = (act: keyof typeof audit.about) =>
      table.getByRole('row').filter({ has: page.getByRole('button', { name: audit.about[act] }) })
    await expect(rowOf('application.create')).toBeVisible()
    for (const facts of await table.locator('summary').all()) await facts.click()
    for (const shown of [
      rowOf('settings.update').getByRole('link', { name: config.credits, exact: true }),
      rowOf('settings.update').getByText(config.fields.signup_reward_amount),
      rowOf('webhook.create').getByRole('link', { name: 'https://hooks.example.com/…', exact: true }),
      rowOf('webhook.create').getByText(webhooks.allTypes),
      rowOf('application.create').getByText(applications.kinds.browser),
      rowOf('application.create').getByRole('link', { name: likeACode, exact: true }),
      rowOf('application.create').getByText(declared.description),
    ])
      await expect(shown).toBeVisible()
    await assertAccessible(page)
    await expect(table.locator('dt').filter({ hasText: /^[a-z_]+:$/ })).toHaveCount(0)
  })

  test('names a user by email, and keeps its filters in the address', async ({ openConsole, administrator, ann }) => {
    await administrator.saveSettings('credits', { signup_reward_amount: 5 })
    await administrator.post('/api/admin/suspend_user', { id: ann.id, reason: 'Too many bells' })
    const page = await openConsole('/console/audit')
    const row = (hasText: string) => page.getByRole('row').filter({ hasText })
    const update = en.audit.about['settings.update']

    await expect(row(update).getByText(administrator.email)).toBeVisible()
    await row('Too many bells').getByRole('button', { name: ann.email }).click()
    await expect(page.getByRole('list', { name: en.filters.active }).getByText(ann.email)).toBeVisible()
    await page.getByRole('button', { name: en.filters.remove(en.audit.subject) }).click()
    await page.getByLabel(en.audit.action, { exact: true }).selectOption('settings.update')
    await expect(page).toHaveURL(/action=settings\.update/)
    await expect(row('Too many bells')).toHaveCount(0)
    await expect(row(update).first()).toBeVisible()
  })

  test('shows a refused sign-in, which no event announces', async ({ page, service, administrator, ann }) => {
    await page.clock.install()
    await page.goto('/console/audit')
    await fillSignIn(page, administrator.email, administrator.password)
    await expect(page.getByText(administrator.email).first()).toBeVisible()
    await stranger(service, ann.email).post('/api/auth/sign-in/email', {
      email: ann.email,
      password: 'not this',
    })

    await page.clock.fastForward('00:10')

    const refused = page.getByRole('button', { name: en.audit.actions['user.sign_in_refused'] })
    await expect(refused).toBeVisible()
  })

  test('says from which program somebody signed in, or tried to', async ({ openConsole, ann, service }) => {
    const firefox = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0' }
    await ann.signIn(firefox)
    await stranger(service, ann.email).post(
      '/api/auth/sign-in/email',
      { email: ann.email, password: 'not this' },
      firefox,
    )
    const page = await openConsole('/console/audit?search=ann')
    const row = (hasText: string) => page.getByRole('row').filter({ hasText })

    const device = en.sessions.device('Firefox', 'Linux')
    await expect(row(en.audit.signedInWith(en.audit.ways.credential, device))).toBeVisible()
    const refused = row(en.audit.actions['user.sign_in_refused'])
    await refused.locator('summary').click()
    await expect(refused.getByText(device)).toBeVisible()
  })

  test('has no empty line for missing details on a phone', async ({ openConsole, administrator, ann }) => {
    await administrator.post('/api/admin/mark_verified', { id: ann.id })
    const page = await openConsole('/console/audit?action=user.mark_verified', {
      viewport: { width: 390, height: 844 },
    })
    await expect(page.getByRole('listitem').getByText(en.audit.actions['user.mark_verified'])).toBeVisible()

    await expect(page.locator('main dl:empty')).toHaveCount(0)
  })

  test('leads to the user, and shows one kind of act, one day and one address, with exact times below their day', async ({
    openConsole,
    administrator,
    service,
    ann,
    ben,
  }) => {
    service.clock.advance({ milliseconds: Date.now() - service.clock.now() - 86_400_000 * 20 })
    await administrator.signIn()
    await administrator.post('/api/admin/suspend_user', { id: ben.id, reason: 'Too many bells' })
    service.clock.advance({ days: 20 })
    await ann.signIn()
    const page = await openConsole('/console/audit')
    const row = (hasText: string) => page.getByRole('row').filter({ hasText })
    const day = new Intl.DateTimeFormat('en', { dateStyle: 'full' })
    const action = page.getByLabel(en.audit.action, { exact: true })

    await expect(row('Too many bells')).toBeVisible()
    await expect(page.getByRole('rowheader', { name: day.format(Date.now()) })).toHaveCount(1)
    await page.getByLabel(en.common.when, { exact: true }).selectOption('7d')
    await expect(row('Too many bells')).toHaveCount(0)
    await action.selectOption(en.audit.allOf(en.audit.groups.signIns))
    await expect(page).toHaveURL(/when=7d&action=group%3AsignIns/)
    await page
      .getByRole('button', { name: `${en.filters.only}: 127.` })
      .first()
      .click()
    await expect(page.getByRole('list', { name: en.filters.active }).getByText('127.')).toBeVisible()
    await assertAccessible(page)
    await page.setViewportSize({ width: 390, height: 844 })
    await expect(page.getByRole('heading', { name: day.format(Date.now()) })).toBeVisible()
    await page.getByRole('link', { name: ann.email }).first().click()

    await expect(page.getByRole('heading', { name: ann.email })).toBeVisible()
  })
})
