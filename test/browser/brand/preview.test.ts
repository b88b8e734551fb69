import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { en } from '../../../web/src/texts/en.ts'
import { people } from '../../service/people.ts'
import { pngOf } from '../../service/pictures.ts'
import { startService } from '../../service/service.ts'
import { assertAccessible } from '../support/accessible.ts'
import { drawn, fillSignIn } from '../support/acts.ts'
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
    const choice = page.getByLabel(config.previewLetter, { exact: true })
    await choice.getByRole('option', { name: 'Acme & <Co>' }).first().waitFor({ state: 'attached' })
    assert.equal(await choice.getByRole('option', { name: 'Gatehouse' }).count(), 0)
    await assertAccessible(page)
    await page.getByRole('button', { name: en.common.save }).click()
    await page.getByText(config.saved).waitFor()
    const stranger = await browser.openPage()
    await stranger.goto('/sign-in')

    await stranger.getByRole('heading', { name: en.signIn.title }).waitFor()
    await drawn(stranger)
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

  it('takes a logo that is dropped or chosen again, and says at once which file is not a picture', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/console/settings/brand')
    await fillSignIn(page, administrator.email, administrator.password)
    const choose = page.locator('input[type=file]')
    const shown = page.getByRole('img', { name: config.logo })
    const picture = { name: 'logo.png', mimeType: 'image/png', buffer: pngOf(64, 64) }

    for (const text of ['', 'GIF89a', '<!doctype html><h1>A page</h1>']) {
      await choose.setInputFiles({ ...picture, buffer: Buffer.from(text) })
      await page.getByText(config.logoNoPicture).waitFor()
      await choose.setInputFiles(picture)
      await page.getByText(config.logoNoPicture).waitFor({ state: 'detached' })
    }
    await choose.setInputFiles({ ...picture, buffer: Buffer.alloc(5_000_000) })
    await page.getByText(config.logoTooLarge).waitFor()
    await choose.setInputFiles(picture)
    await page.getByText(config.logoTooLarge).waitFor({ state: 'detached' })
    await shown.waitFor()
    await page.getByRole('button', { name: config.logoRemove }).click()
    await shown.waitFor({ state: 'detached' })
    await choose.setInputFiles(picture)
    await shown.waitFor()
    // Otherwise the browser reports nothing if a person chooses the same file again.
    assert.equal(await choose.inputValue(), '')
    await page.getByRole('button', { name: config.logoRemove }).click()
    await shown.waitFor({ state: 'detached' })
    await page.evaluate(`(${DROP})('${picture.buffer.toString('base64')}')`)
    await shown.waitFor()
    await page.getByRole('button', { name: en.common.save }).click()
    await page.getByText(config.saved).waitFor()

    const { body } = await administrator.post('/api/admin/get_brand_config')
    const stored = await service.request(body.logo_url)
    assert.deepEqual(Buffer.from(await stored.arrayBuffer()), picture.buffer)
    assert.deepEqual(browser.complaints, [])
  })

  it('shows a wide logo as wide as it is, and a dark one on a dark page', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    const wide =
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 20"><path d="M0 0h100v20H0z"/></svg>'
    const value = Buffer.from(wide).toString('base64')
    await administrator.saveSettings('brand', { name: 'Acme', logo: { action: 'replace', value } })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage({ colorScheme: 'dark' })

    await page.goto('/sign-in')
    await page.getByRole('heading', { name: en.signIn.title }).waitFor()

    const logo = page.locator('main img')
    await logo.waitFor()
    await page.evaluate("document.querySelector('main img').decode()")
    const box = await logo.boundingBox()
    assert.equal(Math.round((box?.width ?? 0) / (box?.height ?? 1)), 5)
    const [fit, filter] = await page.evaluate<string[]>(looksOf('main img'))
    assert.equal(fit, 'contain')
    assert.match(filter ?? '', /^drop-shadow\(rgb\(236, 235, 228\)/)
    assert.deepEqual(browser.complaints, [])
  })

  it('keeps a long name within a phone, on the page and in the previews', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    const name = 'W'.repeat(64)
    await administrator.saveSettings('brand', { name })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage({ viewport: { width: 390, height: 844 } })
    const past = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')

    await page.goto('/console/settings/brand')
    await page.getByRole('heading', { name: en.signIn.title }).waitFor()
    const atSignIn = await past()
    // What is wider than the screen is cut off on this page, and pushes nothing.
    const sign = await page.locator('main bdi').boundingBox()
    await fillSignIn(page, administrator.email, administrator.password)
    await page.getByLabel(config.brandName).waitFor()
    await page.frameLocator('iframe').getByText(name).first().waitFor()
    const besidePreviews = await past()
    await page.goto('/api/admin/preview_letter?kind=test&language=en')
    await page.getByText(name).first().waitFor()

    assert.ok(sign && sign.x >= 0 && sign.x + sign.width <= 390, 'the name is whole on the sign-in page')
    assert.deepEqual([atSignIn, besidePreviews, await past()], [0, 0, 0])
  })

  it('keeps a wide logo in shape in a letter, and visible in a dark mail program', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    const value = pngOf(640, 64).toString('base64')
    await administrator.saveSettings('brand', { logo: { action: 'replace', value } })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage({ colorScheme: 'dark' })
    await page.goto('/console/settings/brand')
    await fillSignIn(page, administrator.email, administrator.password)
    await page.getByLabel(config.brandName).waitFor()

    await page.goto('/api/admin/preview_letter?kind=test&language=en')
    await page.locator('.name img').waitFor()

    const [fit, filter] = await page.evaluate<string[]>(looksOf('.name img'))
    assert.equal(fit, 'contain')
    assert.match(filter ?? '', /^drop-shadow\(rgb\(236, 235, 228\)/)
    assert.deepEqual(browser.complaints, [])
  })
})

const looksOf = (image: string) =>
  `(({ objectFit, filter }) => [objectFit, filter])(getComputedStyle(document.querySelector('${image}')))`

/** As a file that is dragged from a folder of the person's machine. */
const DROP = `(base64) => {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  const dataTransfer = new DataTransfer()
  dataTransfer.items.add(new File([bytes], 'logo.png', { type: 'image/png' }))
  const field = document.querySelector('input[type=file]').closest('[role=group]')
  for (const type of ['dragover', 'drop'])
    field.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }))
}`
