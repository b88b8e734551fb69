import { readFileSync } from 'node:fs'
import { expect } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { grantFor } from '../../service/grants.ts'
import { assertAccessible } from '../support/accessible.ts'
import { test } from '../support/test.ts'

const { person, lists, access } = en

test.describe('the page of a person', () => {
  test('shows what is known and what happened, in both themes and on a phone', async ({
    openConsole,
    administrator,
    ann,
  }) => {
    await ann.post('/api/submit_feedback', { type: 'idea', content: 'A bell at the gate' })
    await grantFor(ann, 'operations:feedback:write')
    await administrator.post('/api/admin/give_credits', { id: ann.id, amount: 250 })
    await administrator.post('/api/admin/create_notification', {
      title: 'A word to Ann',
      content: 'Only for her.',
      target_user_id: ann.id,
    })

    for (const options of [
      { colorScheme: 'light' },
      { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
    ] as const) {
      const page = await openConsole(`/console/users/${ann.id}`, options)
      await expect(page.getByRole('heading', { name: ann.email })).toBeVisible()
      const region = (name: string) =>
        page.locator('section', { has: page.getByRole('heading', { name, exact: true }) })
      await expect(region(en.settings.sessions).getByText(access.used).first()).toBeVisible()
      await expect(region(en.home.credits).getByText('+250')).toBeVisible()
      await expect(region(en.inbox.title).getByText('A bell at the gate')).toBeVisible()
      const line = region(person.timeLine)
      await expect(line.getByText('A word to Ann')).toBeVisible()
      await expect(line.getByText('A bell at the gate')).toBeVisible()
      await expect(line.getByText(person.gotCredits('+250'))).toBeVisible()
      await expect(line.getByRole('listitem').last().getByText(person.signedUp)).toBeVisible()
      await assertAccessible(page)
      await line.getByLabel(person.timeLine).selectOption('message')
      await expect(line.getByText('A bell at the gate')).toHaveCount(0)
      await page.context().close()
    }
  })

  test('shows nothing older while newer things are not shown yet', async ({
    openConsole,
    service,
    administrator,
    ann,
  }) => {
    await ann.post('/api/submit_feedback', { type: 'idea', content: 'A bell at the gate' })
    service.clock.advance({ hours: 1 })
    for (let amount = 1; amount <= 25; amount++) {
      await administrator.post('/api/admin/give_credits', { id: ann.id, amount })
    }
    const page = await openConsole(`/console/users/${ann.id}`)
    const line = page.locator('section', { has: page.getByRole('heading', { name: person.timeLine }) })
    const oldest = line.getByText('A bell at the gate')
    await expect(line.getByText(person.gotCredits('+25'))).toBeVisible()

    await expect(oldest).toHaveCount(0)
    await line.getByRole('button', { name: person.more }).click()
    await expect(oldest).toBeVisible()
    await expect(line.getByText(person.gotCredits('+1'), { exact: true })).toBeVisible()
  })

  test('says so if there is no user with that id, and offers no other try', async ({ openConsole }) => {
    const page = await openConsole('/console/users/nobody')

    await expect(page.getByText(en.failures.NOT_FOUND)).toBeVisible()
    await expect(page.getByRole('button', { name: en.common.tryAgain })).toHaveCount(0)
  })
})

test.describe('the list of users', () => {
  test('is sorted, acts on several, and its CSV runs nothing', async ({ openConsole, administrator, ann, ben }) => {
    await ann.post('/api/auth/update-user', { name: '=HYPERLINK("https://evil.example")' })
    const page = await openConsole('/console/users')

    await page.getByRole('columnheader', { name: en.people.user }).getByRole('button').click()
    await expect(page).toHaveURL(/order=email/)
    await expect(page.getByRole('row').nth(1).filter({ hasText: administrator.email })).toBeVisible()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: lists.csv }).click()
    const text = readFileSync(await (await download).path(), 'utf8')
    for (const { email } of [ann, ben]) await page.getByLabel(lists.choose(email)).check()
    await expect(page.getByText(lists.chosen(2))).toBeVisible()
    await page.getByRole('button', { name: en.people.endSessions }).click()
    await page.getByRole('dialog').getByRole('button', { name: en.people.endSessions }).click()
    await expect(page.getByText(en.people.endedSessionsOf(2))).toBeVisible()

    expect(text).toMatch(/"'=HYPERLINK\(""https/)
    expect(text.trim().split('\r\n')).toHaveLength(4)
    for (const one of [ann, ben]) expect((await one.get('/api/auth/get-session')).body).toBe(null)
    expect((await administrator.get('/api/auth/get-session')).status).toBe(200)
  })
})
