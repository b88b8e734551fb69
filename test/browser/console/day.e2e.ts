import { expect, type Page } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { Person } from '../../service/people.ts'
import { choose, pressForPalette } from '../support/acts.ts'
import { test } from '../support/test.ts'

const { audit, figures, inbox, palette, people, person, publishing, common } = en
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true } as const

/** A day's work of an administrator: what is typed, and which result is taken. */
const TASKS = {
  'find a user by half a name, and see what happened': ['nn@', palette.person('ann@example.com'), person.timeLine],
  'help one who cannot sign in': ['nn@', palette.person('ann@example.com'), person.reset],
  'suspend one': [`${people.suspend} nn@`, palette.act(people.suspend, 'ann@example.com'), people.suspendReason],
  'write to one': [`${person.write} nn@`, palette.act(person.write, 'ann@example.com'), publishing.headline],
  'announce to all': ['write a', publishing.write, publishing.headline],
  'answer feedback': ['console: feed', `${en.nav.console}: ${en.console.feedback}`, 'The bell is loud'],
  export: ['console: users', `${en.nav.console}: ${en.console.users}`, en.lists.csv],
} as const

const shown = (page: Page, words: string) =>
  page.getByText(words).or(page.getByLabel(words)).filter({ visible: true }).first()

test.describe('a day of the administrator', () => {
  for (const [task, [typed, option, words]] of Object.entries(TASKS)) {
    test(`by keyboard alone: ${task}`, async ({ openConsole, ann }) => {
      await ann.post('/api/submit_feedback', { type: 'idea', content: 'The bell is loud' })
      const page = await openConsole('/console')
      await expect(page.getByRole('heading', { name: en.overview.title })).toBeVisible()

      await pressForPalette(page)
      await page.keyboard.type(typed)
      await expect(page.getByRole('option', { name: option, exact: true })).toBeVisible()
      const chosen = page.getByRole('listbox').getByRole('option', { selected: true })
      while ((await chosen.textContent())?.trim() !== option) await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')

      await expect(shown(page, words)).toBeVisible()
    })

    // Writing a file is folded away there: two presses on the list.
    if (words === en.lists.csv) continue
    test(`on a phone, in two presses: ${task}`, async ({ openConsole, ann }) => {
      await ann.post('/api/submit_feedback', { type: 'idea', content: 'The bell is loud' })
      const page = await openConsole('/console', phone)

      await page.getByRole('button', { name: palette.open }).tap()
      await page.getByRole('combobox').fill(typed)
      await page.getByRole('option', { name: option, exact: true }).tap()

      await expect(shown(page, words)).toBeVisible()
    })
  }

  test('finds the refused sign-ins of a day in two presses', async ({ openConsole, service, ann }) => {
    service.clock.advance({ days: 3 })
    await new Person(service, ann.email, 'not the password at all').signIn()
    const page = await openConsole('/console', phone)

    await choose(page, common.show, figures.kinds.refused)
    await page.getByRole('figure', { name: figures.kinds.refused }).locator('[aria-hidden] a').tap()

    await expect(shown(page, audit.actions['user.sign_in_refused'])).toBeVisible()
    await expect(shown(page, ann.email)).toBeVisible()
  })
})

test('the list of feedback is answered from its first row', async ({ openConsole, ann }) => {
  await ann.post('/api/submit_feedback', { type: 'idea', content: 'The bell is loud' })
  const page = await openConsole('/console/feedback', phone)

  await page.getByText('The bell is loud').first().tap()

  await expect(page.getByRole('dialog').getByLabel(inbox.reply, { exact: true })).toBeVisible()
})
