import { expect, type Page } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { zh } from '../../../web/src/texts/zh.ts'
import { Person } from '../../service/people.ts'
import { startProduct } from '../../service/product.ts'
import { assertAccessible } from '../support/accessible.ts'
import { test } from '../support/test.ts'

const { common, config, json, person, webhooks } = en

test.use({ serviceOptions: { env: { WEBHOOK_NETWORKS: '127.0.0.0/8' } } })

const cardOf = (page: Page, title: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) })

test.describe('the page of hooks and claims', () => {
  test('saves a hook, tries it, shows its answers and its new secret once', async ({ openConsole, service, ann }) => {
    await using product = await startProduct((_, response) => response.end('{"allow":false,"message":"Not today"}'))
    const page = await openConsole('/console/settings/hooks')
    const title = config.fields.before_sign_in
    const card = cardOf(page, title)
    await card.getByRole('switch', { name: config.fields.enabled }).check()
    await card.getByLabel(config.fields.url).fill(product.url)
    await card.getByRole('button', { name: common.save }).click()
    await expect(card.getByText(config.problems.on_failure)).toBeVisible()
    await card.getByLabel(config.fields.on_failure).selectOption('refuse')
    await card.getByRole('button', { name: common.save }).click()
    const answers = cardOf(page, config.hookAnswers(title))
    await expect(answers.getByText(config.hookAnswersNone)).toBeVisible()

    await answers.getByRole('button', { name: config.hookTry }).click()
    await expect(answers.getByText('{"allow":false,"message":"Not today"}')).toBeVisible()
    await new Person(service, ann.email, ann.password).signIn()
    await answers.getByRole('button', { name: webhooks.rotate }).click()
    await page.getByRole('dialog').getByRole('button', { name: webhooks.rotate }).click()
    await expect(answers.getByText(/^whsec_/)).toBeVisible()
    await assertAccessible(page)

    await page.reload()
    await expect(answers.getByRole('listitem').filter({ hasText: config.hookOutcomes.refused })).toHaveCount(1)
    await expect(page.getByText(/whsec_|Not today/)).toHaveCount(0)
  })

  test('shows the token that claims would make, and in which line one is wrong', async ({ openConsole }) => {
    const page = await openConsole('/console/settings/hooks')
    const card = cardOf(page, config.fields.claims)
    const field = card.getByLabel(config.fields.claims)
    await field.fill('{\n  "level": { "value": 3 },\n  "sub": { "value": 1 }\n}')
    await card.getByRole('button', { name: common.save }).click()
    await expect(card.getByText(config.claimRefused(3))).toBeVisible()
    await field.fill('{\n  "level": { "value": 3 },\n}')
    await card.getByRole('button', { name: common.save }).click()
    await expect(card.getByText(json.line(3, json.problems.name))).toBeVisible()
    await field.fill('{ "level": { "value": 3 } }')
    await card.getByRole('button', { name: config.claimsShow }).click()

    await expect(card.getByText('"level": 3')).toBeVisible()
    await assertAccessible(page)
  })
})

test.describe('the words of a hook that refuses', () => {
  for (const [language, says, shown] of [
    ['en', { allow: false, message: 'Only <b>members</b> & friends' }, 'Only <b>members</b> & friends'],
    ['zh', { allow: false }, zh.failures.HOOK_REFUSED],
  ] as const)
    test(`are the product’s own, as text, or ours in the reader’s language: ${language}`, async ({
      openPage,
      administrator,
      ann,
    }) => {
      await using product = await startProduct((_, response) => response.end(JSON.stringify(says)))
      const hook = { enabled: true, url: product.url, on_failure: 'refuse' }
      await administrator.saveSettings('hooks', { before_sign_in: hook })
      const page = await openPage({ locale: language })
      const texts = language === 'en' ? en : zh
      await page.goto('/sign-in')
      await page.getByLabel(texts.common.email).fill(ann.email)
      await page.getByLabel(texts.common.password, { exact: true }).fill(ann.password)
      await page.getByRole('button', { name: texts.signIn.submit, exact: true }).click()

      await expect(page.getByText(shown)).toBeVisible()
    })
})

test.describe('the editor of a user’s data', () => {
  test('says what is wrong in which line, and keeps what was typed when somebody else was faster', async ({
    openConsole,
    administrator,
    ann,
  }) => {
    const saves = (change: object) => administrator.post('/api/admin/update_user_data', { id: ann.id, ...change })
    await saves({ public: { plan: 'free', seats: 1 }, private: { crm: 7 } })
    const page = await openConsole(`/console/users/${ann.id}`)
    const card = cardOf(page, person.data)
    const field = card.getByLabel(person.dataParts.public)
    const save = card.getByRole('button', { name: common.save })
    await field.fill('{\n  "plan": "pro"\n  "seats": 1\n}')
    await save.click()
    await expect(card.getByText(json.line(3, json.problems.comma))).toBeVisible()

    await field.fill('{ "plan": "pro" }')
    await saves({ public: { seats: 1, region: 'eu' } })
    await save.click()
    await expect(card.getByText(person.dataConflict)).toBeVisible()
    await expect(field).toHaveValue('{ "plan": "pro" }')
    await card.getByRole('button', { name: config.conflictAction }).click()
    await expect(field).toHaveValue('{\n  "plan": "pro",\n  "region": "eu"\n}')
    await save.click()
    await expect(page.getByText(person.dataSaved)).toBeVisible()
    await assertAccessible(page)

    const { body } = await administrator.post('/api/admin/get_user_data', { id: ann.id })
    expect([body.public, body.private]).toEqual([{ plan: 'pro', region: 'eu' }, { crm: 7 }])
  })
})
