import assert from 'node:assert/strict'
import { json } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { en } from '../../../web/src/texts/en.ts'
import { people, stranger } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { assertAccessible } from '../support/accessible.ts'
import { anyWords, fillSignIn } from '../support/acts.ts'
import { openBrowserSession } from '../support/browser-session.ts'
import { enterAs } from '../support/enter-as.ts'

describe('settings in the browser', () => {
  it('after the first start the administrator signs in, is warned, and chooses a password', async () => {
    await using service = await startService()
    await using browser = await openBrowserSession(service)
    const { email, password } = service.administrator
    const page = await browser.openPage()

    await page.goto('/')
    await fillSignIn(page, email, password)
    await page.getByRole('link', { name: en.home.initialPasswordAction }).click()
    await page.getByLabel(en.password.current).fill(password)
    await page.getByLabel(en.password.next).fill('nine bells at midnight')
    await page.getByRole('button', { name: en.password.submit }).click()
    await page.getByText(en.password.saved).waitFor()
    await page.getByRole('link', { name: en.nav.home }).click()
    await page.getByRole('heading', { name: en.home.title('admin') }).waitFor()

    assert.equal(await page.getByRole('link', { name: en.home.initialPasswordAction }).count(), 0)
    assert.deepEqual(browser.complaints, [])
  })

  it('the administrator of a new installation is led to the next step, until the hint is hidden', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, '/')
    const { firstHour } = en

    await page.getByText(firstHour.next(firstHour.brand)).waitFor()
    await assertAccessible(page)
    await page.getByRole('link', { name: firstHour.go }).click()
    await page.getByLabel(en.config.brandName).fill('Acme')
    await page.getByRole('button', { name: en.common.save }).click()
    await page.getByText(en.config.saved).waitFor()
    await page.getByRole('link', { name: en.nav.home }).click()
    await page.getByText(firstHour.next(firstHour.mail)).waitFor()
    await page.getByRole('button', { name: firstHour.hide }).click()
    await page.getByRole('link', { name: firstHour.go }).waitFor({ state: 'detached' })
    await page.goto('/', { waitUntil: 'networkidle' })
    await page.getByRole('heading', { name: anyWords(en.home.title) }).waitFor()
    assert.equal(await page.getByRole('link', { name: firstHour.go }).count(), 0)

    const other = await enterAs(browser, ann, '/')
    await other.getByText(en.home.unreadNone).waitFor()
    await other.waitForLoadState('networkidle')
    assert.equal(await other.getByRole('link', { name: firstHour.go }).count(), 0)
    assert.deepEqual(browser.complaints, [])
  })

  it('sessions elsewhere are listed and ended; this one stays', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/settings/sessions')
    await fillSignIn(page, ann.email, ann.password)

    await page.getByText(en.sessions.current).waitFor()
    await page.getByRole('button', { name: en.sessions.endOthers }).click()
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: en.sessions.endOthers }).click()
    await page.getByText(en.sessions.onlyThis).waitFor()

    assert.equal((await ann.post('/api/count_unread_notifications')).status, 401)
    assert.deepEqual(browser.complaints, [])
  })

  it('an act that needs a fresh session asks for the password in place, and continues', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/settings/data')
    await fillSignIn(page, ann.email, ann.password)
    await page.getByRole('heading', { name: en.data.exportTitle }).waitFor()
    service.clock.advance({ minutes: 16 })

    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: en.data.exportAction }).click()
    await page.getByLabel(en.fresh.password).fill('not this one')
    await page.getByRole('button', { name: en.fresh.action }).click()
    await page.getByText(en.form.passwordWrong).waitFor()
    await assertAccessible(page)
    await page.getByLabel(en.fresh.password).fill(ann.password)
    await page.getByRole('button', { name: en.fresh.action }).click()
    const download = await downloading

    assert.equal(download.suggestedFilename(), 'my-data.json')
  })

  it('an account is deleted with its password, and is gone', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/settings/data')
    await fillSignIn(page, ann.email, ann.password)

    await page.getByRole('button', { name: en.data.deleteAction }).click()
    await page.getByLabel(en.data.confirmPassword).fill(ann.password)
    await page.getByRole('button', { name: en.data.confirmAction }).click()
    await page.getByText(en.signIn.accountDeleted).waitFor()

    assert.equal((await stranger(service, ann.email).signIn()).status, 401)
    assert.equal((await ann.signIn()).status, 401)
  })

  it('a name and a picture are saved and shown at once; an odd picture address is refused at its field', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/settings')
    await fillSignIn(page, ann.email, ann.password)

    await page.getByLabel(en.profile.name).fill('Ann Moore')
    await page.getByLabel(en.profile.avatar).fill('pictures/ann.png')
    await page.getByRole('button', { name: en.common.save }).click()
    await page.getByText(en.form.pictureOdd).waitFor()
    await page.getByLabel(en.profile.avatar).fill('https://pictures.example/ann.png')
    await page.getByRole('button', { name: en.common.save }).click()
    await page.getByText(en.profile.saved).waitFor()
    await page.getByRole('complementary').getByText('Ann Moore').waitFor()

    const { body } = await ann.get('/api/auth/get-session')
    assert.equal(body.user.name, 'Ann Moore')
    assert.equal(body.user.image, 'https://pictures.example/ann.png')
  })

  it('a user downloads their data as one file', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await ann.post('/api/submit_feedback', { type: 'idea', content: 'A bench by the gate' })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/settings/data')
    await fillSignIn(page, ann.email, ann.password)

    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: en.data.exportAction }).click()
    const download = await downloading

    assert.equal(download.suggestedFilename(), 'my-data.json')
    const held = await json(await download.createReadStream())
    assert.match(JSON.stringify(held), /A bench by the gate/)
    assert.deepEqual(browser.complaints, [])
  })
})
