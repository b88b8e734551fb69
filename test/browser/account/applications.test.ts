import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { en } from '../../../web/src/texts/en.ts'
import { basic, bearer, queryFor } from '../../service/applications.ts'
import { newVerifier, postForm } from '../../service/grants.ts'
import { people, stranger } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { assertAccessible } from '../support/accessible.ts'
import { anyWords, effectsRun, fillSignIn } from '../support/acts.ts'
import { openBrowserSession } from '../support/browser-session.ts'

describe('applications in the browser', () => {
  it('are registered in the console with a permission of the product, and approved by its description', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    const callback = `${browser.origin}/settings/data`

    await page.goto('/sign-in?next=/console/applications')
    await fillSignIn(page, administrator.email, administrator.password)
    await page.getByLabel(en.applications.scopeName, { exact: true }).fill('product:reports:read')
    await page.getByLabel(en.applications.scopeWords, { exact: true }).fill('Read your reports')
    await page.getByRole('button', { name: en.applications.declare }).click()
    await page.getByText('product:reports:read', { exact: true }).waitFor()
    await page.getByRole('button', { name: en.applications.register }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(en.applications.name, { exact: true }).fill('Shop')
    await dialog.getByLabel(en.applications.redirects, { exact: true }).fill(callback)
    await dialog.getByLabel(en.applications.scopes, { exact: true }).fill('openid\nproduct:reports:read')
    await assertAccessible(page)
    await dialog.getByRole('button', { name: en.applications.register }).click()
    await page.getByText(en.applications.secretTitle).waitFor()
    const secret = (await page.getByText(/^gas_/).textContent()) ?? ''
    await page.getByText(`${browser.origin}/.well-known/openid-configuration`).waitFor()
    const opened = page.context().waitForEvent('page')
    await page.getByRole('link', { name: en.applications.connect }).click()
    const place = (await opened).getByRole('heading', { name: en.connecting.openId })
    await place.and((await opened).locator(':focus')).waitFor()
    await assertAccessible(page)
    const { items } = (await administrator.post('/api/admin/list_applications')).body
    const application = { id: items[0].id, client_id: items[0].client_id, client_secret: secret }
    await page.reload()
    await page.getByRole('button', { name: 'Shop' }).waitFor()
    assert.equal(await page.getByText(/^gas_/).count(), 0)
    await assertAccessible(page)

    const other = await browser.openPage()
    const verifier = newVerifier()
    const asked = queryFor(application, verifier, {
      redirect_uri: callback,
      scope: 'openid product:reports:read',
      prompt: 'consent',
    })
    await other.context().clearCookies()
    await other.goto(`/oauth/authorize?${new URLSearchParams(asked)}`)
    await fillSignIn(other, ann.email, ann.password)
    await other.getByText('Read your reports').waitFor()
    await other.getByText(en.consent.applicationLead).waitFor()
    await assertAccessible(other)
    await other.getByRole('button', { name: en.consent.approve }).click()
    await other.waitForURL(/code=/)
    const code = new URL(other.url()).searchParams.get('code') ?? ''
    const form = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier }
    const tokens = await postForm(ann, '/api/oauth/token', form, basic(application))

    await other.goto('/settings/access')
    await other.getByText('Read your reports').waitFor()
    await page.goto(`/console/users/${ann.id}`)
    await page.getByText('Read your reports', { exact: true }).waitFor()

    assert.equal(tokens.body.scope, 'openid product:reports:read')
    assert.deepEqual(browser.complaints, [])
  })

  it('a new secret comes into view, also of an application far down the list', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    for (let number = 0; number < 18; number += 1)
      await administrator.post('/api/admin/create_application', { name: `Shop ${number}`, kind: 'service' })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage({ viewport: { width: 1280, height: 720 } })
    await page.goto('/console/applications')
    await fillSignIn(page, administrator.email, administrator.password)

    await page.getByText('Shop 0', { exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: en.applications.rotate }).click()
    const question = page.getByRole('dialog').filter({ hasText: en.applications.rotateText })
    await question.getByRole('button', { name: en.applications.rotate }).click()
    await question.waitFor({ state: 'detached' })
    await page.getByText(/^gas_/).waitFor()
    await effectsRun(page)

    const { y } = (await page.getByText(/^gas_/).boundingBox()) ?? assert.fail('the secret has no place')
    assert.ok(y > 0 && y < 700, `it is at ${y}`)
    assert.deepEqual(browser.complaints, [])
  })

  it('the sign-in page for an application does not mention a terminal', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    const { body: application } = await administrator.post('/api/admin/create_application', {
      name: 'Shop',
      kind: 'web',
      redirect_uris: ['https://app.example.com/back'],
      scopes: ['openid'],
    })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    const asked = queryFor(application, newVerifier(), {
      redirect_uri: 'https://app.example.com/back',
      scope: 'openid',
    })
    const ofClient = queryFor({ ...application, client_id: 'cli-client' }, newVerifier(), {
      redirect_uri: 'http://127.0.0.1:4000/callback',
      scope: 'account:profile:read',
    })

    await page.goto(`/oauth/authorize?${new URLSearchParams(asked)}`)
    await page.getByText(en.signIn.lead(service.config.appName)).waitFor()
    await page.goto(`/oauth/authorize?${new URLSearchParams(ofClient)}`)
    await page.getByText(en.signIn.forTerminal).waitFor()

    assert.deepEqual(browser.complaints, [])
  })

  it('someone who is not signed in is not asked whether to sign out', async () => {
    await using service = await startService()
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()

    await page.goto('/oauth/end-session')

    await page.getByRole('heading', { name: en.signIn.title }).waitFor()
    assert.deepEqual(browser.complaints, [])
  })

  it('access tokens are made, used and revoked in the settings, and a sign-out that another site requests has to be confirmed', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()

    await page.goto('/sign-in?next=/settings/tokens')
    await fillSignIn(page, ann.email, ann.password)
    await page.getByLabel(en.tokens.name).fill('CI')
    await page.getByLabel(en.scopes['account:profile:read']).check()
    await page.getByRole('button', { name: en.tokens.create }).click()
    const token = (await page.getByText(/^ghp_/).textContent()) ?? ''
    const works = async () => (await stranger(service).get('/api/verify', bearer(token))).status
    const before = await works()
    await assertAccessible(page)
    await page.getByRole('button', { name: anyWords(en.tokens.revokeNamed) }).click()
    await page.getByRole('dialog').getByRole('button', { name: en.access.revoke }).click()
    await page.getByText(en.tokens.revoked).waitFor()
    const after = await works()
    await page.goto('/oauth/end-session')
    await page.getByText(en.endSession.text).waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: en.endSession.leave }).click()
    await page.waitForURL(/sign-in/)

    assert.deepEqual([before, after], [200, 401])
    assert.deepEqual(browser.complaints, [])
  })
})
