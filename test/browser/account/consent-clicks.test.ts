import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, it } from 'node:test'
import type { Locator, Page, Route } from 'playwright-core'
import { en } from '../../../web/src/texts/en.ts'
import { queryFor } from '../../service/applications.ts'
import { newVerifier, poll, startDevice } from '../../service/grants.ts'
import { people, stranger } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'
import { assertAccessible } from '../support/accessible.ts'
import { fillSignIn, firstRequest } from '../support/acts.ts'
import { openBrowserSession } from '../support/browser-session.ts'
import { styleOf } from '../support/style-of.ts'

describe('the consent page', () => {
  it('sends one decision and makes one grant, however quickly somebody clicks twice', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const terminal = stranger(service)
    const { body: device } = await startDevice(terminal, 'account:profile:read')
    const page = await browser.openPage()
    const decisions: string[] = []
    const clicked = Promise.withResolvers<void>()
    await page.route('**/api/oauth/decide_authorization', async (route) => {
      decisions.push(route.request().method())
      await clicked.promise
      await route.continue()
    })
    await page.goto(device.verification_uri_complete)
    await fillSignIn(page, ann.email, ann.password)

    await page.getByRole('button', { name: en.consent.approve }).dblclick()
    clicked.resolve()
    await page.getByRole('heading', { name: en.consent.approvedTitle }).waitFor()

    const { status } = await poll(terminal, device.device_code)
    const { body: grants } = await ann.post('/api/list_grants')
    assert.deepEqual([decisions, status, grants.total], [['POST'], 200, 1])
  })

  it('is reached after a limit: the page says how long to wait and lets the user try again', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const { body: device } = await startDevice(stranger(service), 'account:profile:read')
    const page = await browser.openPage()
    const limited = {
      status: 429,
      headers: { 'retry-after': '7' },
      json: { code: 'RATE_LIMITED', message: 'RATE_LIMITED' },
    }
    await firstRequest(page, '/api/oauth/begin_authorization', (route) => route.fulfill(limited))
    await page.goto(device.verification_uri_complete)
    await fillSignIn(page, ann.email, ann.password)

    await page.getByRole('alert').getByText(en.waitSeconds(7)).waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: en.common.tryAgain }).click()

    await page.getByRole('button', { name: en.consent.approve }).waitFor()
  })

  it('is not drawn in a frame of another site', async (t) => {
    await using service = await startService()
    await using browser = await openBrowserSession(service)
    const framing = `<iframe src="${browser.origin}/oauth/consent?request_id=any"></iframe>`
    const site = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(framing)
    })
    t.after(() => {
      site.closeAllConnections()
      site.close()
    })
    await once(site.listen(0, '127.0.0.1'), 'listening')
    const address = site.address()
    assert.ok(address !== null && typeof address === 'object')
    const page = await browser.openPage()

    const refused = page.waitForEvent('console', (message) => /frame-ancestors/.test(message.text()))
    await page.goto(`http://127.0.0.1:${address.port}/`)

    assert.match((await refused).text(), /'none'/)
  })

  it('is not reached by a request that cannot be read: the page says that it is not valid', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()

    await page.goto('/oauth/authorize?client_id=one&client_id=two')
    await fillSignIn(page, ann.email, ann.password)
    await page.getByRole('heading', { name: en.authorize.failedTitle }).waitFor()
    await page.getByText(en.authorize.failures.INVALID_REQUEST).waitFor()

    await assertAccessible(page)
  })

  it('offers nothing more to decide once the request has expired', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const { body: device } = await startDevice(stranger(service), 'account:profile:read')
    const page = await browser.openPage()
    await page.goto(device.verification_uri_complete)
    await fillSignIn(page, ann.email, ann.password)
    const approve = page.getByRole('button', { name: en.consent.approve })
    await approve.waitFor()

    service.clock.advance({ minutes: 20 })
    await approve.click()
    await page.getByRole('heading', { name: en.consent.expiredTitle }).waitFor()

    assert.equal(await approve.count(), 0)
    await assertAccessible(page)
  })

  it('shows no broken picture if the logo of the application cannot be loaded', async () => {
    await using service = await startService()
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()

    await askWithLogo(service, page, { status: 404 })

    await page.locator('main img').waitFor({ state: 'detached' })
  })

  it('shows a logo that is a row of letters as wide as the page has room for', async () => {
    await using service = await startService()
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage({ viewport: { width: 360, height: 740 } })
    const body = '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="40"/>'

    await askWithLogo(service, page, { contentType: 'image/svg+xml', body })

    const logo = page.locator('main img')
    await page.evaluate("document.querySelector('main img').decode()")
    const { width } = (await logo.boundingBox()) ?? assert.fail('the logo has no place')
    assert.ok(width > 250 && width < 300, `it is ${width} wide`)
    assert.deepEqual(browser.complaints, [])
  })

  it('gives a dark logo an edge in the dark, and no button sticks out in forced colours', async () => {
    await using service = await startService()
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage({ colorScheme: 'dark', viewport: { width: 360, height: 740 } })
    const body = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><circle r="9"/></svg>'
    const rightOf = async (part: Locator) => {
      const { x, width } = (await part.boundingBox()) ?? assert.fail('it is not there')
      return x + width
    }

    await askWithLogo(service, page, { contentType: 'image/svg+xml', body })
    const edge = await styleOf(page.locator('main img'), 'filter')
    await page.emulateMedia({ forcedColors: 'active' })
    const button = await rightOf(page.getByRole('button', { name: en.consent.switch }))
    const facts = await rightOf(page.locator('main dl'))

    assert.match(edge ?? '', /drop-shadow/)
    assert.ok(button <= facts, `${button} is beyond ${facts}`)
  })
})

type Logo = Parameters<Route['fulfill']>[0]

/** Ann is asked for her consent to an application whose address for the logo returns this. */
async function askWithLogo(service: Service, page: Page, logo: Logo): Promise<void> {
  const { administrator, ann } = await people(service)
  const callback = 'https://shop.example.com/callback'
  const { body: application } = await administrator.post('/api/admin/create_application', {
    name: 'Shop',
    kind: 'web',
    redirect_uris: [callback],
    logo_url: 'https://shop.example.com/logo',
  })
  await page.route('https://shop.example.com/**', (route) => route.fulfill(logo))
  const asked = { redirect_uri: callback, scope: 'openid' }
  await page.goto(`/oauth/authorize?${new URLSearchParams(queryFor(application, newVerifier(), asked))}`)
  await fillSignIn(page, ann.email, ann.password)
  await page.getByRole('button', { name: en.consent.approve }).waitFor()
}
