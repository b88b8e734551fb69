import assert from 'node:assert/strict'
import { expect } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { zh } from '../../../web/src/texts/zh.ts'
import { basic, queryFor } from '../../service/applications.ts'
import { newVerifier, postForm } from '../../service/grants.ts'
import { assertAccessible } from '../support/accessible.ts'
import { effectsRun } from '../support/acts.ts'
import { test } from '../support/test.ts'

const { applications, consent, webhooks } = en

test.describe('applications in the browser', () => {
  test('are registered in the console and approved', async ({ enterAs, service, administrator, ann }) => {
    const callback = `${service.config.baseUrl}/settings/data`
    const page = await enterAs(administrator, '/sign-in?next=/console/applications')

    await page.getByLabel(applications.scopeName, { exact: true }).fill('product:reports:read')
    await page.getByLabel(applications.scopeWords, { exact: true }).fill('Read your reports')
    await page.getByRole('button', { name: applications.declare }).click()
    await expect(page.getByText('product:reports:read', { exact: true })).toBeVisible()
    await page.getByRole('button', { name: applications.register }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(applications.fields.name, { exact: true }).fill('Shop')
    await dialog.getByLabel(applications.fields.redirect_uris, { exact: true }).fill(callback)
    await dialog.getByLabel(applications.fields.scopes, { exact: true }).fill('openid\nproduct:reports:read')
    await assertAccessible(page)
    await dialog.getByRole('button', { name: applications.register }).click()
    await expect(page.getByText(applications.secretTitle)).toBeVisible()
    const secret = (await page.getByText(/^gas_/).textContent()) ?? ''
    await expect(page.getByText(`${service.config.baseUrl}/.well-known/openid-configuration`)).toBeVisible()
    const opened = page.context().waitForEvent('page')
    await page.getByRole('link', { name: applications.connect }).click()
    await expect((await opened).getByRole('heading', { name: en.connecting.openId })).toBeFocused()
    await assertAccessible(page)
    const { items } = (await administrator.post('/api/admin/list_applications')).body
    const application = { id: items[0].id, client_id: items[0].client_id, client_secret: secret }
    await page.reload()
    await expect(page.getByRole('button', { name: 'Shop' })).toBeVisible()
    await expect(page.getByText(/^gas_/)).toHaveCount(0)
    await assertAccessible(page)

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
    await expect(other.getByText('Read your reports')).toBeVisible()
    await page.goto(`/console/users/${ann.id}`)
    await expect(page.getByText('Read your reports', { exact: true })).toBeVisible()

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
    const page = await enterAs(administrator, '/console/applications')
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Shop' }).click()
    await expect(dialog.getByLabel(applications.fields.name, { exact: true })).toHaveValue('Shop')
    await expect(dialog.getByText(applications.refused)).toHaveCount(0)

    await ann.get(`/oauth/authorize?${new URLSearchParams(asked)}`)
    await page.reload()
    await page.getByRole('button', { name: 'Shop' }).click()

    const sentence =
      "code_challenge is missing: switch on PKCE (S256) in the client, or switch off 'Require PKCE' for this application"
    await expect(dialog.getByText(applications.refused)).toBeVisible()
    await expect(dialog.getByText(sentence)).toBeVisible()
    await expect(dialog.getByText(applications.advice.pkce)).toBeVisible()
    await expect(dialog.getByText(/, at \/oauth\/authorize from /)).toBeVisible()
    await assertAccessible(page)
  })

  test('a new secret comes into view, far down the list too', async ({ enterAs, administrator }) => {
    for (let number = 0; number < 18; number += 1)
      await administrator.post('/api/admin/create_application', { name: `Shop ${number}`, kind: 'service' })
    const viewport = { width: 1280, height: 720 }
    const page = await enterAs(administrator, '/console/applications', { viewport })

    await page.getByText('Shop 0', { exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: webhooks.rotate }).click()
    const question = page.getByRole('dialog').filter({ hasText: applications.rotateText })
    await question.getByRole('button', { name: webhooks.rotate }).click()
    await expect(question).toHaveCount(0)
    await expect(page.getByText(/^gas_/)).toBeVisible()
    await effectsRun(page)

    const { y } = (await page.getByText(/^gas_/).boundingBox()) ?? assert.fail('the secret has no place')
    assert.ok(y > 0 && y < 700, `it is at ${y}`)
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
