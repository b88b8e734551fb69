import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, type Page } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { anyWords, choose, effectsRun } from '../support/acts.ts'
import { test } from '../support/test.ts'
import { type Form, OF_A_USER, OF_VISITORS, ofTheAdministrator } from './every-form.ts'
import { survive } from './survive.ts'

const pages = fileURLToPath(new URL('../../../web/src', import.meta.url))

/** Parts of forms, and the search field, which sends nothing that could be lost. */
const PARTS = [
  'forms/form.ts',
  'pages/console/settings/use-part.ts',
  'ui/controls/search-field.tsx',
  'ui/dialogs/form-act.tsx',
  'ui/dialogs/confirm-dialog.tsx',
]

/** The file of each form, as often as it has one. */
function formsInSource(): readonly string[] {
  return globSync('**/*.{ts,tsx}', { cwd: pages })
    .filter((file) => !PARTS.includes(file))
    .flatMap((file) => {
      const source = readFileSync(join(pages, file), 'utf8')
      const forms = source.match(/\b(useForm|usePart)\(|<FormAct$/gm) ?? []
      const ownForms = source.match(/<form\b(?!\s*\{\.\.\.form\.props\})/g) ?? []
      return [...forms, ...ownForms].map(() => file)
    })
}

async function surviveAll(page: Page, forms: readonly Form[]): Promise<void> {
  test.slow()
  for (const form of forms) await test.step(`${form.source} at ${form.path}`, () => survive(page, form))
}

const expectHome = (page: Page) =>
  expect(page.getByRole('heading', { name: anyWords(en.home.title) })).toBeVisible()

test.describe('a form on a bad day', () => {
  test('is tried in one of the tests below', () => {
    const ofConsole = ofTheAdministrator({ feedbackId: '', webhookId: '', userId: '' })
    const tried = [...OF_VISITORS, ...OF_A_USER, ...ofConsole].map(({ source }) => source)

    assert.deepEqual(tried.toSorted(), formsInSource().toSorted())
  })

  test('before the sign-in sends once, says what is wrong, and loses nothing', async ({ page, service }) => {
    await changeSettings(service, 'email', { provider: 'outbox' })

    await surviveAll(page, OF_VISITORS)
  })

  test('of a user sends once and loses nothing, not even with the session', async ({ enterAs, ann }) => {
    const page = await enterAs(ann, '/sign-in')
    await expectHome(page)

    await surviveAll(page, OF_A_USER)
  })

  test('of the console sends once, says what is wrong, and loses nothing, not even with the session', async ({
    enterAs,
    service,
    administrator,
    ann,
    ben,
  }) => {
    await changeSettings(service, 'email', { provider: 'outbox' })
    const feedback = await ann.post('/api/submit_feedback', { type: 'idea', content: 'A second bell' })
    const endpoint = { url: 'https://quiet.example.com/hook', types: ['user.deleted'] }
    const webhook = await administrator.post('/api/admin/create_webhook', endpoint)
    const page = await enterAs(administrator, '/sign-in')
    await expectHome(page)

    const rows = { feedbackId: feedback.body.id, webhookId: webhook.body.id, userId: ben.id }
    await surviveAll(page, ofTheAdministrator(rows))
  })
})

test('six million letters are not kept, and the page keeps working', async ({ enterAs, administrator }) => {
  const huge = 'drawbridge'.repeat(600_000)
  const page = await enterAs(administrator, '/console/applications')
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
    await page.getByLabel(en.tokens.name, { exact: true }).fill('The nightly report')

    await button(page, en.tokens.create).click()

    await expect(page.getByRole('alert').getByText(en.tokens.scopesMissing)).toBeVisible()
    const permissions = page.getByRole('group', { name: en.tokens.scopes }).getByRole('checkbox')
    await expect(permissions.first()).toBeFocused()
    await page.keyboard.press('Space')
    await expect(page.getByText(en.tokens.scopesMissing)).toHaveCount(0)
  })

  test('asks for the user to whom a notification goes', async ({ enterAs, administrator }) => {
    const page = await enterAs(administrator, '/console/notifications?open=new')
    await page.getByLabel(en.publishing.headline).fill('The bell')
    await page.getByLabel(en.publishing.content).fill('It rings at nine.')
    await choose(page, en.publishing.audience, en.publishing.onePerson)

    await button(page, en.publishing.publish).click()

    await expect(page.getByText(en.publishing.personMissing)).toBeVisible()
    await expect(page.getByLabel(en.publishing.findPerson)).toBeFocused()
    assert.equal((await administrator.post('/api/admin/list_notifications')).body.total, 0)
  })

  test('asks for the reply before the message is resolved', async ({ enterAs, administrator, ann }) => {
    const { body } = await ann.post('/api/submit_feedback', { type: 'idea', content: 'Oil the drawbridge' })
    const page = await enterAs(administrator, `/console/feedback?open=${body.id}`)

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
