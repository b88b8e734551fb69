import { expect, type Page } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { newcomer } from '../../service/people.ts'
import { listenAs } from '../support/live.ts'
import { test } from '../support/test.ts'

const { inbox, config, common } = en

/** Holds the next request to the path; returns when it has come, and a function that lets it go on. */
async function hold(page: Page, path: string) {
  const arrived = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  await page.route(`**${path}`, async (route) => {
    arrived.resolve()
    await released.promise
    await route.continue()
  })
  return { arrived: arrived.promise, release: () => released.resolve() }
}

async function closeWhileResolving(page: Page): Promise<() => void> {
  const { arrived, release } = await hold(page, '/api/admin/update_feedback')
  await page.getByRole('button', { name: 'Wind the clock' }).click()
  await page.getByRole('dialog').getByRole('button', { name: inbox.resolve, exact: true }).click()
  await arrived
  await page.keyboard.press('Escape')
  return release
}

test.describe('while an answer is on its way', () => {
  test('what is typed in the form that was sent stays, and is not taken for saved', async ({ openConsole }) => {
    const page = await openConsole('/console/settings/brand')
    const [name, home] = [page.getByLabel(config.fields.name), page.getByLabel(config.fields.home_url)]
    const { arrived, release } = await hold(page, '/api/admin/update_brand_config')
    await name.fill('Acme')
    await page.getByRole('button', { name: common.save }).click()
    await arrived
    await name.press('End')
    await name.pressSequentially(' & Sons')
    await home.fill('https://acme.example/')
    release()
    await expect(page.getByText(config.saved)).toBeVisible()

    await expect(name).toHaveValue('Acme & Sons')
    await expect(home).toHaveValue('https://acme.example/')
    await page.unrouteAll()
    await page.getByRole('button', { name: common.save }).click()
    await expect(page.getByRole('button', { name: en.unsaved.discard })).toHaveCount(0)
    await page.reload()
    await expect(name).toHaveValue('Acme & Sons')
    await expect(home).toHaveValue('https://acme.example/')
  })

  test('a user who has left the page is not taken back to it', async ({ openConsole, ann }) => {
    for (const content of ['Oil the drawbridge', 'Wind the clock'])
      await ann.post('/api/submit_feedback', { type: 'idea', content })
    const page = await openConsole('/console/feedback')
    const release = await closeWhileResolving(page)
    await page.getByRole('link', { name: en.console.users, exact: true }).click()
    await expect(page.getByRole('heading', { name: en.people.title })).toBeVisible()
    release()
    await expect(page.getByText(inbox.resolved).first()).toBeVisible()

    await expect(page.getByRole('heading', { name: en.people.title })).toBeVisible()
    expect(new URL(page.url()).pathname).toBe('/console/users')
  })

  test('a user who has closed the message, or filters the list, stays there', async ({ openConsole, ann }) => {
    for (const content of ['Oil the drawbridge', 'Wind the clock'])
      await ann.post('/api/submit_feedback', { type: 'idea', content })
    const page = await openConsole('/console/feedback')
    const release = await closeWhileResolving(page)
    await page.getByLabel(inbox.search).fill('Wind the clock')
    await expect(page.getByRole('button', { name: 'Oil the drawbridge' })).toHaveCount(0)
    release()
    await expect(page.getByText(inbox.resolved).first()).toBeVisible()

    expect(new URL(page.url()).search).toBe('?search=Wind+the+clock')
  })
})

test('a row that a newer one pushes off the page stays marked, and what is typed about it stays open', async ({
  page,
  service,
  administrator,
}) => {
  for (let i = 0; i < 17; i++) await administrator.post('/api/admin/create_user', { email: `user-${i}@example.com` })
  await listenAs(page, administrator, '/console/users')
  const last = page.getByRole('row').last()
  await last.getByRole('checkbox').check()
  const email = (await last.getByRole('link').textContent()) ?? ''
  await page.getByRole('button', { name: en.person.write, exact: true }).click()
  await page.getByLabel(en.publishing.headline).fill('Hello')
  const dora = await newcomer(service, 'dora@example.com')
  await service.runJob('events')
  await expect(page.getByRole('row', { includeHidden: true }).filter({ hasText: dora.email })).toHaveCount(1)

  await expect(page.getByLabel(en.publishing.headline)).toHaveValue('Hello')
  await page.getByLabel(en.publishing.content).fill('To you alone.')
  await page.getByRole('button', { name: en.person.send }).click()
  await expect(page.getByText(en.people.wroteTo(1)).first()).toBeVisible()
  const { items } = (await administrator.post('/api/admin/list_users', { search: email })).body
  const { body } = await administrator.post('/api/admin/list_notifications', { target_user_id: items[0].id })
  expect(body.items[0].target_user_id).toBe(items[0].id)
})
