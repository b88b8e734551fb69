import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { en } from '../../../web/src/texts/en.ts'
import { zh } from '../../../web/src/texts/zh.ts'
import { Person, people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { assertAccessible } from '../support/accessible.ts'
import { effectsRun, fillSignIn } from '../support/acts.ts'
import { openBrowserSession } from '../support/browser-session.ts'

const catalogues = { 'en-US': en, 'zh-CN': zh }

describe('the command palette', () => {
  for (const [locale, texts] of Object.entries(catalogues)) {
    const { palette, people: words, person, nav } = texts

    it(`opens the question of an action on a user, and signs out (${locale})`, async () => {
      await using service = await startService()
      const { administrator, ann, ben } = await people(service)
      await using browser = await openBrowserSession(service)
      const page = await browser.openPage({ locale })
      const dialog = (name: string) => page.getByRole('dialog', { name, exact: true })
      const choose = async (typed: string, option: string) => {
        await effectsRun(page)
        await page.keyboard.press('Control+k')
        await page.getByRole('combobox', { name: palette.search }).fill(typed)
        await page.getByRole('option', { name: option, exact: true }).click()
      }
      await page.goto('/console')
      await fillSignIn(page, administrator.email, administrator.password, texts)
      await page.getByRole('button', { name: palette.open }).waitFor()

      await choose(`${words.suspend} ann@`, palette.act(words.suspend, ann.email))
      await dialog(words.suspendTitle(ann.email)).getByLabel(words.suspendReason).fill('Too many bells')
      await assertAccessible(page)
      await page.getByRole('dialog').getByRole('button', { name: words.suspend, exact: true }).click()
      await page.getByText('Too many bells').first().waitFor()
      await dialog(words.suspendTitle(ann.email)).waitFor({ state: 'detached' })
      await page.waitForURL(`**/console/users/${ann.id}`)
      // Now without a name: this user's page is open.
      await choose(words.restore, palette.act(words.restore, ann.email))
      await dialog(words.restore).getByRole('button', { name: texts.common.close }).click()
      await dialog(words.restore).waitFor({ state: 'detached' })
      await choose(`${words.endSessions} ben`, palette.act(words.endSessions, ben.email))
      await dialog(words.endSessionsTitle(ben.email))
        .getByRole('button', { name: words.endSessions, exact: true })
        .click()
      await page.getByText(person.sessionsNone).waitFor()
      await dialog(words.endSessionsTitle(ben.email)).waitFor({ state: 'detached' })
      await choose(`${person.give} ben`, palette.act(person.give, ben.email))
      await dialog(person.giveTitle(ben.email)).getByRole('button', { name: texts.common.close }).click()
      await dialog(person.giveTitle(ben.email)).waitFor({ state: 'detached' })
      await choose(texts.codes.make, texts.codes.make)
      await page.getByRole('heading', { name: texts.codes.make }).waitFor()
      await choose(nav.signOut, nav.signOut)
      await page.getByRole('heading', { name: texts.signIn.title }).waitFor()

      assert.equal((await ann.signIn()).body.code, 'ACCOUNT_SUSPENDED')
      assert.equal((await ben.get('/api/auth/get-session')).body, null)
      assert.deepEqual(browser.complaints, [])
    })
  }

  const systems = { apple: 'Macintosh; Intel Mac OS X 10_15_7', others: 'X11; Linux x86_64' } as const
  for (const keys of ['apple', 'others'] as const) {
    it(`says which keys open it (${systems[keys]})`, async () => {
      await using service = await startService()
      const { ann } = await people(service)
      await using browser = await openBrowserSession(service)
      const page = await browser.openPage({ userAgent: `Mozilla/5.0 (${systems[keys]})` })
      await page.goto('/')
      await fillSignIn(page, ann.email, ann.password)

      const button = page.getByRole('button', { name: en.palette.open })
      await button.waitFor()

      assert.equal(await button.textContent(), `${en.palette.open}${en.palette.keys[keys]}`)
      assert.deepEqual(browser.complaints, [])
    })
  }

  it('offers nobody else an action on users', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/')
    await fillSignIn(page, ann.email, ann.password)
    await page.getByRole('button', { name: en.palette.open }).waitFor()
    await effectsRun(page)

    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: en.palette.search }).fill(en.people.suspend)

    await page.getByRole('dialog').getByText(en.palette.none).waitFor()
    assert.deepEqual(browser.complaints, [])
  })

  it('keeps what is typed while it is still being fetched', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/assets/palette-*.js', async (route) => {
      await released
      await route.continue()
    })
    await page.goto('/console/notifications')
    await fillSignIn(page, administrator.email, administrator.password)
    await page.getByRole('button', { name: en.publishing.write }).focus()
    await effectsRun(page)

    const fetching = page.waitForRequest('**/assets/palette-*.js')
    await page.keyboard.press('Control+k')
    await fetching
    await page.keyboard.type('Webx')
    await page.keyboard.press('Backspace')
    await page.keyboard.type('hooks ')
    release()
    const search = page.getByRole('combobox', { name: en.palette.search }).and(page.locator(':focus'))
    await search.waitFor()
    await page.keyboard.press('Backspace')
    await page.getByRole('option', { name: `${en.nav.console}: ${en.console.webhooks}` }).waitFor()

    assert.equal(await search.inputValue(), 'Webhooks')
    assert.deepEqual(browser.complaints, [])
  })

  it('does not open on top of a dialog in which something is typed', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/console/notifications')
    await fillSignIn(page, administrator.email, administrator.password)
    await page.getByRole('button', { name: en.publishing.write }).waitFor()
    await effectsRun(page)
    const palette = page.getByRole('dialog', { name: en.palette.title })
    await page.keyboard.press('Control+k')
    await palette.waitFor()
    await page.keyboard.press('Control+k')
    await palette.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: en.publishing.write }).click()
    await page.getByLabel(en.publishing.headline).fill('Maintenance')

    await page.keyboard.press('Control+k')
    await effectsRun(page)
    await page.keyboard.type(' on Sunday')

    assert.equal(await page.getByLabel(en.publishing.headline).inputValue(), 'Maintenance on Sunday')
    assert.equal(await palette.count(), 0)
  })

  it('leads to all users that match if there are more than it shows, and its field stays where it is', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    for (const name of ['dora', 'emil', 'fay']) {
      await new Person(service, `${name}@example.com`, 'a lantern in the gateway').signUp()
    }
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/console')
    await fillSignIn(page, administrator.email, administrator.password)
    await page.getByRole('button', { name: en.palette.open }).click()
    const field = page.getByRole('combobox', { name: en.palette.search })
    await field.waitFor()
    const before = await field.boundingBox()

    await field.fill('example.com')
    await page.getByRole('option', { name: en.palette.everybody(6) }).waitFor()
    const after = await field.boundingBox()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.getByText('dora@example.com').waitFor()

    assert.deepEqual(after, before)
    assert.equal(new URL(page.url()).search, '?search=example.com')
    assert.deepEqual(browser.complaints, [])
  })
})
