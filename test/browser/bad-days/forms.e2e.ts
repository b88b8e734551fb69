import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, type Locator, type Page, type Route } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { register } from '../../service/applications.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { ORGANIZATIONS, organizationOf } from '../../service/organizations.ts'
import { proven } from '../../service/staff.ts'
import { test } from '../support/test.ts'
import { CHECKED, type Form, OF_A_USER, OF_VISITORS, ofAnOwner, ofTheAdministrator } from './every-form.ts'

const pages = fileURLToPath(new URL('../../../web/src', import.meta.url))

/** Parts of forms, and the search field, which sends nothing that could be lost. */
const PARTS = [
  'forms/form.ts',
  'pages/console/settings/part-form.tsx',
  'pages/console/settings/use-part.tsx',
  'ui/controls/search-field.tsx',
  'ui/dialogs/form-act.tsx',
]

/** The file of each form, once for each form in it. */
function formsInSource(): readonly string[] {
  return globSync('**/*.{ts,tsx}', { cwd: pages })
    .filter((file) => !PARTS.includes(file))
    .flatMap((file) => {
      const source = readFileSync(join(pages, file), 'utf8')
      const forms = source.match(/\b(useForm|usePart)\((?!\{ part: name)|<(FormAct|PartForm)$|<Plain part="/gm) ?? []
      const ownForms = source.match(/<form\b(?!\s*\{\.\.\.form\.props\})/g) ?? []
      return [...forms, ...ownForms].map(() => file)
    })
}

async function surviveAll(page: Page, forms: readonly Form[]): Promise<void> {
  test.slow()
  for (const form of forms) await test.step(`${form.source} at ${form.path}`, () => survive(page, form))
}

test.describe('a form on a bad day', () => {
  test('is tried in one of the tests below', () => {
    const ofConsole = ofTheAdministrator({
      feedbackId: '',
      webhookId: '',
      userId: '',
      applicationId: '',
      organizationId: '',
    })
    const tried = [...OF_VISITORS, ...OF_A_USER, ...ofAnOwner('', ''), ...ofConsole].map(({ source }) => source)

    assert.deepEqual(tried.toSorted(), formsInSource().toSorted())
  })

  test('before the sign-in sends once, says what is wrong, and loses nothing', async ({ page, service }) => {
    await changeSettings(service, 'email', { provider: 'outbox' })

    await surviveAll(page, OF_VISITORS)
  })

  test('of a user sends once and loses nothing, not even with the session', async ({ enterAs, service, ann }) => {
    await changeSettings(service, 'hooks', { own_data_shown: true })
    await changeSettings(service, 'email', { provider: 'outbox' })
    await changeSettings(service, 'authentication', { email_changes: 'verified' })
    const page = await enterAs(ann, '/sign-in')
    await expect(page.getByRole('heading', { name: en.home.title('ann') })).toBeVisible()

    await surviveAll(page, OF_A_USER)
  })

  test('of an organisation sends once and loses nothing, not even with the session', async ({
    enterAs,
    service,
    ann,
  }) => {
    await changeSettings(service, 'email', { provider: 'outbox' })
    await changeSettings(service, 'organizations', ORGANIZATIONS)
    await proven(service, ann)
    const { id } = await organizationOf(ann)
    const page = await enterAs(ann, '/sign-in')
    await expect(page.getByRole('heading', { name: en.home.title('ann') })).toBeVisible()

    await surviveAll(page, ofAnOwner(id, ann.email))
  })

  test('of the console sends once, says what is wrong, and loses nothing, not even with the session', async ({
    openConsole,
    service,
    administrator,
    ann,
    ben,
  }) => {
    await changeSettings(service, 'email', { provider: 'outbox' })
    await changeSettings(service, 'authentication', { impersonation: 'read_only' })
    const feedback = await ann.post('/api/submit_feedback', { type: 'idea', content: 'A second bell' })
    const endpoint = { url: 'https://quiet.example.com/hook', types: ['user.deleted'] }
    const webhook = await administrator.post('/api/admin/create_webhook', endpoint)
    const { id: applicationId } = await register(administrator)
    const { id: organizationId } = await organizationOf(administrator)
    const page = await openConsole('/sign-in')
    await expect(page.getByRole('heading', { name: en.console.overview })).toBeVisible()

    const rows = {
      feedbackId: feedback.body.id,
      webhookId: webhook.body.id,
      userId: ben.id,
      applicationId,
      organizationId,
    }
    await surviveAll(page, ofTheAdministrator(rows))
  })
})

const longWord = 'drawbridge'.repeat(1_000)

const refused = (status: number, code: string) => ({ status, json: { code, message: code } })

/** The labels of buttons that change something existing. */
const EDITS: readonly string[] = [en.common.save, en.config.saveAndTest, en.security.save]

/** Each of a form's bad days, one after the other, on one page. */
async function survive(page: Page, form: Form): Promise<void> {
  await reach(page, form)
  if (form.sends === undefined) return takeLongWord(page, form)
  if (EDITS.includes(form.button)) await pressUnchanged(page, form, form.sends)

  await sendOnceThenLoseTheServer(page, form, form.sends)
  await beRefused(page, form, refused(500, 'INTERNAL_ERROR'), en.failures.INTERNAL_ERROR)
  if (form.isPart) await beRefused(page, form, refused(409, 'CONFIG_CONFLICT'), en.config.conflictTitle)
  if (!form.path.startsWith('/sign') && (await isInside(page))) await signInAgain(page, form)
  await takeLongWord(page, form)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
}

async function reach(page: Page, form: Form): Promise<void> {
  await page.goto(form.path)
  await form.open?.(page)
}

const fieldOf = (page: Page, label: string) => page.locator('form').getByLabel(label, { exact: true }).first()

const formOf = (page: Page, { typed }: Form): Locator =>
  fieldOf(page, Object.keys(typed)[0] ?? assert.fail('a form has a field')).locator('xpath=ancestor::form')

const buttonOf = (page: Page, form: Form) => formOf(page, form).getByRole('button', { name: form.button }).first()

async function type(field: Locator, text: string): Promise<void> {
  const isChoice = await field.evaluate(({ nodeName }) => nodeName === 'SELECT')
  if (isChoice) await field.selectOption(text)
  else if (text === CHECKED) await field.check()
  else await field.fill(text)
}

async function expectTyped(page: Page, { typed }: Form): Promise<void> {
  for (const [label, text] of Object.entries(typed)) {
    const field = fieldOf(page, label)
    if (text === CHECKED) await expect(field).toBeChecked()
    else await expect(field, label).toHaveValue(label === en.verify.digit(1) ? text.slice(0, 1) : text)
  }
}

/** Sends nothing, and the form says why; its button stays within reach of the keyboard. */
async function pressUnchanged(page: Page, form: Form, path: string): Promise<void> {
  const sent: string[] = []
  await page.route(`**${path}`, (route) => {
    sent.push(route.request().url())
    return route.abort()
  })
  await buttonOf(page, form).click()
  await expect(page.getByText(en.form.unchanged)).toBeVisible()

  expect(sent, 'what was not changed is not sent').toEqual([])
  await page.unroute(`**${path}`)
  await reach(page, form)
}

/** The request waits while the button is pressed twice more; then the connection is lost. */
async function sendOnceThenLoseTheServer(page: Page, form: Form, path: string): Promise<void> {
  const held: Route[] = []
  const arrived = Promise.withResolvers<void>()
  await page.route(`**${path}`, (route) => {
    held.push(route)
    arrived.resolve()
  })
  for (const [label, text] of Object.entries(form.typed)) await type(fieldOf(page, label), text)
  await form.choose?.(formOf(page, form))
  // Both presses are in one turn of the page, before it could draw that it is busy.
  await buttonOf(page, form).evaluate((button) => {
    button.click()
    button.click()
  })
  await arrived.promise
  await expect(formOf(page, form).getByRole('img', { name: en.common.loading })).toBeVisible()
  for (const route of held) await route.abort()
  await expect(page.getByText(en.failures.NETWORK).first()).toBeVisible()

  expect(held, 'it is sent once').toHaveLength(1)
  await expectTyped(page, form)
  await page.unroute(`**${path}`)
}

type Refused = ReturnType<typeof refused>

async function beRefused(page: Page, form: Form, answer: Refused, words: string): Promise<void> {
  await page.route(`**${form.sends}`, (route) => route.fulfill(answer))
  await buttonOf(page, form).click()
  await expect(page.getByText(words).first()).toBeVisible()

  await expectTyped(page, form)
  await page.unroute(`**${form.sends}`)
}

/** Pages before the sign-in have no session to lose. */
async function isInside(page: Page): Promise<boolean> {
  const cookies = await page.context().cookies()
  return cookies.some(({ name }) => name.includes('session'))
}

/** The session ends; the user signs in again and finds the page and what was typed. */
async function signInAgain(page: Page, form: Form): Promise<void> {
  await page.route(`**${form.sends}`, (route) => route.fulfill(refused(401, 'UNAUTHORIZED')))
  await buttonOf(page, form).click()
  await page.waitForURL('**/sign-in**')
  const wanted = new URL(page.url()).searchParams.get('next')
  await expect(page.getByText(new RegExp(en.signIn.ended(false)))).toBeVisible()
  await page.unroute(`**${form.sends}`)
  await reach(page, form)

  if (form.path !== '/beta') expect(wanted).toBe(form.path)
  if (!form.isSecret) await expectTyped(page, form)
}

/** A refusal by the server or the form is explained, and no word makes the page wider. */
async function takeLongWord(page: Page, form: Form): Promise<void> {
  const isText = page.locator('input:not([type=checkbox]), textarea')
  let filled = 0
  for (const label of Object.keys(form.typed)) {
    const field = fieldOf(page, label).and(isText)
    if (label === en.verify.digit(1) || (await field.count()) === 0) continue
    await field.fill(longWord)
    filled += 1
  }
  if (filled === 0) return
  const problem = formOf(page, form).locator('[aria-invalid=true]')
  const said = problem.or(page.getByRole('alert').filter({ hasText: /\S/ })).first()
  const taken = form.sends && page.waitForResponse(`**${form.sends}`).then((response) => response.ok())
  await buttonOf(page, form).click()
  const isTaken = await Promise.race([said.waitFor().then(() => false), ...(taken ? [taken] : [])])
  if (!isTaken) await expect(said).toBeVisible()

  const sideways = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
  expect(await page.evaluate<number>(sideways), 'no word makes the page wider').toBeLessThanOrEqual(0)
}
