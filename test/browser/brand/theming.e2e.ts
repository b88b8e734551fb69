import assert from 'node:assert/strict'
import { expect, type Page } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { CALLBACK, queryFor, register } from '../../service/applications.ts'
import { newVerifier } from '../../service/grants.ts'
import { pngOf } from '../../service/pictures.ts'
import { assertAccessible } from '../support/accessible.ts'
import { fillSignIn } from '../support/acts.ts'
import { test } from '../support/test.ts'

const { config, common } = en
const CSS = '.gh-card { border-top: 6px solid rgb(1, 2, 3) } .gh-button { border-radius: 3px }'
const picture = (side: number) => ({ action: 'replace', value: pngOf(side, side).toString('base64') })

const card = (page: Page) => page.locator('.gh-card').first()
const groundOf = (page: Page) => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')

test.describe('theming', () => {
  test('shows every page and a letter with what is typed, in light and dark, before it is saved', async ({
    openConsole,
    administrator,
  }) => {
    const page = await openConsole('/console/settings/brand')
    await page.getByLabel(config.fields.background, { exact: true }).fill('#ffeecc')
    await page.getByLabel(config.fields.font).selectOption({ label: config.fonts.serif })
    await page.getByLabel(config.fields.css, { exact: true }).fill(CSS)

    for (const [shown, words] of [
      ['signIn', en.signIn.title],
      ['signUp', en.signUp.title],
      ['code', en.verify.title],
      ['consent', 'Corner Shop'],
      ['error', en.authorize.failedTitle],
    ] as const) {
      await page.getByLabel(config.previewOf, { exact: true }).selectOption({ label: config.previews[shown] })
      const inside = page.frameLocator(`iframe[title="${config.previews[shown]}"]`)
      await expect(inside.getByText(words).first()).toBeVisible()
      await expect(inside.getByText(en.signIn.ended(false))).toHaveCount(0)
      await expect(inside.locator('html')).toHaveCSS('background-color', 'rgb(255, 238, 204)')
      await expect(inside.locator('html')).toHaveCSS('font-family', /^Charter/)
      await expect(inside.locator('.gh-card').first()).toHaveCSS('border-top-color', 'rgb(1, 2, 3)')
      await page.getByRole('radiogroup', { name: common.theme }).getByLabel(common.themes.dark).check()
      await expect(inside.locator('html')).not.toHaveCSS('background-color', 'rgb(255, 238, 204)')
      await page.getByRole('radiogroup', { name: common.theme }).getByLabel(common.themes.light).check()
    }
    await page.getByLabel(config.previewOf, { exact: true }).selectOption({ label: config.previews.letter })
    const letter = page.frameLocator(`iframe[title="${config.email}"]`)
    await expect(letter.locator('body')).toHaveCSS('background-color', 'rgb(255, 238, 204)')
    await assertAccessible(page)
    await expect(page).toHaveTitle(new RegExp(config.title))
    const { body } = await administrator.post('/api/admin/get_brand_config')
    assert.deepEqual([body.background, body.css], ['', ''])
  })

  test('refuses CSS with its place while it is typed, and when it is saved', async ({ openConsole }) => {
    const page = await openConsole('/console/settings/brand')
    const field = page.getByLabel(config.fields.css, { exact: true })

    await field.fill('.gh-card {}\n  @import "https://evil.example/x.css";')

    await expect(page.getByText(config.cssAt('2', '3'))).toBeVisible()
    await page.getByRole('button', { name: common.save }).click()
    await expect(field).toHaveAttribute('aria-invalid', 'true')
    await field.fill('x'.repeat(17 * 1024))
    await expect(page.getByText(config.problems.css)).toBeVisible()
    await field.fill(CSS)
    await page.getByRole('button', { name: common.save }).click()
    await expect(page.getByText(config.saved)).toBeVisible()
  })

  test('the operator’s sheet comes last and wins, from the first paint, under the policy', async ({
    openPage,
    administrator,
  }) => {
    await administrator.saveSettings('brand', {
      ...{ background: '#102040', accent: '#ffcc00', radius: 0, css: CSS },
      ...{ logo: picture(8), logo_dark: picture(9), favicon: picture(10) },
    })
    const page = await openPage()

    await page.goto('/sign-in')

    await expect(card(page)).toHaveCSS('border-top-color', 'rgb(1, 2, 3)')
    await expect(page.locator('.gh-button').first()).toHaveCSS('border-radius', '3px')
    assert.equal(await groundOf(page), 'rgb(16, 32, 64)')
    const last = '[...document.styleSheets].at(-1).ownerNode.id'
    assert.equal(await page.evaluate(last), 'brand')
    await expect(page.locator('link[rel=icon]')).toHaveAttribute('href', /^\/api\/brand\/favicon\?v=/)
    await expect(page.locator('main img')).toHaveAttribute('src', /^\/api\/brand\/logo_dark\?v=/)
    await assertAccessible(page)
  })

  test('an application’s look is on the pages that lead to it, from first paint to consent, and nowhere else', async ({
    openPage,
    administrator,
    ann,
  }) => {
    await administrator.saveSettings('brand', { background: '#eeeeff' })
    const shop = await register(administrator, { brand: { background: '#ffeecc', logo: picture(8), css: CSS } })
    const asked = `/oauth/authorize?${new URLSearchParams(queryFor(shop, newVerifier()))}`
    const page = await openPage()

    await page.goto(asked)

    await expect(page.getByRole('heading', { name: en.signIn.title })).toBeVisible()
    assert.equal(await groundOf(page), 'rgb(255, 238, 204)')
    await expect(page.locator('main img')).toHaveAttribute('src', /^\/api\/brand\/application_logo\?/)
    await page.getByRole('link', { name: en.signIn.signUp }).click()
    await expect(page.getByRole('heading', { name: en.signUp.title })).toBeVisible()
    assert.equal(await groundOf(page), 'rgb(255, 238, 204)')
    await page.reload()
    await expect(card(page)).toHaveCSS('border-top-color', 'rgb(1, 2, 3)')
    await page.goBack()
    await fillSignIn(page, ann.email, ann.password)
    await expect(page.getByRole('button', { name: en.consent.approve })).toBeVisible()
    assert.equal(await groundOf(page), 'rgb(255, 238, 204)')
    await page.goto('/settings')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.locator('html')).toHaveCSS('background-color', 'rgb(238, 238, 255)')
    await page.goto(
      `/oauth/authorize?${new URLSearchParams({ client_id: shop.id, redirect_uri: `${CALLBACK}/wrong` })}`,
    )
    await expect(page.getByText(en.authorize.failedTitle)).toBeVisible()
    assert.equal(await groundOf(page), 'rgb(255, 238, 204)')
  })
})
