import assert from 'node:assert/strict'
import { expect, type Page } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { zh } from '../../../web/src/texts/zh.ts'
import { basic, queryFor } from '../../service/applications.ts'
import { newVerifier, postForm } from '../../service/grants.ts'
import { assertAccessible } from '../support/accessible.ts'
import { effectsRun } from '../support/acts.ts'
import { test } from '../support/test.ts'

const { applications, consent, lists, webhooks } = en

/** The look of the application below has a button to save, too. */
const settingsOf = (page: Page) => page.locator('#settings')

test.describe('applications in the browser', () => {
  test('are registered in the console and approved', async ({ enterAs, service, administrator, ann }) => {
    const callback = `${service.config.baseUrl}/settings/data`
    const page = await enterAs(administrator, '/sign-in?next=/console/applications')

    await page.getByLabel(applications.scopeName, { exact: true }).fill('product:reports:read')
    await page.getByLabel(applications.scopeWords, { exact: true }).fill('Read your reports')
    await page.getByRole('button', { name: applications.declare }).click()
    await expect(page.getByText('product:reports:read', { exact: true })).toBeVisible()
    await page.getByRole('link', { name: applications.register }).first().click()
    await expect(page.getByRole('heading', { name: applications.question })).toBeFocused()
    await assertAccessible(page)
    await page.getByRole('link', { name: applications.purposes.nextjs }).press('Enter')
    await expect(page.getByRole('heading', { name: applications.purposes.nextjs })).toBeFocused()
    await page.getByLabel(applications.fields.name, { exact: true }).fill('Shop')
    await page.getByLabel(applications.fields.redirect_uris, { exact: true }).fill(callback)
    await page.getByLabel(lists.searchScopes).fill('reports')
    await expect(page.getByRole('status').filter({ hasText: en.lists.results(1) })).toHaveCount(1)
    await page.getByRole('checkbox', { name: 'Read your reports' }).check()
    await page.getByLabel(lists.searchScopes).fill('')
    for (const scope of ['profile', 'email'])
      await page.getByRole('checkbox', { name: new RegExp(`\\b${scope}$`) }).uncheck()
    await assertAccessible(page)
    await page.getByRole('button', { name: applications.register }).click()
    await expect(page.getByRole('heading', { name: 'Shop', level: 1 })).toBeVisible()
    await expect(page.getByText(applications.secretTitle)).toBeVisible()
    const { items } = (await administrator.post('/api/admin/list_applications')).body
    const [{ id, client_id, scopes }] = items
    assert.deepEqual(scopes, ['openid', 'product:reports:read'])
    expect(new URL(page.url()).pathname).toBe(`/console/applications/${id}`)
    const secret = (await page.getByText(/^gas_/).textContent()) ?? ''
    await expect(page.getByRole('region', { name: '.env' })).toHaveText(
      [
        `GATEHOUSE_ISSUER=${service.config.baseUrl}`,
        `GATEHOUSE_CLIENT_ID=${client_id}`,
        `GATEHOUSE_CLIENT_SECRET=${secret}`,
      ].join('\n'),
    )
    await expect(page.getByText(`${service.config.baseUrl}/.well-known/openid-configuration`)).toBeVisible()
    await expect(page.getByText(applications.usersConnected(0))).toBeVisible()
    await assertAccessible(page)
    const application = { id, client_id, client_secret: secret }
    await page.getByRole('link', { name: applications.back }).click()
    await page.getByRole('link', { name: 'Shop' }).click()
    await expect(page.getByRole('region', { name: '.env' })).toBeVisible()
    await expect(page.getByText(secret)).toHaveCount(0)
    const trying = page.context().waitForEvent('page')
    await page.getByRole('link', { name: applications.trySignIn }).click()
    await expect((await trying).getByText('Read your reports')).toBeVisible()

    const verifier = newVerifier()
    const asked = queryFor(application, verifier, {
      redirect_uri: callback,
      scope: 'openid product:reports:read',
      prompt: 'consent',
    })
    const other = await enterAs(ann, `/oauth/authorize?${new URLSearchParams(asked)}`)
    await expect(other.getByText('Read your reports')).toBeVisible()
    await expect(other.getByText(consent.applicationLead)).toBeVisible()
    await assertAccessible(other)
    await other.getByRole('button', { name: consent.approve }).click()
    await expect(other).toHaveURL(/code=/)
    const code = new URL(other.url()).searchParams.get('code') ?? ''
    const form = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier }
    const tokens = await postForm(ann, '/api/oauth/token', form, basic(application))

    await other.goto('/settings/access')
    await expect(other.getByRole('table').getByText('Read your reports')).toBeVisible()
    await page.goto(`/console/users/${ann.id}`)
    await expect(page.getByText('Read your reports', { exact: true })).toBeVisible()
    await page.goto(`/console/applications/${id}`)
    await expect(page.getByText(applications.usersConnected(1))).toBeVisible()
    await page.getByRole('link', { name: ann.email }).click()
    await expect(page).toHaveURL(`/console/users/${ann.id}`)

    assert.equal(tokens.body.scope, 'openid product:reports:read')
  })

  test('the console shows what an application was refused, and what to do about it', async ({
    enterAs,
    administrator,
    ann,
  }) => {
    const redirect_uri = 'https://app.example.com/back'
    const shop = { name: 'Shop', kind: 'web', redirect_uris: [redirect_uri], scopes: ['openid'] }
    const { body: application } = await administrator.post('/api/admin/create_application', shop)
    const asked = { client_id: application.id, redirect_uri, response_type: 'code', scope: 'openid' }
    const page = await enterAs(administrator, `/console/applications/${application.id}`)
    await expect(page.getByLabel(applications.fields.name, { exact: true })).toHaveValue('Shop')
    await expect(page.getByText(applications.noRefusals)).toBeVisible()

    await ann.get(`/oauth/authorize?${new URLSearchParams(asked)}`)
    await page.reload()

    const sentence =
      "code_challenge is missing: switch on PKCE (S256) in the client, or switch off 'Require PKCE' for this application"
    await expect(page.getByText(sentence)).toBeVisible()
    await expect(page.getByText(applications.advice.pkce)).toBeVisible()
    await expect(page.getByText(/, at \/oauth\/authorize from /)).toBeVisible()
    await assertAccessible(page)
    await page.getByRole('link', { name: applications.places.settings }).click()
    await expect(page.getByRole('heading', { name: applications.settings })).toBeFocused()
    await expect(page.getByLabel(applications.fields.require_pkce)).toBeHidden()
    await page.getByText(applications.advanced, { exact: true }).click()
    await page.getByText(applications.fields.require_pkce, { exact: true }).click()
    await settingsOf(page).getByRole('button', { name: en.common.save, exact: true }).click()
    await expect(page.getByText(en.common.saved)).toBeVisible()
    const { body } = await administrator.post('/api/admin/get_application', { id: application.id })
    assert.equal(body.require_pkce, false)
  })

  test('a field that is wrong is shown and focused, also behind the fold', async ({ enterAs, administrator }) => {
    const shop = { name: 'Shop', kind: 'web', redirect_uris: ['https://app.example.com/back'] }
    const { body: application } = await administrator.post('/api/admin/create_application', shop)
    const page = await enterAs(administrator, `/console/applications/${application.id}`)
    const logo = page.getByLabel(applications.fields.logo_url)
    await page.getByText(applications.advanced, { exact: true }).click()
    await logo.fill('ftp://app.example.com/logo.png')
    await page.getByText(applications.advanced, { exact: true }).click()
    await expect(logo).toBeHidden()

    await settingsOf(page).getByRole('button', { name: en.common.save, exact: true }).click()

    await expect(logo).toBeFocused()
    await expect(page.getByText(applications.problems.logo_url)).toBeVisible()
  })

  test('one that does not exist says so, and one that is deleted leads back to the list', async ({
    enterAs,
    administrator,
  }) => {
    const shop = { name: 'Shop', kind: 'web', redirect_uris: ['https://app.example.com/back'] }
    const { body: application } = await administrator.post('/api/admin/create_application', shop)
    const page = await enterAs(administrator, '/console/applications/nobody')
    await expect(page.getByRole('alert').getByText(en.failures.NOT_FOUND)).toBeVisible()

    await page.goto(`/console/applications/${application.id}`)
    await page.getByRole('button', { name: applications.remove, exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: applications.remove }).click()

    await expect(page).toHaveURL('/console/applications')
    await expect(page.getByText(applications.removed)).toBeVisible()
    await expect(page.getByText(applications.emptyTitle)).toBeVisible()
  })

  test('a new secret comes into view', async ({ enterAs, administrator }) => {
    const { body: made } = await administrator.post('/api/admin/create_application', { name: 'Shop', kind: 'service' })
    const viewport = { width: 390, height: 720 }
    const page = await enterAs(administrator, `/console/applications/${made.id}`, { viewport })

    await page.getByRole('button', { name: webhooks.rotate }).click()
    const question = page.getByRole('dialog').filter({ hasText: applications.rotateText })
    await question.getByRole('button', { name: webhooks.rotate }).click()
    await expect(question).toHaveCount(0)
    const secret = page.getByText(/^gas_/)
    await expect(secret).toBeVisible()
    await effectsRun(page)

    await expect(secret).toBeInViewport({ ratio: 1 })
  })

  test('only a command-line client’s sign-in names a terminal', async ({ page, administrator }) => {
    const redirect_uri = 'https://app.example.com/back'
    const shop = { name: 'Shop', kind: 'web', redirect_uris: [redirect_uri], scopes: ['openid'] }
    const { body: application } = await administrator.post('/api/admin/create_application', shop)
    const asked = queryFor(application, newVerifier(), { redirect_uri, scope: 'openid' })
    const ofClient = queryFor({ ...application, client_id: 'cli-client' }, newVerifier(), {
      redirect_uri: 'http://127.0.0.1:4000/callback',
      scope: 'account:profile:read',
    })

    await page.goto(`/oauth/authorize?${new URLSearchParams(asked)}`)
    await expect(page.getByText(en.signIn.lead('Shop'))).toBeVisible()
    await page.goto(`/oauth/authorize?${new URLSearchParams(ofClient)}`)
    await expect(page.getByText(en.signIn.forTerminal)).toBeVisible()
  })

  test('an unknown address is refused before anybody signs in; a hint fills in the address, and the requested language is used', async ({
    page,
    administrator,
  }) => {
    const redirect_uri = 'https://app.example.com/back'
    const shop = { name: 'Shop', kind: 'web', redirect_uris: [redirect_uri], scopes: ['openid'] }
    const { body: application } = await administrator.post('/api/admin/create_application', shop)
    const visit = (changes: Readonly<Record<string, string>>) => {
      const asked = queryFor(application, newVerifier(), { redirect_uri, scope: 'openid', ...changes })
      return page.goto(`/oauth/authorize?${new URLSearchParams(asked)}`)
    }

    await visit({ redirect_uri: 'https://evil.example.com/' })
    await expect(page.getByRole('heading', { name: en.authorize.failedTitle })).toBeVisible()
    await assertAccessible(page)
    await visit({ login_hint: 'ann@example.com', ui_locales: 'fr zh-CN en' })
    await expect(page.getByText(zh.signIn.lead('Shop'))).toBeVisible()
    await expect(page.getByLabel(zh.common.email)).toHaveValue('ann@example.com')
  })

  test('a user who has agreed before is asked for a password alone, and led back', async ({
    enterAs,
    service,
    administrator,
    ann,
  }) => {
    const redirect_uri = `${service.config.baseUrl}/settings/data`
    const shop = { name: 'Shop', kind: 'web', redirect_uris: [redirect_uri], skip_consent: true }
    const { body: application } = await administrator.post('/api/admin/create_application', shop)
    const asked = queryFor(application, newVerifier(), { redirect_uri, prompt: 'login' })
    const page = await enterAs(ann, '/')

    await page.goto(`/oauth/authorize?${new URLSearchParams(asked)}`)
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(en.fresh.password, { exact: true }).fill(ann.password)
    await assertAccessible(page)
    service.clock.advance({ seconds: 5 })
    await dialog.getByLabel(en.fresh.password, { exact: true }).press('Enter')

    await expect(page).toHaveURL(/code=/)
  })

  test('a signed-in user confirms a sign-out that another site requests', async ({ enterAs, ann }) => {
    const page = await enterAs(ann, '/')
    await expect(page.getByRole('heading', { name: en.home.title('ann') })).toBeVisible()

    await page.goto('/oauth/end-session')
    await expect(page.getByText(en.endSession.text)).toBeVisible()
    await expect(page.getByText(en.endSession.unregistered)).toBeHidden()
    await page.goto('/oauth/end-session?post_logout_redirect_uri=https://shop.example.com/')
    await expect(page.getByText(en.endSession.unregistered)).toBeVisible()
    await assertAccessible(page)
    await page.getByRole('button', { name: en.nav.signOut }).click()
    await expect(page).toHaveURL(/sign-in/)
    await page.goto('/oauth/end-session')
    await expect(page.getByRole('heading', { name: en.signIn.title })).toBeVisible()
  })
})
