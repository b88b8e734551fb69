import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { en } from '../../../web/src/texts/en.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { type Person, people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { anyWords, fillSignIn } from '../support/acts.ts'
import { openBrowserSession } from '../support/browser-session.ts'
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
  const faults: string[] = []
  for (const form of forms) {
    await survive(page, form).catch((error) => faults.push(`${form.source} at ${form.path}: ${error}`))
  }
  assert.deepEqual(faults, [])
}

async function signIn(page: Page, { email, password }: Person): Promise<void> {
  await page.goto('/sign-in')
  await fillSignIn(page, email, password)
  await page.getByRole('heading', { name: anyWords(en.home.title) }).waitFor()
}

describe('a form on a bad day', () => {
  it('is tried in one of the tests below', () => {
    const tried = [
      ...OF_VISITORS,
      ...OF_A_USER,
      ...ofTheAdministrator({ feedbackId: '', webhookId: '', userId: '' }),
    ]

    assert.deepEqual(tried.map(({ source }) => source).toSorted(), formsInSource().toSorted())
  })

  it('before the sign-in sends once, says what is wrong, and loses nothing', async () => {
    await using service = await startService()
    await changeSettings(service, 'email', { provider: 'outbox' })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()

    await surviveAll(page, OF_VISITORS)

    assert.deepEqual(browser.complaints, [])
  })

  it('of a user sends once, says what is wrong, and loses nothing, not even with the session', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await signIn(page, ann)

    await surviveAll(page, OF_A_USER)

    assert.deepEqual(browser.complaints, [])
  })

  it('of the console sends once, says what is wrong, and loses nothing, not even with the session', async () => {
    await using service = await startService()
    await changeSettings(service, 'email', { provider: 'outbox' })
    const { administrator, ann, ben } = await people(service)
    const { body } = await ann.post('/api/submit_feedback', { type: 'idea', content: 'A second bell' })
    const endpoint = { url: 'https://quiet.example.com/hook', types: ['user.deleted'] }
    const webhook = await administrator.post('/api/admin/create_webhook', endpoint)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await signIn(page, administrator)

    const rows = { feedbackId: body.id, webhookId: webhook.body.id, userId: ben.id }
    await surviveAll(page, ofTheAdministrator(rows))

    assert.deepEqual(browser.complaints, [])
  })
})
