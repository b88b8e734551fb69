import { expect, type Page } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { assertAccessible } from '../support/accessible.ts'
import { effectsRun, failing } from '../support/acts.ts'
import { test as base } from '../support/test.ts'

const { inbox } = en

const test = base.extend<{
  inboxPage: Page
  statuses: () => Promise<readonly [content: string, status: string][]>
}>({
  /** Has three messages, the newest first. */
  inboxPage: async ({ service, administrator, ann, enterAs }, use) => {
    for (const content of ['First', 'Second', 'Third']) {
      await ann.post('/api/submit_feedback', { type: 'idea', content })
      service.clock.advance({ minutes: 1 })
    }
    await use(await enterAs(administrator, '/console/feedback'))
  },
  statuses: async ({ administrator }, use) => {
    await use(async () => {
      const { body } = await administrator.post('/api/admin/list_feedbacks')
      return body.items.map(({ content, status }: Record<string, string>) => [content, status])
    })
  },
})

/** The message that is open. */
const saying = (page: Page, content: string) =>
  page
    .getByRole('dialog')
    .getByRole('paragraph')
    .filter({ hasText: new RegExp(`^${content}$`) })

test.describe('the inbox', () => {
  test('is walked with keys, answered and resolved in one act', async ({ inboxPage: page, ann, statuses }) => {
    const dialog = page.getByRole('dialog')
    await expect(page.getByRole('button', { name: 'Third' })).toBeVisible()
    await expect(page.getByRole('table').getByText(ann.email).first()).toBeVisible()
    await effectsRun(page)

    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await expect(dialog.getByText(inbox.earlier)).toBeVisible()
    await assertAccessible(page)
    await page.keyboard.press('j')
    await expect(saying(page, 'Second')).toBeVisible()
    await dialog.getByLabel(inbox.reply).fill('Thank you, j.')
    await page.keyboard.press('Control+Enter')
    await expect(saying(page, 'First')).toBeVisible()
    await effectsRun(page)
    await page.keyboard.press('e')
    await expect(dialog).toHaveCount(0)

    expect(await statuses()).toEqual([
      ['Third', 'new'],
      ['Second', 'done'],
      ['First', 'done'],
    ])
    const answer = await ann.post('/api/list_notifications')
    expect(answer.body.items[0].content).toBe('Thank you, j.')
  })

  test('takes a key that is held down for one message only', async ({ inboxPage: page, statuses }) => {
    await page.getByRole('button', { name: 'Third' }).click()
    await expect(saying(page, 'Third')).toBeVisible()
    await effectsRun(page)

    await page.keyboard.down('e')
    await expect(saying(page, 'Second')).toBeVisible()
    await effectsRun(page)
    await page.keyboard.down('e')
    await page.keyboard.up('e')
    await page.keyboard.press('j')
    await expect(saying(page, 'First')).toBeVisible()
    await page.waitForLoadState('networkidle')

    expect((await statuses()).map(([, status]) => status)).toEqual(['done', 'new', 'new'])
  })

  test('takes no keys behind the question about a reply', async ({ inboxPage: page, statuses }) => {
    await page.getByRole('button', { name: 'Third' }).click()
    await page.getByRole('dialog').getByLabel(inbox.reply).fill('Thank you.')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('heading', { name: en.unsaved.title })).toBeVisible()
    await effectsRun(page)

    await page.keyboard.press('e')
    await page.getByRole('button', { name: en.unsaved.keep }).click()
    await page.waitForLoadState('networkidle')

    await expect(page.getByRole('dialog').getByLabel(inbox.reply)).toHaveValue('Thank you.')
    expect((await statuses()).map(([, status]) => status)).toEqual(['new', 'new', 'new'])
  })

  test('says why a message cannot be marked as done', async ({ inboxPage: page }) => {
    await page.getByRole('button', { name: 'Third' }).click()
    await failing(page, '/api/admin/update_feedback')
    const dialog = page.getByRole('dialog')

    await dialog.getByRole('button', { name: inbox.resolve, exact: true }).click()

    await expect(dialog.getByRole('alert').getByText(en.failures.INTERNAL_ERROR)).toBeVisible()
  })
})
