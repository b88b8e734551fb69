import assert from 'node:assert/strict'
import { expect, type Locator } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { pngOf } from '../../service/pictures.ts'
import { assertAccessible } from '../support/accessible.ts'
import { drawn, fillSignIn } from '../support/acts.ts'
import { test } from '../support/test.ts'

const { config, foot } = en

test.describe('the operator’s own name', () => {
  test('has a live preview, and is everywhere once saved', async ({ openPage, openConsole }) => {
    const page = await openConsole('/console/settings/brand')

    await page.getByLabel(config.fields.name).fill('Acme & <Co>')
    await page.getByLabel(config.fields.accent, { exact: true }).fill('#aa0000')
    await page.getByLabel(config.fields.terms_url).fill('https://acme.example/terms')
    const file = { name: 'logo.png', mimeType: 'image/png', buffer: pngOf(64, 64) }
    await page.locator('input[type=file]').first().setInputFiles(file)
    await page.getByLabel(config.previewOf, { exact: true }).selectOption({ label: config.previews.letter })
    const letter = page.frameLocator(`iframe[title="${config.email}"]`)
    await expect(letter.getByRole('heading', { name: 'Acme & <Co>' })).toBeVisible()
    const choice = page.getByLabel(config.email, { exact: true })
    await expect(choice.getByRole('option', { name: 'Acme & <Co>' }).first()).toBeAttached()
    await expect(choice.getByRole('option', { name: 'Gatehouse' })).toHaveCount(0)
    await assertAccessible(page)
    await page.getByRole('button', { name: en.common.save }).click()
    await expect(page.getByText(config.saved)).toBeVisible()

    const stranger = await openPage()
    await stranger.goto('/sign-in')
    await expect(stranger.getByRole('heading', { name: en.signIn.title })).toBeVisible()
    await drawn(stranger)
    assert.doesNotMatch(await stranger.locator('html').innerHTML(), /gatehouse/i)
    await expect(stranger).toHaveTitle(`${en.signIn.title} · Acme & <Co>`)
    await expect(stranger.getByRole('link', { name: foot.terms })).toBeVisible()
    const button = stranger.getByRole('button', { name: en.signIn.submit, exact: true })
    await expect(button).toHaveCSS('background-color', 'rgb(170, 0, 0)')
    const icon = stranger.locator('link[rel=icon]')
    await expect(icon).toHaveAttribute('href', /\/api\/brand\/logo\?v=/)
    await expect(page.getByText(foot.runsOn)).toHaveCount(1)
  })

  test('takes a dropped logo, refuses other files', async ({ openConsole, service, administrator }) => {
    const page = await openConsole('/console/settings/brand')
    const choose = page.locator('input[type=file]').first()
    const shown = page.getByRole('img', { name: config.fields.logo, exact: true })
    const picture = { name: 'logo.png', mimeType: 'image/png', buffer: pngOf(64, 64) }

    for (const [buffer, problem] of [
      [Buffer.from(''), config.logoNoPicture],
      [Buffer.from('GIF89a'), config.logoNoPicture],
      [Buffer.from('<!doctype html><h1>A page</h1>'), config.logoNoPicture],
      [Buffer.alloc(5_000_000), config.logoTooLarge],
    ] as const) {
      await choose.setInputFiles({ ...picture, buffer })
      await expect(page.getByText(problem)).toBeVisible()
      await choose.setInputFiles(picture)
      await expect(page.getByText(problem)).toHaveCount(0)
    }
    await expect(shown).toBeVisible()
    await page.getByRole('button', { name: config.logoRemove }).click()
    await expect(shown).toHaveCount(0)
    await choose.setInputFiles(picture)
    await expect(shown).toBeVisible()
    // Otherwise the browser reports nothing if a person chooses the same file again.
    await expect(choose).toHaveValue('')
    await page.getByRole('button', { name: config.logoRemove }).click()
    await expect(shown).toHaveCount(0)
    await page.evaluate(`(${DROP})('${picture.buffer.toString('base64')}')`)
    await expect(shown).toBeVisible()
    await page.getByRole('button', { name: en.common.save }).click()
    await expect(page.getByText(config.saved)).toBeVisible()

    const { body } = await administrator.post('/api/admin/get_brand_config')
    const stored = await service.request(body.logo_url)
    assert.deepEqual(Buffer.from(await stored.arrayBuffer()), picture.buffer)
  })

  test('shows a wide logo undistorted, and a dark one on a dark page', async ({ openPage, administrator }) => {
    const wide = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 20"><path d="M0 0h100v20H0z"/></svg>'
    const value = Buffer.from(wide).toString('base64')
    await administrator.saveSettings('brand', { name: 'Acme', logo: { action: 'replace', value } })
    const page = await openPage({ colorScheme: 'dark' })

    await page.goto('/sign-in')

    const logo = page.locator('main img')
    await expect(logo).toBeVisible()
    await page.evaluate("document.querySelector('main img').decode()")
    const box = await logo.boundingBox()
    assert.equal(Math.round((box?.width ?? 0) / (box?.height ?? 1)), 5)
    await expectLightEdge(logo)
  })

  test('keeps a long name within a phone, page and previews alike', async ({ openPage, administrator }) => {
    const name = 'W'.repeat(64)
    await administrator.saveSettings('brand', { name })
    const page = await openPage({ viewport: { width: 390, height: 844 } })
    const past = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')

    await page.goto('/console/settings/brand')
    await expect(page.getByRole('heading', { name: en.signIn.title })).toBeVisible()
    const atSignIn = await past()
    // A name wider than the screen is cut off on this page, and pushes nothing.
    const names = page.locator('main').getByText(name, { exact: true })
    await expect(names).toHaveCount(2)
    const boxes = [await names.first().boundingBox(), await names.last().boundingBox()]
    await fillSignIn(page, administrator.email, administrator.password)
    await expect(page.getByLabel(config.fields.name)).toBeVisible()
    await expect(page.frameLocator('iframe').getByText(name).first()).toBeVisible()
    const besidePreviews = await past()
    await page.goto('/api/admin/preview_letter?kind=test&language=en')
    await expect(page.getByText(name).first()).toBeVisible()

    for (const box of boxes)
      assert.ok(box && box.x >= 0 && box.x + box.width <= 390, 'each name is whole on the sign-in page')
    assert.deepEqual([atSignIn, besidePreviews, await past()], [0, 0, 0])
  })

  test('keeps a wide logo undistorted and visible in a dark letter', async ({ openConsole, administrator }) => {
    const value = pngOf(640, 64).toString('base64')
    await administrator.saveSettings('brand', { logo: { action: 'replace', value } })
    const page = await openConsole('/console/settings/brand', { colorScheme: 'dark' })
    await expect(page.getByLabel(config.fields.name)).toBeVisible()

    await page.goto('/api/admin/preview_letter?kind=test&language=en')

    await expect(page.locator('.name img')).toBeVisible()
    await expectLightEdge(page.locator('.name img'))
  })
})

async function expectLightEdge(logo: Locator): Promise<void> {
  await expect(logo).toHaveCSS('object-fit', 'contain')
  await expect(logo).toHaveCSS('filter', /^drop-shadow\(rgb\(236, 235, 228\)/)
}

/** Drops a file as if it were dragged from a folder. */
const DROP = `(base64) => {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  const dataTransfer = new DataTransfer()
  dataTransfer.items.add(new File([bytes], 'logo.png', { type: 'image/png' }))
  const field = document.querySelector('input[type=file]').closest('[role=group]')
  for (const type of ['dragover', 'drop'])
    field.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }))
}`
