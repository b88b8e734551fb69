import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { piecesOf } from '../../web/src/links.ts'
import { en } from '../../web/src/texts/en.ts'
import { people } from '../service/people.ts'
import { startService } from '../service/service.ts'
import { assertAccessible } from './support/accessible.ts'
import { drawn, fillSignIn } from './support/acts.ts'
import { openBrowserSession } from './support/browser-session.ts'

const longWord = 'drawbridge'.repeat(60)
const arabic = 'الجسر المتحرك يصدر صريرا (جدا)'
const withLink = `See https://example.com/${'squeak'.repeat(40)}?a=(b), and oil it.`

/** How far the page can be pushed sideways. */
const sidewaysOf = (page: Page) =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')

describe('the links in what people write', () => {
  it('are found in one pass, also in a text for which trying every dot would take hours', () => {
    for (const text of [
      `http://x${'.'.repeat(1_000_000)}a`,
      'http://x.)'.repeat(100_000),
      'http://'.repeat(140_000),
    ]) {
      const pieces = piecesOf(text).map((piece) => piece.text)

      assert.ok(pieces.join('') === text)
    }
  })

  it('end before the punctuation of their sentence', () => {
    const found = (text: string) => piecesOf(text).flatMap(({ url }) => url ?? [])

    assert.deepEqual(found('(See https://example.com/a.b?c=(d)...)!'), ['https://example.com/a.b?c=(d)'])
    assert.deepEqual(found('https://example.com/a, https://example.com/b。'), [
      'https://example.com/a',
      'https://example.com/b',
    ])
  })
})

describe('what people write', () => {
  for (const [screen, viewport] of [
    ['a wide screen', { width: 1280, height: 832 }],
    ['a phone', { width: 390, height: 844 }],
  ] as const) {
    it(`never makes a page scroll sideways on ${screen}, and hides no column`, async () => {
      await using service = await startService()
      const { administrator, ann } = await people(service)
      await ann.post('/api/auth/update-user', { name: longWord.slice(0, 200) })
      await ann.post('/api/submit_feedback', { type: longWord.slice(0, 64), content: longWord })
      await administrator.post('/api/admin/create_notification', {
        type: longWord.slice(0, 64),
        title: longWord.slice(0, 200),
        content: longWord,
      })
      await using browser = await openBrowserSession(service)
      const page = await browser.openPage({ viewport })
      await page.goto('/console/feedback')
      await fillSignIn(page, administrator.email, administrator.password)
      const listed = page.getByLabel(en.inbox.title, { exact: true })
      await listed.getByText(en.inbox.statuses.new).waitFor()
      const status = await listed.getByText(en.inbox.statuses.new).boundingBox()

      const pushed: string[] = []
      for (const path of [
        '/',
        '/notifications',
        '/console/feedback',
        '/console/notifications',
        '/console/users',
        '/console/audit',
        '/console',
        `/console/users/${ann.id}`,
      ]) {
        await page.goto(path, { waitUntil: 'networkidle' })
        await drawn(page)
        if ((await sidewaysOf(page)) > 0) pushed.push(path)
      }

      assert.deepEqual(pushed, [])
      assert.ok(status && status.x + status.width <= viewport.width, 'the status is on the screen')
    })
  }

  it('keeps its own direction, its lines and its links, which are marked nofollow', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await administrator.post('/api/admin/create_notification', { title: arabic, content: withLink })
    await ann.post('/api/auth/update-user', { name: arabic })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/notifications')
    await fillSignIn(page, ann.email, ann.password)

    await page.getByRole('heading', { name: arabic }).waitFor()
    const link = page.getByRole('link', { name: 'https://example.com/squeak' })

    assert.equal(
      await page.evaluate("getComputedStyle(document.querySelector('article h2')).direction"),
      'rtl',
    )
    await page.getByRole('complementary').getByText(arabic).waitFor()
    const ownName = `[...document.querySelectorAll('aside p')].find(({ textContent }) => textContent === '${arabic}')`
    assert.equal(await page.evaluate(`getComputedStyle(${ownName}).direction`), 'rtl', 'cut off at its end')
    assert.match((await link.getAttribute('href')) ?? '', /\?a=\(b\)$/)
    assert.match((await link.getAttribute('rel')) ?? '', /nofollow.*noopener/)
    await assertAccessible(page)
  })

  it('of ten thousand characters opens on request', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const content = `${'A long story. '.repeat(700)}The end.`
    await administrator.post('/api/admin/create_notification', { title: 'Story', content })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/notifications')
    await fillSignIn(page, ann.email, ann.password)

    const more = page.getByRole('button', { name: en.common.showMore })
    await more.waitFor()
    const heightOf = async () => (await page.getByRole('article').boundingBox())?.height ?? 0
    const clamped = await heightOf()
    await more.click()
    await page.getByRole('button', { name: en.common.showLess }).waitFor()

    assert.ok(clamped < 500 && (await heightOf()) > 1500)
  })

  it('may be a picture that cannot be loaded: then the initial is shown', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await ann.post('/api/auth/update-user', { name: '李小龙', image: 'https://pictures.example/none.png' })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.route('https://pictures.example/**', (route) => route.abort())
    await page.goto('/settings')
    await fillSignIn(page, ann.email, ann.password)

    await page.getByRole('complementary').getByText('李', { exact: true }).waitFor()

    await page.locator('img').first().waitFor({ state: 'detached' })
  })
})
