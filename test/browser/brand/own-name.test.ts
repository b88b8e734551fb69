import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { type Language, languages } from '../../../web/src/texts/catalogue.ts'
import { en } from '../../../web/src/texts/en.ts'
import { zh } from '../../../web/src/texts/zh.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { startDevice } from '../../service/grants.ts'
import { type Person, people, stranger } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'
import { openBrowserSession } from '../support/browser-session.ts'
import { CONSOLE, FRONT, INSIDE } from '../support/paths.ts'

const catalogues = { en, zh }
const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4.5" cy="4.5" r="4" fill="#7a1f5c"/></svg>'
const logo = { action: 'replace', value: Buffer.from(svg).toString('base64') }

describe('under the operator’s own name', () => {
  it('every letter names the operator alone, as its sender does', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await brandAs(administrator, { logo })
    await changeSettings(service, 'email', { provider: 'outbox' })

    for (const language of Object.keys(languages)) {
      const { body } = await administrator.post('/api/admin/list_letters', { language })
      assert.ok(body.items.length >= 26)
      for (const { kind, subject } of body.items) {
        const letter = await administrator.get(
          `/api/admin/preview_letter?${new URLSearchParams({ kind, language })}`,
        )
        assert.equal(letter.status, 200, kind)
        assert.match(letter.body, /Ostrea/, kind)
        assert.doesNotMatch(`${subject}${letter.body}`, /gatehouse/i, kind)
      }
    }
    await administrator.post('/api/admin/send_test_email', { to: ann.email })
    const [sent] = await service.mail.sentTo(ann.email)
    assert.equal(sent?.from.name, 'Ostrea')
    assert.doesNotMatch(JSON.stringify(sent), /gatehouse/i)
  })

  it('an authenticator app files the account under it', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await brandAs(administrator, {})

    const { body } = await ann.post('/api/auth/two-factor/enable', { password: ann.password })

    assert.match(body.totpURI, /^otpauth:\/\/totp\/Ostrea:/)
    assert.doesNotMatch(body.totpURI, /gatehouse/i)
  })

  it('the documentation of the API is the operator’s too, and a new name shows with the next request', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    const namesOf = async () => {
      const page = await administrator.get('/api/docs')
      const description = await administrator.get('/api/openapi.json')
      return [...page.body.matchAll(/(?<=<(?:title|h1)>)[^<]*/g), description.body.info.title].map(String)
    }
    assert.deepEqual(await namesOf(), ['Gatehouse API', 'Gatehouse API', 'Gatehouse API'])

    await brandAs(administrator, {})

    assert.deepEqual(await namesOf(), ['Ostrea API', 'Ostrea API', 'Ostrea API'])
  })

  for (const language of Object.keys(languages) as Language[]) {
    it(`every page is the operator’s alone, but for one line at the console’s foot: ${languages[language]}`, async () => {
      await using service = await startService()
      const { administrator, ann } = await people(service)
      await brandAs(administrator, { logo })
      await fill(service, ann)
      await using browser = await openBrowserSession(service)
      const page = await browser.openPage({ locale: language })

      const traces = await tracesOn(page, FRONT)
      await signIn(page, administrator, language)
      traces.push(...(await tracesOn(page, INSIDE)))
      await page.goto(`/oauth/authorize?user_code=${await askedCode(service)}`)
      await page.getByRole('button', { name: catalogues[language].consent.approve }).waitFor()
      traces.push(...(await page.evaluate<string[]>(TRACES)))
      traces.push(...(await tracesOn(page, [...CONSOLE, `/console/users/${ann.id}`, '/console/nowhere'])))

      assert.deepEqual(traces, [])
      assert.deepEqual(browser.complaints, [])
    })
  }

  it('a failing server says so under that name too', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await brandAs(administrator, { logo })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.route('**/api/auth/get-session', (route) =>
      route.fulfill({ status: 502, body: 'Bad gateway' }),
    )

    await page.goto('/settings')
    await page.getByRole('heading', { name: en.broken.unreachable }).waitFor()

    assert.deepEqual(await page.evaluate<string[]>(TRACES), [])
  })

  it('without a logo the first letter of the name is shown, in the tab too', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await brandAs(administrator, {})
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()

    await page.goto('/sign-in')
    await page.getByRole('heading', { name: en.signIn.title }).waitFor()

    assert.deepEqual(await page.evaluate<string[]>(TRACES), [])
    const icon = await page.evaluate<string>(`document.querySelector('link[rel=icon]').href`)
    assert.match(decodeURIComponent(icon), /^data:image\/svg\+xml,.*>O<\/text>/)
  })
})

function brandAs(administrator: Person, fields: object) {
  return administrator.saveSettings('brand', { name: 'Ostrea', accent: '#7a1f5c', ...fields })
}

async function fill(service: Service, ann: Person): Promise<void> {
  await ann.post('/api/submit_feedback', { type: 'idea', content: 'A wish' })
  await ann.post('/api/auth/sign-in/email', { email: ann.email, password: ann.password }, TERMINAL)
  await stranger(service).post('/api/auth/sign-in/email', { email: ann.email, password: 'a wrong one' })
}

const TERMINAL = { 'user-agent': 'gatehouse/0.2.0 (linux)' }

async function askedCode(service: Service): Promise<string> {
  const { body } = await startDevice(stranger(service), 'account:profile:read', 'config:brand:write')
  return body.user_code
}

async function signIn(page: Page, { email, password }: Person, language: Language): Promise<void> {
  const { common, signIn: texts, missing } = catalogues[language]
  await page.goto('/sign-in?return_to=%2Fsettings%2Fnowhere')
  await page.getByLabel(common.email).fill(email)
  await page.getByLabel(common.password, { exact: true }).fill(password)
  await page.getByRole('button', { name: texts.submit, exact: true }).click()
  await page.getByRole('heading', { name: missing.title }).waitFor()
}

async function tracesOn(page: Page, paths: readonly string[]): Promise<string[]> {
  const traces: string[] = []
  for (const path of paths) {
    await page.goto(path)
    await page.locator('h1').first().waitFor({ state: 'attached' })
    await page.locator('main .animate-pulse').first().waitFor({ state: 'detached' })
    const found = await page.evaluate<string[]>(TRACES)
    traces.push(...found.map((trace) => `${path}: ${trace}`))
  }
  return traces
}

/** Commands and packages keep their names, which are in code; the one line at the foot is ours. */
const TRACES = `(() => {
  const traces = []
  const whole = document.documentElement.cloneNode(true)
  for (const element of whole.querySelectorAll('code, pre, script')) element.remove()
  if (location.pathname.startsWith('/console')) whole.querySelector('footer p:last-child')?.remove()
  const html = whole.outerHTML
  for (const { index } of html.matchAll(/gatehouse/gi)) traces.push(html.slice(index - 60, index + 40))
  for (const { tagName, src, href } of document.querySelectorAll('img, link[rel~=icon], link[rel=manifest]')) {
    if (!/\\/api\\/brand\\/logo\\?v=|^data:image\\/svg/.test(src || href)) traces.push(tagName + ' ' + (src || href))
  }
  for (const picture of document.querySelectorAll('svg')) {
    const lines = [...picture.querySelectorAll('path')].map((path) => path.getAttribute('d'))
    const arches = lines.filter((line) => /^M\\S+ [^a]*[vV][^a]*a(\\S+) \\1 0 0 1 /.test(line))
    if (arches.length > 1) traces.push('our arches: ' + arches)
  }
  return traces
})()`
