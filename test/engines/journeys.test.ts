import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { en } from '../../web/src/texts/en.ts'
import { findExecutable } from '../processes/executable.ts'
import { type Listening, listening } from '../processes/listening.ts'
import { it as withService } from '../service/it.ts'
import { EnginePage } from './support/engine.ts'
import { openFirefox } from './support/firefox.ts'
import { openWebKit } from './support/webkit.ts'

const firefox = findExecutable('firefox-esr', 'firefox')
const webKit = findExecutable('xvfb-run') && findExecutable('WebKitWebDriver')
const ENGINES = [
  { name: 'Firefox', program: firefox, open: openFirefox },
  { name: 'WebKit', program: webKit, open: openWebKit },
]

/** '' while the page hides itself. */
const SHOWN = "(document.body.checkVisibility() ? document.body.innerText : '')"
const shows = (words: string) => `${SHOWN}.includes(${JSON.stringify(words)})`

for (const { name, program, open } of ENGINES)
  describe.skipIf(program === undefined)(`journeys in ${name}`, () => {
    const it = withService.extend<{ server: Listening; page: EnginePage }>({
      server: async ({ service }, use) => {
        await using server = await listening(service)
        await use(server)
      },
      // biome-ignore lint/correctness/noEmptyPattern: vitest reads which fixtures a fixture needs from its parameter.
      page: async ({}, use) => {
        await using engine = await open(program ?? '')
        await use(new EnginePage(engine))
      },
    })

    it('signs up, signs out, and shows no private page again when one goes back', async ({
      server,
      page,
    }) => {
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

async function type(page: EnginePage, selector: string, text: string): Promise<void> {
  const field = `document.querySelector(${JSON.stringify(selector)})`
  await page.until(field)
  await page.evaluate(`${field}.focus()`)
  for (const letter of text) await page.press(letter)
}
