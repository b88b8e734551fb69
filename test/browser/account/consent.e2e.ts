import assert from 'node:assert/strict'
import { expect, type Locator, type Page, type Route } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { bearer, queryFor } from '../../service/applications.ts'
import { newVerifier, poll, startDevice } from '../../service/grants.ts'
import { organizationOf } from '../../service/organizations.ts'
import { type Person, stranger } from '../../service/people.ts'
import { assertAccessible } from '../support/accessible.ts'
import { fillSignIn, firstRequest } from '../support/acts.ts'
import { test } from '../support/test.ts'

const { consent, authorize } = en
const approve = (page: Page) => page.getByRole('button', { name: consent.approve })

test.describe('the consent page', () => {
  test('sends one decision for two clicks, and makes one grant', async ({ enterAs, service, ann }) => {
    const terminal = stranger(service)
    const { body: device } = await startDevice(terminal, 'account:profile:read')
    const page = await enterAs(ann, device.verification_uri_complete)
    const decisions: string[] = []
    const clicked = Promise.withResolvers<void>()
    await page.route('**/api/oauth/decide_authorization', async (route) => {
      decisions.push(route.request().method())
      await clicked.promise
      await route.continue()
    })

    await approve(page).dblclick()
    clicked.resolve()
    await expect(page.getByRole('heading', { name: consent.approvedTitle })).toBeVisible()

    const { status } = await poll(terminal, device.device_code)
    const { body: grants } = await ann.post('/api/list_grants')
    assert.deepEqual([decisions, status, grants.total], [['POST'], 200, 1])
  })

  test('lets the user choose the organisation in which a tool acts, for good', async ({
    enterAs,
    service,
    administrator,
    ann,
  }) => {
    await administrator.saveSettings('organizations', { creation: 'everyone' })
    const rowers = await organizationOf(ann)
    await organizationOf(ann, { name: 'Chess' })
    const terminal = stranger(service)
    const { body: device } = await startDevice(terminal, 'account:profile:read')
    const page = await enterAs(ann, device.verification_uri_complete)

    const choice = page.getByLabel(consent.actsIn)
    await expect(choice.locator('option')).toHaveText([consent.noOrganization, 'Rowers', 'Chess'])
    await assertAccessible(page)
    await choice.selectOption('Rowers')
    await approve(page).click()
    await expect(page.getByRole('heading', { name: consent.approvedTitle })).toBeVisible()
    const { body: tokens } = await poll(terminal, device.device_code)
    const { headers } = await terminal.get('/api/verify', bearer(tokens.access_token))
    assert.equal(headers.get('x-org-id'), rowers.id)
  })

  test('keeps host and port on one line of a narrow phone', async ({ enterAs, service, ann }) => {
    const { body: device } = await startDevice(stranger(service), 'account:profile:read')
    const page = await enterAs(ann, device.verification_uri_complete)
    await page.setViewportSize({ width: 320, height: 640 })
    const { origin, host } = new URL(service.config.baseUrl)

    const lines = await page.getByText(origin, { exact: true }).evaluate((element, length) => {
      const range = element.ownerDocument.createRange()
      const [text] = element.childNodes
      if (!text?.textContent) throw new Error('the element has no text')
      range.setStart(text, text.textContent.length - length)
      range.setEnd(text, text.textContent.length)
      return range.getClientRects().length
    }, host.length)

    assert.equal(lines, 1)
  })

  test('says how long to wait after a limit, and offers another try', async ({ page, service, ann }) => {
    const { body: device } = await startDevice(stranger(service), 'account:profile:read')
    const json = { code: 'RATE_LIMITED', message: 'RATE_LIMITED' }
    const limited = { status: 429, headers: { 'retry-after': '7' }, json }
    await firstRequest(page, '/api/oauth/begin_authorization', (route) => route.fulfill(limited))
    await page.goto(device.verification_uri_complete)
    await fillSignIn(page, ann.email, ann.password)

    await expect(page.getByRole('alert').getByText(en.waitSeconds(7))).toBeVisible()
    await assertAccessible(page)
    await page.getByRole('button', { name: en.common.tryAgain }).click()

    await expect(approve(page)).toBeVisible()
  })

  test('stays empty in a frame of another site', async ({ page, service, complaints }) => {
    await page.setContent(`<iframe src="${service.config.baseUrl}/oauth/consent?request_id=any"></iframe>`)

    await expect.poll(() => complaints.join()).toMatch(/frame-ancestors 'none'/)
    complaints.length = 0
  })

  test('says that a request which cannot be read is not valid, before anybody signs in', async ({ page }) => {
    await page.goto('/oauth/authorize?client_id=one&client_id=two')

    await expect(page.getByRole('heading', { name: authorize.failedTitle })).toBeVisible()
    await expect(page.getByText(authorize.failures.INVALID_REQUEST)).toBeVisible()
    await assertAccessible(page)
  })

  test('offers nothing more to decide once the request has expired', async ({ enterAs, service, ann }) => {
    const { body: device } = await startDevice(stranger(service), 'account:profile:read')
    const page = await enterAs(ann, device.verification_uri_complete)
    await expect(approve(page)).toBeVisible()

    service.clock.advance({ minutes: 20 })
    await approve(page).click()

    await expect(page.getByRole('heading', { name: consent.expiredTitle })).toBeVisible()
    await expect(approve(page)).toHaveCount(0)
    await assertAccessible(page)
  })

  test('of an application says where it leads, and folds away where it was asked from', async ({
    enterAs,
    administrator,
    ann,
  }) => {
    const redirect_uri = 'https://shop.example/callback'
    const shop = { name: 'Corner Shop', kind: 'web', redirect_uris: [redirect_uri], home_url: 'https://shop.example/' }
    const { body: application } = await administrator.post('/api/admin/create_application', shop)
    const asked = queryFor(application, newVerifier(), { redirect_uri, scope: 'openid' })
    const page = await enterAs(ann, `/oauth/authorize?${new URLSearchParams(asked)}`)
    const from = page.getByText(consent.from, { exact: true })

    await expect(page.getByRole('heading', { name: consent.continueTo('Corner Shop') })).toBeVisible()
    await expect(page.getByText(consent.returnsTo('shop.example'))).toBeVisible()
    await expect(page.getByText('shop.example', { exact: true })).toHaveCSS('font-weight', '600')
    await expect(page.getByText(consent.target, { exact: true })).toHaveCount(0)
    await expect(from).toBeHidden()
    await page.getByText(consent.details, { exact: true }).press('Enter')
    await expect(from).toBeVisible()
    await expect(page.getByRole('link', { name: 'https://shop.example/' })).toBeVisible()
    await assertAccessible(page)
  })

  test('shows no broken picture if the logo cannot be loaded', async ({ page, persons }) => {
    await askWithLogo(page, persons, { status: 404 })

    await expect(page.locator('main img')).toHaveCount(0)
  })

  test('fits a wide, dark logo and its buttons into a narrow, dark page', async ({ openPage, persons }) => {
    const page = await openPage({ colorScheme: 'dark', viewport: { width: 360, height: 740 } })
    const body = '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="40"><circle r="9"/></svg>'
    const placeOf = async (part: Locator) => (await part.boundingBox()) ?? assert.fail('it has no place')

    await askWithLogo(page, persons, { contentType: 'image/svg+xml', body })
    await page.evaluate("document.querySelector('main img').decode()")
    const { width } = await placeOf(page.locator('main img'))
    await expect(page.locator('main img')).toHaveCSS('filter', /drop-shadow/)
    await page.emulateMedia({ forcedColors: 'active' })
    const button = await placeOf(page.getByRole('button', { name: consent.switch }))
    const facts = await placeOf(page.locator('main details'))

    assert.ok(width > 100 && width < 200, `the logo is ${width} wide`)
    assert.ok(button.x + button.width <= facts.x + facts.width, 'the button sticks out in forced colours')
  })
})

type Persons = Readonly<Record<'administrator' | 'ann', Person>>
type Logo = Parameters<Route['fulfill']>[0]

/** Asks Ann for her consent to an application whose logo address returns this. */
async function askWithLogo(page: Page, { administrator, ann }: Persons, logo: Logo): Promise<void> {
  const redirect_uri = 'https://shop.example.com/callback'
  const { body: application } = await administrator.post('/api/admin/create_application', {
    name: 'Shop',
    kind: 'web',
    redirect_uris: [redirect_uri],
    logo_url: 'https://shop.example.com/logo',
  })
  await page.route('**/api/oauth/client_logo?*', (route) => route.fulfill(logo))
  const asked = queryFor(application, newVerifier(), { redirect_uri, scope: 'openid' })
  await page.goto(`/oauth/authorize?${new URLSearchParams(asked)}`)
  await fillSignIn(page, ann.email, ann.password)
  await expect(approve(page)).toBeVisible()
}
