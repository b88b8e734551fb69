import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { en } from '../../../web/src/texts/en.ts'
import { people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { assertAccessible } from '../support/accessible.ts'
import { openBrowserSession } from '../support/browser-session.ts'
import { enterAs } from '../support/enter-as.ts'
import type { BrowserSession } from '../support/test-browser.ts'

const sessionsScript = '**/assets/sessions-*.js'
const questionScript = '**/assets/ask-to-discard-*.js'
const paletteScript = '**/assets/palette-*.js'
const toastScript = '**/assets/toast-region-*.js'
const wish = 'A wish that took an hour to write'

const retry = (page: Page) => page.getByRole('button', { name: en.common.tryAgain })
const reload = (page: Page) => page.getByRole('button', { name: en.broken.action })

const editor = (page: Page) =>
  page.getByRole('dialog', { name: en.publishing.write }).getByLabel(en.publishing.content)

async function openAs(who: 'ann' | 'administrator', path: string, beginOn: (page: Page) => Promise<unknown>) {
  await using opening = new AsyncDisposableStack()
  const service = opening.use(await startService())
  const person = (await people(service))[who]
  const browser = opening.use(await openBrowserSession(service))
  const page = await enterAs(browser, person, path)
  await beginOn(page)
  const opened = opening.move()
  return { browser, page, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

async function openSettings() {
  const opened = await openAs('ann', '/settings', (page) => page.getByLabel(en.profile.name).waitFor())
  return { ...opened, sessions: opened.page.getByRole('link', { name: en.settings.sessions }) }
}

function openEditor() {
  return openAs('administrator', '/console/notifications?open=new', (page) => editor(page).fill(wish))
}

/** The browser's console says which script could not be fetched, and why. */
function assertNothingElse({ browser }: { readonly browser: BrowserSession }): void {
  const others = browser.complaints.filter((complaint) => !complaint.startsWith('ScriptError: /assets/'))
  assert.deepEqual(others, [])
}

const REFUSED = 'this script cannot be fetched'

function refuse(page: Page, script: string, status: number) {
  return page.route(script, (route) => route.fulfill({ status, body: REFUSED }))
}

/** Fetched, and then the browser cannot read it again to import it. Returns how often it was requested. */
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

describe('a page whose script cannot be fetched', () => {
  it('says so in its place, and another try shows it', async () => {
    await using w = await openSettings()
    const { page, sessions } = w

    await failing(page, sessionsScript, 503)
    await sessions.click()
    await page.getByRole('heading', { name: en.broken.unreachable }).waitFor()
    await sessions.waitFor()
    await assertAccessible(page)
    assert.equal(await page.evaluate('document.activeElement.textContent'), en.broken.unreachable)
    assert.match(await page.title(), new RegExp(`^${en.broken.unreachable} `))
    await page.unroute(sessionsScript)
    await retry(page).click()

    await page.getByText(en.sessions.current).waitFor()
    assert.match(await page.title(), new RegExp(`^${en.settings.sessions} `))
    assertNothingElse(w)
  })

  it('is shown as soon as the connection is back', async () => {
    await using w = await openSettings()
    const { page, sessions } = w

    await page.context().setOffline(true)
    await sessions.click()
    await page.getByRole('heading', { name: en.broken.unreachable }).waitFor()
    await page.context().setOffline(false)

    await page.getByText(en.sessions.current).waitFor()
    assertNothingElse(w)
  })

  it('is loaded again with the whole page if the server has a new version', async () => {
    await using w = await openSettings()
    const { page, sessions } = w

    await failing(page, sessionsScript, 404)
    await page.route('**/settings/sessions', async (route) => {
      await page.unroute(sessionsScript)
      await route.continue()
    })
    await sessions.click()

    await page.getByText(en.sessions.current).waitFor()
    assertNothingElse(w)
  })

  it('offers to reload if it was fetched and then cannot be imported, and does not speak of the connection', async () => {
    await using w = await openSettings()
    const { page, sessions } = w
    const requests = await failingImport(page, sessionsScript)

    await sessions.click()
    await page.getByRole('heading', { name: en.broken.unreachable }).waitFor()
    await page.getByText(en.broken.text).waitFor()
    assert.equal(requests(), 2)
    await page.unroute(sessionsScript)
    await reload(page).click()

    await page.getByText(en.sessions.current).waitFor()
    assertNothingElse(w)
  })

  it('offers to reload if that did not help', async () => {
    await using w = await openSettings()
    const { page, sessions } = w

    await failing(page, sessionsScript, 404)
    await sessions.click()
    await page.getByText(en.broken.outdated).waitFor()
    await page.unroute(sessionsScript)
    await reload(page).click()

    await page.getByText(en.sessions.current).waitFor()
  })
})

describe('a page whose texts cannot be fetched', () => {
  it('can be reloaded', async () => {
    await using service = await startService()
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    const texts = '**/assets/en-front-*.js'

    await refuse(page, texts, 503)
    await page.goto('/sign-in')
    await page.getByRole('button', { name: en.broken.action }).waitFor()
    await page.unroute(texts)
    await reload(page).click()

    await page.getByRole('heading', { name: en.signIn.title }).waitFor()
  })
})

describe('a dialog whose script cannot be fetched', () => {
  it('leaves what was typed in another dialog, and another try opens it', async () => {
    await using w = await openEditor()
    const { page } = w

    await failing(page, questionScript, 503)
    await page.keyboard.press('Escape')
    await page.getByText(en.broken.missingPart).waitFor()
    await assertAccessible(page)
    await editor(page).focus()
    await page.keyboard.press('Escape')
    await page.getByRole('alert').filter({ hasText: en.broken.missingPart }).locator(':focus').waitFor()
    await page.unroute(questionScript)
    for (const key of ['Tab', 'Tab', 'Enter']) await page.keyboard.press(key)
    await page.getByRole('button', { name: en.unsaved.keep }).click()

    await page.getByRole('dialog', { name: en.unsaved.title }).waitFor({ state: 'detached' })
    await editor(page).and(page.locator(':focus')).waitFor()
    assert.equal(await editor(page).inputValue(), wish)
    assertNothingElse(w)
  })

  it('leaves what was typed also if it was fetched and then cannot be imported', async () => {
    await using w = await openEditor()
    const { page } = w
    const requests = await failingImport(page, questionScript)

    await page.keyboard.press('Escape')
    await page.getByText(en.broken.missingPart).waitFor()

    assert.equal(requests(), 2)
    assert.equal(await editor(page).inputValue(), wish)
    await page.getByRole('alert').getByRole('button', { name: en.broken.action }).waitFor()
    assertNothingElse(w)
  })

  it('is fetched again by the next press, after its message was closed', async () => {
    await using w = await openAs('ann', '/feedback', (page) =>
      page.getByLabel(en.feedback.content).fill(wish),
    )
    const { page } = w

    await failing(page, paletteScript, 503)
    await page.getByRole('button', { name: en.palette.open }).click()
    await page.getByRole('alert').getByRole('button', { name: en.common.close }).click()
    await page.getByText(en.broken.missingPart).waitFor({ state: 'detached' })
    await page.unroute(paletteScript)
    await page.getByRole('button', { name: en.palette.open }).click()

    await page.getByRole('dialog').waitFor()
    assert.equal(await page.getByLabel(en.feedback.content).inputValue(), wish)
    assertNothingElse(w)
  })

  it('comes with the new version of the page, which keeps what was typed', async () => {
    await using w = await openEditor()
    const { page } = w
    page.on('dialog', (question) => question.accept())

    await failing(page, questionScript, 404)
    await page.keyboard.press('Escape')
    await page.getByText(en.broken.outdated).waitFor()
    const reloaded = page.waitForEvent('load')
    await reload(page).click()
    await reloaded

    await editor(page).waitFor()
    assert.equal(await editor(page).inputValue(), wish)
    assertNothingElse(w)
  })
})

describe('a toast whose script cannot be fetched', () => {
  it('is followed by the next one, after the message about it was closed', async () => {
    await using w = await openSettings()
    const { page } = w
    const save = async (name: string) => {
      await page.getByLabel(en.profile.name).fill(name)
      await page.getByRole('button', { name: en.common.save }).click()
    }

    await failing(page, toastScript, 503)
    await save('Ann of the Harbour')
    await page.getByText(en.broken.missingPart).waitFor()
    assert.equal(await page.evaluate('document.activeElement.textContent'), en.common.save)
    await page.getByRole('alert').getByRole('button', { name: en.common.close }).click()
    await page.getByText(en.broken.missingPart).waitFor({ state: 'detached' })
    await page.unroute(toastScript)
    await save('Ann of the Lighthouse')

    await page.getByText(en.profile.saved).waitFor()
    assertNothingElse(w)
  })
})
