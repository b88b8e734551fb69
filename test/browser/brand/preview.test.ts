import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { en } from '../../../web/src/texts/en.ts'
import { people } from '../../service/people.ts'
import { pngOf } from '../../service/pictures.ts'
import { startService } from '../../service/service.ts'
import { assertAccessible } from '../support/accessible.ts'
import { fillSignIn } from '../support/acts.ts'
import { openBrowserSession } from '../support/browser-session.ts'

const { config, foot } = en

describe('the operator’s own name', () => {
  it('is typed beside a live preview, and is on every page and its icon once it is saved', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/console/settings/brand')
    await fillSignIn(page, administrator.email, administrator.password)

    await page.getByLabel(config.brandName).fill('Acme & <Co>')
    await page.getByLabel(config.accent).fill('#aa0000')
    await page.getByLabel(config.termsUrl).fill('https://acme.example/terms')
    const file = { name: 'logo.png', mimeType: 'image/png', buffer: pngOf(64, 64) }
    await page.locator('input[type=file]').setInputFiles(file)
    const letter = page.frameLocator(`iframe[title="${config.previewLetter}"]`)
    await letter.getByRole('heading', { name: 'Acme & <Co>' }).waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: en.common.save }).click()
    await page.getByText(config.saved).waitFor()
    const stranger = await browser.openPage()
    await stranger.goto('/sign-in')

    await stranger.getByRole('heading', { name: en.signIn.title }).waitFor()
    const text = await stranger.locator('html').innerHTML()
    assert.doesNotMatch(text, /gatehouse/i)
    assert.equal(await stranger.title(), `${en.signIn.title} · Acme & <Co>`)
    await stranger.getByRole('link', { name: foot.terms }).waitFor()
    const button = stranger.getByRole('button', { name: en.signIn.submit, exact: true })
    await button.waitFor()
    const background = await stranger.evaluate<string>(
      `getComputedStyle(document.querySelector('button[type=submit]')).backgroundColor`,
    )
    assert.equal(background, 'rgb(170, 0, 0)')
    const icon = await stranger.evaluate<string>(`document.querySelector('link[rel=icon]').href`)
    assert.match(icon, /\/api\/brand\/logo\?v=/)
    assert.equal(await page.getByText(foot.runsOn).count(), 1)
    assert.deepEqual(browser.complaints, [])
  })
})
