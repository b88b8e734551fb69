import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { en } from '../../../web/src/texts/en.ts'
import { people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { fillSignIn } from '../support/acts.ts'
import { openBrowserSession } from '../support/browser-session.ts'

const { connecting } = en

describe('the page "Connect a product"', () => {
  for (const width of [360, 1280]) {
    it(`covers no line with its copy buttons at ${width} pixels`, async () => {
      await using service = await startService()
      const { administrator } = await people(service)
      await using browser = await openBrowserSession(service)
      const page = await browser.openPage({ viewport: { width, height: 800 } })
      await page.goto('/console/connect')
      await fillSignIn(page, administrator.email, administrator.password)

      for (const name of [connecting.signIn, connecting.check, connecting.proxy, connecting.tool]) {
        const code = page.getByRole('region', { name, exact: true })
        await code.waitFor()
        const button = page.getByRole('button', { name: connecting.copy(name), exact: true })
        await button.waitFor()
        const [text, control] = [await code.boundingBox(), await button.boundingBox()]
        assert.ok(text && control)
        const isBeside = control.x >= text.x + text.width || control.y >= text.y + text.height
        assert.ok(isBeside, `${name}: ${JSON.stringify({ text, control })}`)
      }
      assert.deepEqual(browser.complaints, [])
    })
  }
})
