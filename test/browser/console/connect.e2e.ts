import { expect } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { grantFor } from '../../service/grants.ts'
import { assertAccessible } from '../support/accessible.ts'
import { choose, fillSignIn } from '../support/acts.ts'
import { ORIGIN } from '../support/front.ts'
import { test } from '../support/test.ts'

const { applications, common, config, connecting, firstHour } = en
const PUBLIC = 'https://id.example.com'

test.describe('the page "Connect a product"', () => {
  for (const width of [360, 1280]) {
    test(`covers no line with its copy buttons at ${width} pixels`, async ({ openConsole }) => {
      const page = await openConsole('/console/connect', { viewport: { width, height: 800 } })

      await choose(page, connecting.check, connecting.ways.proxy)
      for (const name of [connecting.signIn, connecting.elements, connecting.ways.proxy, connecting.tool]) {
        const code = page.getByRole('region', { name, exact: true })
        const button = page.getByRole('button', { name: connecting.copy(name), exact: true })
        await expect(code).toBeVisible()
        await expect(button).toBeVisible()
        const [text, control] = [await code.boundingBox(), await button.boundingBox()]
        if (!text || !control) throw new Error(`${name} is not shown`)
        const isBeside = control.x >= text.x + text.width || control.y >= text.y + text.height
        expect(isBeside, `${name}: ${JSON.stringify({ text, control })}`).toBe(true)
      }
    })
  }

  test('is opened by the first hour, which lists what is left to do', async ({ openConsole, administrator }) => {
    await administrator.saveSettings('brand', { name: 'Acme', return_origins: ['https://app.acme.example'] })
    const page = await openConsole('/console')

    await expect(page.getByText(firstHour.lead(3, 8))).toBeVisible()
    await assertAccessible(page)
    await grantFor(administrator, 'account:profile:read')
    await page.reload()
    await expect(page.getByText(firstHour.lead(4, 8))).toBeVisible()
    await page.getByRole('link', { name: firstHour.product }).click()
    const link = page.getByRole('region', { name: connecting.signIn })
    const address = `${ORIGIN}/sign-in?return_to=https%3A%2F%2Fapp.acme.example%2F`
    await expect(link.getByText(address)).toBeVisible()
    const elements = page.getByRole('region', { name: connecting.elements })
    await expect(elements.getByText(`src="${ORIGIN}/elements.js"`)).toBeVisible()
    await assertAccessible(page)
  })

  test('shows which pages have loaded the elements, and feedback as it arrives', async ({
    openConsole,
    administrator,
    ann,
    service,
  }) => {
    await administrator.saveSettings('brand', { return_origins: ['https://app.acme.example'] })
    const load = async (origin: string) => {
      await service.request('/elements.js', { headers: { origin } })
      await service.runJob('product-pages')
    }
    const page = await openConsole('/console/connect')
    const seen = page.getByRole('region', { name: connecting.seen })
    const feedback = page.getByRole('region', { name: connecting.latestFeedback })

    await expect(seen.getByText(connecting.unseen)).toBeVisible()
    await expect(feedback.getByText(connecting.noFeedback)).toBeVisible()
    await load('https://app.acme.example')
    await expect(seen.getByText(`https://app.acme.example ${connecting.seenAt}`)).toBeVisible()
    await load('https://forgotten.example')
    await expect(seen.getByText(connecting.unlisted)).toBeVisible()
    await ann.post('/api/submit_feedback', { type: 'idea', content: 'Oil <b>the</b> drawbridge' })
    await service.runJob('events')
    await expect(feedback.getByText('Oil <b>the</b> drawbridge')).toBeVisible()
    await assertAccessible(page)
  })

  test('lets an assistant in that cannot connect: by registration, or by an application of its own', async ({
    openConsole,
    administrator,
    service,
  }) => {
    const register = async () => {
      const body = JSON.stringify({ client_name: 'Helper', redirect_uris: ['http://127.0.0.1/callback'] })
      const headers = { 'content-type': 'application/json' }
      return (await service.request('/register', { method: 'POST', headers, body })).status
    }
    const page = await openConsole('/console/connect')
    const address = page.getByRole('region', { name: connecting.assistantAddress })
    await expect(address.getByText(`${ORIGIN}/mcp`)).toBeVisible()
    expect(await register()).toBe(403)

    await page.getByText(config.fields.registration, { exact: true }).click()
    await page.getByRole('button', { name: common.save, exact: true }).click()
    await expect(page.getByText(config.saved)).toBeVisible()
    expect(await register()).toBe(201)

    await page.getByRole('link', { name: connecting.assistantApplication }).click()
    await expect(page.getByLabel(applications.fields.name, { exact: true })).toHaveValue(connecting.assistantName)
    await assertAccessible(page)
    await page.getByRole('button', { name: applications.register }).click()
    await expect(page.getByText(applications.idTitle)).toBeVisible()

    const { body } = await administrator.post('/api/admin/list_applications')
    const made = body.items.find(({ origin }: { origin: string }) => origin === 'administrator')
    await expect(page.getByText(`--client-id ${made.client_id}`)).toBeVisible()
    expect([made.name, made.kind]).toEqual([connecting.assistantName, 'native'])
    expect(made.redirect_uris).toContain('http://127.0.0.1/callback')
    expect(made.scopes).toContain('operations:feedback:write')
    expect(made.scopes.filter((scope: string) => /^(admin|config):/.test(scope))).toEqual([])
  })

  test('is opened by the first hour at the client, which takes the focus', async ({ openConsole }) => {
    const page = await openConsole('/console', { viewport: { width: 1280, height: 500 } })
    const place = page.getByRole('heading', { name: connecting.tool })

    await page.getByRole('link', { name: firstHour.client }).click()
    for (const act of [() => undefined, () => page.reload()]) {
      await act()
      await expect(place).toBeFocused()
      await expect(place).toBeInViewport({ ratio: 1 })
    }
  })

  test('shows the public address, wherever it was opened', async ({ page, service, administrator }) => {
    const opened = await service.request('/console/connect')
    const body = (await opened.text()).replace(`"public_url":"${ORIGIN}"`, `"public_url":"${PUBLIC}"`)
    const headers = Object.fromEntries(opened.headers)
    await page.route('**/console/connect', (route) => route.fulfill({ headers, body }))
    await page.goto('/sign-in')
    await fillSignIn(page, administrator.email, administrator.password)
    await expect(page).toHaveURL('/console')

    await page.goto('/console/connect')

    const { signIn, check, ways, tool } = connecting
    const shows = async (name: string) => {
      const code = page.getByRole('region', { name, exact: true })
      await expect(code).toContainText(PUBLIC)
      await expect(code).not.toContainText(ORIGIN)
    }
    for (const name of [signIn, tool]) await shows(name)
    for (const way of Object.values(ways)) {
      await choose(page, check, way)
      await shows(way)
    }
  })

  test.describe('of a deployment that names an origin', () => {
    test.use({ serviceOptions: { env: { TRUSTED_ORIGINS: 'https://trusted.example.com' } } })

    test('lists every origin that sign-in can return to', async ({ openConsole, administrator }) => {
      await administrator.saveSettings('brand', { return_origins: ['https://app.example.com'] })
      const page = await openConsole('/console/connect')

      const origins = 'https://app.example.com, https://trusted.example.com'
      await expect(page.getByText(`${connecting.origins}:`)).toContainText(origins)
    })
  })
})
