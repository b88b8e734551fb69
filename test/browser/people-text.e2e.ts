import { expect } from '@playwright/test'
import { en } from '../../web/src/texts/en.ts'
import { assertAccessible } from './support/accessible.ts'
import { fillSignIn } from './support/acts.ts'
import { test } from './support/test.ts'

const longWord = 'drawbridge'.repeat(60)
const arabic = 'الجسر المتحرك يصدر صريرا (جدا)'
const withLink = `See https://example.com/${'squeak'.repeat(40)}?a=(b), and oil it.`

test.describe('what people write', () => {
  for (const [screen, viewport] of [
    ['a wide screen', { width: 1280, height: 832 }],
    ['a phone', { width: 390, height: 844 }],
  ] as const) {
    test(`hides no column on ${screen}`, async ({ openConsole, ann }) => {
      await ann.post('/api/submit_feedback', { type: longWord.slice(0, 64), content: longWord })
      const page = await openConsole('/console/feedback', { viewport })

      const listed = page.getByLabel(en.inbox.title, { exact: true })
      await expect(listed.getByText(en.inbox.statuses.new)).toBeInViewport({ ratio: 1 })
    })
  }

  test('keeps its direction, its lines and its links, which are nofollow', async ({ enterAs, administrator, ann }) => {
    await administrator.post('/api/admin/create_notification', { title: arabic, content: withLink })
    await ann.post('/api/auth/update-user', { name: arabic })
    const page = await enterAs(ann, '/notifications')

    await expect(page.getByRole('heading', { name: arabic })).toHaveCSS('direction', 'rtl')
    // Cut off at its end.
    await expect(page.getByRole('complementary').getByText(arabic)).toHaveCSS('direction', 'rtl')
    const link = page.getByRole('link', { name: 'https://example.com/squeak' })
    await expect(link).toHaveAttribute('href', /\?a=\(b\)$/)
    await expect(link).toHaveAttribute('rel', /nofollow.*noopener/)
    await assertAccessible(page)
  })

  test('of ten thousand characters opens on request', async ({ enterAs, administrator, ann }) => {
    const content = `${'A long story. '.repeat(700)}The end.`
    await administrator.post('/api/admin/create_notification', { title: 'Story', content })
    const page = await enterAs(ann, '/notifications')

    const more = page.getByRole('button', { name: en.common.showMore })
    await expect(more).toBeVisible()
    const heightOf = async () => (await page.getByRole('article').boundingBox())?.height ?? 0
    expect(await heightOf()).toBeLessThan(500)
    await more.click()
    await expect(page.getByRole('button', { name: en.common.showLess })).toBeVisible()
    expect(await heightOf()).toBeGreaterThan(1500)
  })

  test('can be a picture that cannot be loaded: then the initial is shown', async ({ page, ann }) => {
    await ann.post('/api/auth/update-user', {
      name: '李小龙',
      image: 'https://avatars.githubusercontent.com/none.png',
    })
    await page.route('https://avatars.githubusercontent.com/**', (route) => route.abort())
    await page.goto('/settings')
    await fillSignIn(page, ann.email, ann.password)

    await expect(page.getByRole('complementary').getByText('李', { exact: true })).toBeVisible()

    await expect(page.locator('img')).toHaveCount(0)
  })
})
