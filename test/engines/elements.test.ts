import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'vitest'
import { productOf } from '../browser/support/product.ts'
import { freePort } from '../processes/free-port.ts'
import { EnginePage } from './support/engine.ts'
import { ENGINES } from './support/engines.ts'

const HTML = fileURLToPath(new URL('../../examples/elements/index.html', import.meta.url))
const ESCAPE = '\uE00C'

/** The height of the header with the elements in it, and before they are there. */
const HEIGHTS = `(() => {
  const header = document.querySelector('header')
  const empty = header.cloneNode(false)
  header.after(empty)
  const heights = [header.offsetHeight, empty.offsetHeight]
  empty.remove()
  return heights
})()`

/** The theme of the element, a part that the page styles, and a scrollbar that is not the engine's own. */
const LOOK = `(() => {
  const bell = document.querySelector('gatehouse-notifications')
  bell.setAttribute('theme', 'dark')
  const look = new CSSStyleSheet()
  look.replaceSync('gatehouse-notifications::part(panel) { border-top-width: 3px }')
  document.adoptedStyleSheets = [look]
  const { backgroundColor, borderTopWidth, scrollbarColor } = getComputedStyle(
    bell.shadowRoot.querySelector('[part=panel]')
  )
  return [backgroundColor, borderTopWidth, scrollbarColor !== 'auto'].join(' ')
})()`

describe.each(ENGINES)('examples/elements in $name', ({ program, open }) => {
  it.skipIf(program === undefined)(
    'has the menu, the bell, live, and the dialog, by pointer and keyboard',
    async () => {
      const html = readFileSync(HTML, 'utf8')
      await using place = await productOf(await freePort(), ({ gatehouse }) => ({
        '/': html.replace('http://localhost:5173', gatehouse.url),
      }))
      await using engine = await open(program ?? '')
      const page = new EnginePage(engine)

      await page.goto(place.url)
      await page.see('button', 'Sign in')
      const [height, empty] = await page.evaluate<readonly number[]>(HEIGHTS)
      assert.equal(height, empty)
      for (const [name, value] of place.ann.cookies) {
        await page.evaluate(`document.cookie = '${name}=${value}; path=/'`)
      }
      await page.goto(place.url)
      await page.click('button', 'Notifications, 1 unread')
      await page.see('heading', 'News')
      assert.equal(await page.evaluate(LOOK), 'rgb(27, 29, 32) 3px true')
      await place.administrator.post('/api/admin/create_notification', {
        title: 'Live',
        content: 'Now.',
        level: 'warning',
      })
      await place.service.runJob('events')
      await page.see('heading', 'Live')
      await page.see('text', 'Warning')
      await page.click('button', 'Mark all as read')
      await page.see('button', 'Notifications')
      await page.press(ESCAPE)
      await page.until(`document.activeElement.localName === 'gatehouse-notifications'`)

      await page.click('button', 'Feedback')
      for (const letter of 'Cheaper') await page.press(letter)
      await page.click('button', 'Send')
      await page.see('text', 'Thank you. We have received it.')
      await page.press(ESCAPE)
      await page.click('button', `Your account: ${place.ann.email}`)
      await page.see('link', 'Billing')
      await page.click('button', 'Sign out')
      await page.see('button', 'Sign in')

      const { body } = await place.administrator.post('/api/admin/list_feedbacks')
      assert.deepEqual(
        body.items.map(({ content }: { content: string }) => content),
        ['Cheaper'],
      )
    },
  )
})
