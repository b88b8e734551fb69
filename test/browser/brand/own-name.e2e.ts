import assert from 'node:assert/strict'
import { expect, type Page } from '@playwright/test'
import { type Language, languages } from '../../../web/src/texts/catalogue.ts'
import { en } from '../../../web/src/texts/en.ts'
import { zh } from '../../../web/src/texts/zh.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { startDevice } from '../../service/grants.ts'
import { Person, stranger } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'
import { CONSOLE, FRONT, INSIDE } from '../support/paths.ts'
import { test } from '../support/test.ts'

const catalogues = { en, zh }
const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4.5" cy="4.5" r="4" fill="#7a1f5c"/></svg>'
const logo = { action: 'replace', value: Buffer.from(svg).toString('base64') }

test.describe('under the operator’s own name', () => {
  test('every letter and its sender name the operator alone', async ({ service, administrator, ann }) => {
    await brandAs(administrator, { logo })
    await changeSettings(service, 'email', { provider: 'outbox' })

    for (const language of Object.keys(languages)) {
      const { body } = await administrator.post('/api/admin/list_letters', { language })
      assert.ok(body.items.length >= 26)
      for (const { kind, subject } of body.items) {
        const asked = new URLSearchParams({ kind, language })
        const letter = await administrator.get(`/api/admin/preview_letter?${asked}`)
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

  test('an authenticator app files the account under it', async ({ administrator, ann }) => {
    await brandAs(administrator)

    const { body } = await ann.post('/api/auth/two-factor/enable', { password: ann.password })

    assert.match(body.totpURI, /^otpauth:\/\/totp\/Ostrea:/)
    assert.doesNotMatch(body.totpURI, /gatehouse/i)
  })

  test('the documentation of the API has a new name with the next request', async ({ administrator }) => {
    const namesOf = async () => {
      const page = await administrator.get('/api/docs')
      const description = await administrator.get('/api/openapi.json')
      return [...page.body.matchAll(/(?<=<(?:title|h1)>)[^<]*/g), description.body.info.title].map(String)
    }
    assert.deepEqual(await namesOf(), ['Gatehouse API', 'Gatehouse API', 'Gatehouse API'])

    await brandAs(administrator)

    assert.deepEqual(await namesOf(), ['Ostrea API', 'Ostrea API', 'Ostrea API'])
  })

  for (const language of Object.keys(languages) as Language[]) {
    test(`every page is the operator’s alone, but for one line at the console’s foot: ${languages[language]}`, async ({
      openPage,
      openConsole,
      service,
      administrator,
      ann,
    }) => {
      test.slow()
      await brandAs(administrator, { logo })
      await fill(service, ann)
      const scopes = ['account:profile:read', 'config:brand:write']
      const { body: device } = await startDevice(stranger(service), ...scopes)
      const { missing, consent } = catalogues[language]

      const traces = await tracesOn(await openPage({ locale: language }), FRONT)
      const nowhere = '/sign-in?return_to=%2Fsettings%2Fnowhere'
      const page = await openConsole(nowhere, { locale: language })
      await expect(page.getByRole('heading', { name: missing.title })).toBeVisible()
      traces.push(...(await tracesOn(page, INSIDE)))
      await page.goto(`/oauth/authorize?user_code=${device.user_code}`)
      await expect(page.getByRole('button', { name: consent.approve })).toBeVisible()
      traces.push(...(await tracesOf(page)))
      traces.push(...(await tracesOn(page, [...CONSOLE, `/console/users/${ann.id}`, '/console/nowhere'])))

      assert.deepEqual(traces, [])
    })
  }

  test('a failing server says so under that name too', async ({ page, administrator }) => {
    await brandAs(administrator, { logo })
    const failure = { status: 502, body: 'Bad gateway' }
    await page.route('**/api/auth/get-session', (route) => route.fulfill(failure))

    await page.goto('/settings')

    await expect(page.getByRole('heading', { name: en.broken.unreachable })).toBeVisible()
    assert.deepEqual(await tracesOf(page), [])
  })

  test('without a logo the first letter is shown, in the tab too', async ({ page, administrator }) => {
    await brandAs(administrator)

    await page.goto('/sign-in')

    await expect(page.getByRole('heading', { name: en.signIn.title })).toBeVisible()
    assert.deepEqual(await tracesOf(page), [])
    const icon = await page.evaluate<string>(`document.querySelector('link[rel=icon]').href`)
    assert.match(decodeURIComponent(icon), /^data:image\/svg\+xml,.*>O<\/text>/)
  })
})

function brandAs(administrator: Person, fields: object = {}) {
  return administrator.saveSettings('brand', { name: 'Ostrea', accent: '#7a1f5c', ...fields })
}

/** A session of our own client, and a sign-in that was refused. */
async function fill(service: Service, ann: Person): Promise<void> {
  await ann.post('/api/submit_feedback', { type: 'idea', content: 'A wish' })
  await ann.signIn({ 'user-agent': 'gatehouse/0.2.0 (linux)' })
  await new Person(service, ann.email, 'a wrong one').signIn()
}

async function tracesOn(page: Page, paths: readonly string[]): Promise<string[]> {
  const traces: string[] = []
  for (const path of paths) {
    await page.goto(path)
    await expect(page.locator('h1').first()).toBeAttached()
    await expect(page.locator('main .animate-pulse')).toHaveCount(0)
    traces.push(...(await tracesOf(page)).map((trace) => `${path}: ${trace}`))
  }
  return traces
}

const tracesOf = (page: Page) => page.evaluate<string[]>(TRACES)

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
