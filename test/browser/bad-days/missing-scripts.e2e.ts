import { expect, type Page } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { assertAccessible } from '../support/accessible.ts'
import { test as base } from '../support/test.ts'

const DATA = '**/assets/data-*.js'
const QUESTION = '**/assets/ask-to-discard-*.js'
const PALETTE = '**/assets/palette-*.js'
const TOAST = '**/assets/toast-region-*.js'
const wish = 'A wish that took an hour to write'

const test = base.extend<{ readonly settings: Page; readonly writing: Page }>({
  settings: async ({ enterAs, ann }, use) => {
    const page = await enterAs(ann, '/settings')
    await expect(page.getByLabel(en.profile.name)).toBeVisible()
    await use(page)
  },
  /** A page with text in a dialog. */
  writing: async ({ enterAs, administrator }, use) => {
    const page = await enterAs(administrator, '/console/notifications?open=new')
    await editor(page).fill(wish)
    await use(page)
  },
})

/** The browser's console says which script could not be fetched, and why. */
test.afterEach(({ complaints }) => {
  const others = complaints.filter((complaint) => !/^(ScriptError: )?\/assets\//.test(complaint))
  complaints.splice(0, complaints.length, ...others)
})

const button = (page: Page, name: string) => page.getByRole('button', { name })
const ownData = (page: Page) => page.getByRole('link', { name: en.settings.data })
const editor = (page: Page) => page.getByRole('dialog', { name: en.publishing.write }).getByLabel(en.publishing.content)
const unreachable = (page: Page) => page.getByRole('heading', { name: en.broken.unreachable })
const missingPart = (page: Page) => page.getByText(en.broken.missingPart)

const expectData = (page: Page) => expect(page.getByRole('heading', { name: en.data.exportTitle })).toBeVisible()

async function closeMessage(page: Page): Promise<void> {
  await page.getByRole('alert').getByRole('button', { name: en.common.close }).click()
  await expect(missingPart(page)).toHaveCount(0)
}

const REFUSED = 'this script cannot be fetched'

function refuse(page: Page, script: string, status: number) {
  return page.route(script, (route) => route.fulfill({ status, body: REFUSED }))
}

/** Lets the browser fetch the script, but not read it again to import it. Returns how often it was requested. */
async function failingImport(page: Page, script: string): Promise<() => number> {
  await failing(page, script, 503)
  let requests = 0
  await page.route(script, (route) =>
    ++requests === 1 ? route.continue() : route.fulfill({ status: 503, body: REFUSED }),
  )
  return () => requests
}

/** An open page can send a request past a route that is a few milliseconds old, so this sends some of its own first. */
async function failing(page: Page, script: string, status: number): Promise<void> {
  await refuse(page, script, status)
  const address = script.replace('**', '').replace('*', 'of-this-name')
  await page.waitForFunction(
    `fetch('${address}').then((answer) => answer.text()).then((text) => text === '${REFUSED}')`,
  )
}

test.describe('a page whose script cannot be fetched', () => {
  test('says so in its place, and another try shows it', async ({ settings: page }) => {
    await failing(page, DATA, 503)
    await ownData(page).click()
    await expect(unreachable(page)).toBeFocused()
    await expect(ownData(page)).toBeVisible()
    await assertAccessible(page)
    await expect(page).toHaveTitle(new RegExp(`^${en.broken.unreachable} `))
    await page.unroute(DATA)
    await button(page, en.common.tryAgain).click()

    await expectData(page)
    await expect(page).toHaveTitle(new RegExp(`^${en.settings.data} `))
  })

  test('is shown as soon as the connection is back', async ({ settings: page }) => {
    await page.context().setOffline(true)
    await ownData(page).click()
    await expect(unreachable(page)).toBeVisible()
    await page.context().setOffline(false)

    await expectData(page)
  })

  test('is loaded again with the whole page if the server has a new version', async ({ settings: page }) => {
    await failing(page, DATA, 404)
    await page.route('**/settings/data', async (route) => {
      await page.unroute(DATA)
      await route.continue()
    })
    await ownData(page).click()

    await expectData(page)
  })

  test('offers to reload if it was fetched and then cannot be imported', async ({ settings: page }) => {
    const requests = await failingImport(page, DATA)

    await ownData(page).click()
    await expect(unreachable(page)).toBeVisible()
    await expect(page.getByText(en.broken.text)).toBeVisible()
    // Newer engines ask once more.
    expect(requests()).toBeGreaterThanOrEqual(2)
    await page.unroute(DATA)
    await button(page, en.broken.action).click()

    await expectData(page)
  })

  test('offers to reload if that did not help', async ({ settings: page }) => {
    await failing(page, DATA, 404)
    await ownData(page).click()
    await expect(page.getByText(en.broken.outdated)).toBeVisible()
    await page.unroute(DATA)
    await button(page, en.broken.action).click()

    await expectData(page)
  })
})

test('a page whose texts cannot be fetched can be reloaded', async ({ page }) => {
  const texts = '**/assets/en-front-*.js'

  await refuse(page, texts, 503)
  await page.goto('/sign-in')
  await expect(button(page, en.broken.action)).toBeVisible()
  await page.unroute(texts)
  await button(page, en.broken.action).click()

  await expect(page.getByRole('heading', { name: en.signIn.title })).toBeVisible()
})

test.describe('a dialog whose script cannot be fetched', () => {
  test('leaves what was typed in another dialog, and another try opens it', async ({ writing: page }) => {
    await failing(page, QUESTION, 503)
    await page.keyboard.press('Escape')
    await expect(missingPart(page)).toBeVisible()
    await assertAccessible(page)
    await editor(page).focus()
    await page.keyboard.press('Escape')
    const message = page.getByRole('alert').filter({ hasText: en.broken.missingPart })
    await expect(message.locator(':focus')).toBeVisible()
    await page.unroute(QUESTION)
    for (const key of ['Tab', 'Tab', 'Enter']) await page.keyboard.press(key)
    await button(page, en.unsaved.keep).click()

    await expect(page.getByRole('dialog', { name: en.unsaved.title })).toHaveCount(0)
    await expect(editor(page)).toBeFocused()
    await expect(editor(page)).toHaveValue(wish)
  })

  test('keeps what was typed if it was fetched and then cannot be imported', async ({ writing: page }) => {
    const requests = await failingImport(page, QUESTION)

    await page.keyboard.press('Escape')
    await expect(missingPart(page)).toBeVisible()

    expect(requests()).toBe(2)
    await expect(editor(page)).toHaveValue(wish)
    await expect(page.getByRole('alert').getByRole('button', { name: en.broken.action })).toBeVisible()
  })

  test('is fetched again by the next press, after its message was closed', async ({ enterAs, ann }) => {
    const page = await enterAs(ann, '/feedback')
    await page.getByLabel(en.feedback.content).fill(wish)

    await failing(page, PALETTE, 503)
    await button(page, en.palette.open).click()
    await closeMessage(page)
    await page.unroute(PALETTE)
    await button(page, en.palette.open).click()

    await expect(page.getByRole('dialog')).toBeVisible()
    await expect(page.getByLabel(en.feedback.content)).toHaveValue(wish)
  })

  test('comes with the new version of the page, which keeps what was typed', async ({ writing: page }) => {
    page.on('dialog', (question) => question.accept())

    await failing(page, QUESTION, 404)
    await page.keyboard.press('Escape')
    await expect(page.getByText(en.broken.outdated)).toBeVisible()
    await Promise.all([page.waitForEvent('load'), button(page, en.broken.action).click()])

    await expect(editor(page)).toHaveValue(wish)
  })
})

test('a toast whose script cannot be fetched is followed by the next one', async ({ settings: page }) => {
  const save = async (name: string) => {
    await page.getByLabel(en.profile.name).fill(name)
    await button(page, en.common.save).click()
  }

  await failing(page, TOAST, 503)
  await save('Ann of the Harbour')
  await expect(missingPart(page)).toBeVisible()
  await expect(button(page, en.common.save)).toBeFocused()
  await closeMessage(page)
  await page.unroute(TOAST)
  await save('Ann of the Lighthouse')

  await expect(page.getByText(en.profile.saved)).toBeVisible()
})
