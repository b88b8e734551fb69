import assert from 'node:assert/strict'
import type { Locator, Page, Route } from 'playwright-core'
import { en } from '../../../web/src/texts/en.ts'
import { CHECKED, type Form } from './every-form.ts'

const longWord = 'drawbridge'.repeat(1_000)

const refused = (status: number, code: string) => ({ status, json: { code, message: code } })

/** What the button of a form says that changes something which exists already. */
const EDITS: readonly string[] = [en.common.save, en.security.save]

/** Each of a form's bad days, one after the other, on one page. */
export async function survive(page: Page, form: Form): Promise<void> {
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

const buttonOf = (page: Page, form: Form) =>
  formOf(page, form).getByRole('button', { name: form.button }).first()

type Kind = 'select' | 'checkbox' | 'text'

const kindOf = (field: Locator): Promise<Kind> =>
  field.evaluate((element) => {
    if (element.nodeName === 'SELECT') return 'select'
    return element.matches('[type=checkbox]') ? 'checkbox' : 'text'
  })

const TYPE: Readonly<Record<Kind, (field: Locator, text: string) => Promise<unknown>>> = {
  select: (field, text) => field.selectOption(text),
  checkbox: (field, text) => field.setChecked(text === CHECKED),
  text: (field, text) => field.fill(text),
}

async function type(field: Locator, text: string): Promise<void> {
  await TYPE[await kindOf(field)](field, text)
}

async function typedIn(field: Locator): Promise<string> {
  if ((await kindOf(field)) !== 'checkbox') return field.inputValue()
  return (await field.isChecked()) ? CHECKED : ''
}

async function fill(page: Page, form: Form): Promise<void> {
  for (const [label, text] of Object.entries(form.typed)) await type(fieldOf(page, label), text)
  await form.choose?.(formOf(page, form))
}

async function assertTyped(page: Page, form: Form, forgotten: readonly string[] = []): Promise<void> {
  for (const [label, text] of Object.entries(form.typed)) {
    if (forgotten.includes(label)) continue
    const field = fieldOf(page, label)
    await field.waitFor()
    const isDigit = label === en.verify.digit(1)
    assert.equal(await typedIn(field), isDigit ? text.slice(0, 1) : text, label)
  }
}

/** Nothing is sent, and the form says why; its button stays within reach of the keyboard. */
async function pressUnchanged(page: Page, form: Form, path: string): Promise<void> {
  const sent: string[] = []
  await page.route(`**${path}`, (route) => {
    sent.push(route.request().url())
    return route.abort()
  })
  await buttonOf(page, form).click()
  await page.getByText(en.form.unchanged).waitFor()

  assert.deepEqual(sent, [], 'what was not changed is not sent')
  await page.unroute(`**${path}`)
  await reach(page, form)
}

/** Both presses are in one turn of the page, before it could draw that it is busy. */
async function fillAndPressTwice(page: Page, form: Form): Promise<void> {
  await fill(page, form)
  await buttonOf(page, form).evaluate((button) => {
    button.click()
    button.click()
  })
}

/** The request waits while the button is pressed twice more; then the connection is lost. */
async function sendOnceThenLoseTheServer(page: Page, form: Form, path: string): Promise<void> {
  const held: Route[] = []
  const arrived = new Promise<void>((resolve) => {
    void page.route(`**${path}`, (route) => {
      held.push(route)
      resolve()
    })
  })
  await Promise.all([page.waitForRequest(`**${path}`), fillAndPressTwice(page, form)])
  await arrived
  await formOf(page, form).getByRole('img', { name: en.common.loading }).waitFor()
  for (const route of held) await route.abort()
  await page.getByText(en.failures.NETWORK).first().waitFor()

  assert.equal(held.length, 1, 'it is sent once')
  await assertTyped(page, form)
  await page.unroute(`**${path}`)
}

async function beRefused(
  page: Page,
  form: Form,
  answer: ReturnType<typeof refused>,
  words: string,
): Promise<void> {
  await page.route(`**${form.sends}`, (route) => route.fulfill(answer))
  await buttonOf(page, form).click()
  await page.getByText(words).first().waitFor()

  await assertTyped(page, form)
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
  await page.unroute(`**${form.sends}`)
  await reach(page, form)

  if (form.path !== '/beta') assert.equal(wanted, form.path)
  await assertTyped(page, form, form.secret)
}

/** What the server or the form refuses is explained, and no word makes the page wider. */
async function takeLongWord(page: Page, form: Form): Promise<void> {
  const fields = Object.keys(form.typed).filter((label) => label !== en.verify.digit(1))
  const texts = []
  for (const label of fields) {
    const field = fieldOf(page, label)
    if ((await kindOf(field)) !== 'text') continue
    texts.push(field)
    await field.fill(longWord)
  }
  if (texts.length === 0) return
  const problem = formOf(page, form).locator('[aria-invalid=true]')
  const alert = page.getByRole('alert').filter({ hasText: /\S/ })
  const answered = form.sends && page.waitForResponse(`**${form.sends}`)
  await buttonOf(page, form).click()
  const outcome = await Promise.race([
    problem
      .or(alert)
      .first()
      .waitFor()
      .then(() => 'said'),
    ...(answered ? [answered.then((response) => (response.ok() ? 'taken' : 'refused'))] : []),
  ])
  if (outcome === 'refused') await problem.or(alert).first().waitFor()

  const sideways = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
  assert.ok((await page.evaluate<number>(sideways)) <= 0, 'no word makes the page wider')
}
