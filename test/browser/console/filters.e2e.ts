import { expect } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { assertAccessible } from '../support/accessible.ts'
import { paste } from '../support/acts.ts'
import { test } from '../support/test.ts'

/** A key is pressed after the address has changed, before the page has been drawn with it. */
const TYPE_DURING_NEXT_STEP = `
  const { pushState } = history
  history.pushState = (...given) => {
    history.pushState = pushState
    history.pushState(...given)
    document.execCommand('insertText', false, 'n')
  }
`

test.describe('filters', () => {
  test('of the audit log find a user, and can be removed', async ({ openConsole, administrator, ann }) => {
    await ann.signIn()
    await administrator.saveSettings('credits', { signup_reward_amount: 5 })
    const page = await openConsole('/console/audit')

    await page.getByLabel(en.people.search).fill('ann@')
    await expect(page).toHaveURL(/search=ann/)
    await page.getByRole('button', { name: 'ann@example.com' }).first().click()
    const chips = page.getByRole('list', { name: en.filters.active })
    await expect(chips.getByText('ann@example.com')).toBeVisible()
    await expect(page.getByRole('row').filter({ hasText: administrator.email })).toHaveCount(0)
    await assertAccessible(page)
    await page.getByRole('button', { name: en.filters.remove(en.audit.actor) }).click()
    await page.getByLabel(en.people.search).fill('')
    await page.getByRole('button', { name: en.audit.about['settings.update'] }).click()
    const chosen = { name: en.audit.actions['settings.update'], selected: true }
    await expect(page.getByRole('option', chosen)).toBeAttached()

    await expect(page).toHaveURL(/action=settings\.update/)
    await expect(chips).toHaveCount(0)
  })

  test('of the inbox show whose messages are seen, and any kind can be chosen', async ({ openConsole, ann, ben }) => {
    await ann.post('/api/submit_feedback', { type: 'wish', content: 'A second bell' })
    await ann.post('/api/submit_feedback', { type: 'idea', content: 'A third bell' })
    await ben.post('/api/submit_feedback', { type: 'wish', content: 'A lantern' })
    const page = await openConsole(`/console/feedback?user_id=${ann.id}`)

    await expect(page.getByRole('list', { name: en.filters.active }).getByText('ann@example.com')).toBeVisible()
    await page.getByRole('button', { name: 'wish' }).click()
    await expect(page.getByText('A third bell')).toHaveCount(0)
    await page.getByRole('button', { name: en.filters.remove(en.inbox.sender) }).click()
    await expect(page.getByText('A lantern')).toBeVisible()

    await expect(page.getByLabel(en.inbox.type)).toHaveValue('wish')
  })

  test('of the inbox keep what was typed when a row is pressed', async ({ openConsole, ann }) => {
    await ann.post('/api/submit_feedback', { type: 'idea', content: 'A second bell' })
    const page = await openConsole('/console/feedback')
    await expect(page.getByRole('button', { name: 'A second bell' })).toBeVisible()

    await page.getByLabel(en.inbox.search).fill('bell')
    await page.getByRole('button', { name: 'A second bell' }).click()
    await expect(page).toHaveURL(/open=/)

    await expect(page).toHaveURL(/search=bell/)
  })

  test('of the users keep a letter that is typed while the list changes', async ({ openConsole }) => {
    const page = await openConsole('/console/users')
    const field = page.getByLabel(en.people.search)
    await field.focus()
    await page.evaluate(TYPE_DURING_NEXT_STEP)

    await field.pressSequentially('an')
    await expect(page).toHaveURL(/search=ann/)

    await expect(field).toHaveValue('ann')
  })

  test('of the inbox take as much of a pasted text as can be searched for', async ({ openConsole, ann }) => {
    const content = 'The bell rings. '.repeat(20)
    await ann.post('/api/submit_feedback', { type: 'idea', content })
    const page = await openConsole('/console/feedback')
    await expect(page.getByRole('table')).toBeVisible()

    await paste(page.getByLabel(en.inbox.search), content)
    await expect(page).toHaveURL(/search=/)

    await expect(page.getByRole('row').filter({ hasText: 'The bell rings.' })).toBeVisible()
  })

  test('of the users are one step back for each visit to the field, however often the typing paused', async ({
    openConsole,
  }) => {
    const page = await openConsole('/console')
    await page.getByRole('navigation').getByRole('link', { name: en.people.title }).click()
    const field = page.getByLabel(en.people.search)

    for (const typed of ['an', 'ann', 'ann@']) {
      await field.fill(typed)
      await expect(page).toHaveURL(`/console/users?${new URLSearchParams({ search: typed })}`)
    }
    await page.goBack()
    await expect(page.getByText('ben@example.com')).toBeVisible()
    await expect(page).toHaveURL('/console/users')
    await expect(field).toHaveValue('')

    await field.fill('ann')
    await expect(page).toHaveURL(/search=ann$/)
    await field.blur()
    await field.fill('ben')
    await expect(page).toHaveURL(/search=ben$/)
    await page.goBack()
    await expect(page.getByText('ann@example.com')).toBeVisible()
    await expect(field).toHaveValue('ann')
  })

  test('of two days say that they are the wrong way round, and are one step back however they were typed', async ({
    openConsole,
  }) => {
    const page = await openConsole('/console/users')
    await page.getByLabel(en.people.since).first().selectOption('dates')
    const days = page.getByRole('group', { name: en.people.since })

    await days.getByLabel(en.lists.from).fill('2026-11-10')
    await days.getByLabel(en.lists.to).fill('2026-11-01')
    await expect(page.getByRole('alert').getByText(en.lists.daysReversed)).toBeVisible()
    await days.getByLabel(en.lists.to).fill('2026-11-12')
    await expect(page.getByText(en.lists.daysReversed)).toHaveCount(0)
    await page.goBack()

    await expect(page).toHaveURL('/console/users')
  })
})
