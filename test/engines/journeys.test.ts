import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { en } from '../../web/src/texts/en.ts'
import { addApp } from '../service/devices/factors.ts'
import type { EnginePage } from './support/engine.ts'
import { ENGINES } from './support/engines.ts'
import { enterAs, itIn } from './support/it.ts'

const CONTROL = '\uE009'

/** '' while the page hides itself. */
const SHOWN = "(document.body.checkVisibility() ? document.body.innerText : '')"
const shows = (words: string) => `${SHOWN}.includes(${JSON.stringify(words)})`

for (const engine of ENGINES)
  describe.skipIf(engine.program === undefined)(`journeys in ${engine.name}`, () => {
    const it = itIn(engine)

    it('signs up, signs out, and shows no private page again when one goes back', async ({ server, page }) => {
      await page.goto(`${server.url}/sign-up`)
      await enter(page, 'dora@example.com', 'a bench by the gate')
      await page.see('button', en.nav.signOut)
      await page.goto(`${server.url}/settings/profile`)
      await page.until(shows('dora@example.com'))

      await page.click('button', en.nav.signOut)
      await page.until("document.querySelector('input[name=password]')")
      await page.evaluate('history.back()')
      const seen: string[] = []
      do seen.push(await page.evaluate<string>(SHOWN).catch(() => ''))
      while (!seen.at(-1)?.includes(en.signIn.submit))

      assert.deepEqual(
        seen.filter((text) => text.includes('dora@example.com')),
        [],
      )
    })

    it('shows no private page in a second tab once one has signed out in the first', async ({ server, page, ann }) => {
      await enterAs(page, server, ann)
      await page.goto(`${server.url}/settings/profile`)
      await using second = await page.openTab()
      await second.goto(`${server.url}/settings/profile`)
      for (const tab of [page, second]) await tab.until(shows(ann.email))

      await second.click('button', en.nav.signOut)

      await page.until(shows(en.signIn.submit))
      await page.until(`!${shows(ann.email)}`)
    })

    it('takes a pasted code with a space in it, and needs no button', async ({ server, page, service, ann }) => {
      const app = await addApp(service, ann)
      await page.goto(`${server.url}/sign-in?next=/settings/profile`)
      await enter(page, ann.email, ann.password)
      await page.see('heading', en.secondStep.title)

      await copy(page, ` ${app.code().slice(0, 3)} ${app.code().slice(3)}\n`)
      await page.evaluate("document.querySelector('[autocomplete=one-time-code]').focus()")
      await page.hold(CONTROL, 'v')

      await page.until(shows(ann.email))
    })

    describe('without JavaScript', () => {
      it.override('look', { isWithoutScripts: true })

      it('says in both languages what is missing, and whom to ask', async ({ server, page, service }) => {
        await page.goto(`${server.url}/sign-in`)

        const text = await page.evaluate<string>('document.body.innerText')
        assert.match(text, /need JavaScript/)
        assert.match(text, /需要 JavaScript/)
        assert.ok(text.includes(service.administrator.email))
      })
    })

    it('signs in to the console and finds a user', async ({ server, page, administrator, ann, ben }) => {
      await page.goto(`${server.url}/sign-in?next=/console/users`)
      await enter(page, administrator.email, administrator.password)
      await page.until(shows(ben.email))

      await type(page, 'input[type=search]', ann.email.toUpperCase())
      await page.until(`!${shows(ben.email)} && ${shows(ann.email)}`)
    })
  })

async function enter(page: EnginePage, email: string, password: string): Promise<void> {
  await type(page, 'input[name=email]', email)
  await type(page, 'input[name=password]', password)
  await page.press('\uE006')
}

/** Copies from a letter or another window, with the surrounding text. */
async function copy(page: EnginePage, text: string): Promise<void> {
  await page.evaluate(`(() => {
    const from = document.body.appendChild(document.createElement('textarea'))
    from.value = ${JSON.stringify(text)}
    from.select()
  })()`)
  await page.hold(CONTROL, 'c')
}

async function type(page: EnginePage, selector: string, text: string): Promise<void> {
  const field = `document.querySelector(${JSON.stringify(selector)})`
  await page.until(field)
  await page.evaluate(`${field}.focus()`)
  for (const letter of text) await page.press(letter)
}
