import { readFileSync } from 'node:fs'
import { expect } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { assertAccessible } from '../support/accessible.ts'
import { fillSignIn } from '../support/acts.ts'
import { test } from '../support/test.ts'

test('the console does not exist for anyone else', async ({ enterAs, ann }) => {
  const page = await enterAs(ann, '/console/users')

  await expect(page.getByText(en.missing.title)).toBeVisible()
  await expect(page.getByRole('link', { name: en.console.audit })).toHaveCount(0)
})

test('feedback is exported as CSV, all of what the filters show', async ({ openConsole, ann }) => {
  for (let i = 0; i < 120; i++) {
    await ann.post('/api/submit_feedback', { type: 'idea', content: `Line ${i}, "quoted"` })
  }
  const page = await openConsole('/console/feedback')

  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: en.lists.csv }).click()
  const lines = readFileSync(await (await download).path(), 'utf8').split('\r\n')

  expect([lines.length, lines.at(-1)]).toEqual([122, ''])
  expect(lines[0]).toMatch(/^\uFEFFid,user_id,type,content,status/)
  expect(lines[1]).toMatch(/"Line 0, ""quoted"""/)
  expect(lines[120]).toMatch(/"Line 119, ""quoted"""/)
})

test('the overview says what a restart has taken away, with the command that helps', async ({
  openConsole,
  service,
}) => {
  const page = await openConsole('/console')
  await expect(page.getByText(en.overview.troublesTitle(1))).toHaveCount(0)
  await changeSettings(service, 'authentication', { challenge_enabled: true })
  await page.reload()

  const notice = page.getByRole('alert').filter({ hasText: en.overview.troublesTitle(1) })
  await expect(notice.getByText(/CHALLENGE_SITE_KEY and CHALLENGE_SECRET are not set/)).toBeVisible()
  await expect(notice.getByText('gatehouse admin switch-off-challenge', { exact: true })).toBeVisible()
})

test.describe('shards in the console', () => {
  test('have their users written as every other number is', async ({ page, administrator }) => {
    const room = { free_bytes: 12_300_000_000, size_bytes: null, leaving: 1, arriving: 0 }
    const items = [{ id: 'apac-1', region: 'apac', state: 'draining', users: 1_234_567, ...room }]
    const json = { items, total: 1, unused: ['apac-2'], configured: 'apac-1:apac=/data/apac-1.sqlite' }
    await page.route('**/api/admin/list_shards', (route) => route.fulfill({ json }))
    await page.goto('/console/shards')
    await fillSignIn(page, administrator.email, administrator.password)

    await expect(page.getByRole('row').getByText('1,234,567', { exact: true })).toBeVisible()
    await expect(page.getByRole('row').getByText(en.shards.free('12.3 GB'))).toBeVisible()
    await expect(page.getByRole('row').getByText(en.shards.leaving(1_234_567, 1))).toBeVisible()
    await expect(page.getByText(en.shards.unused('apac-2'))).toBeVisible()
  })

  test('are told how to get another one, with the line of the server and the command', async ({
    openConsole,
    service,
  }) => {
    const page = await openConsole('/console/shards')

    await page.getByLabel(en.shards.region, { exact: true }).selectOption('weur')

    const present = service.config.shards.map(({ id, region, url }) => `${id}:${region}=${url}`).join(',')
    const line = page.getByRole('region', { name: en.shards.line })
    await expect(line).toContainText(`SHARDS=${present},weur-2:weur=`)
    await expect(page.getByRole('region', { name: en.shards.command })).toHaveText('gatehouse shards add weur-2')
    await assertAccessible(page)
  })

  test('stop taking new users and take them again', async ({ openConsole }) => {
    const page = await openConsole('/console/shards')
    const row = page.getByRole('row').filter({ hasText: 'weur-1' })

    await row.getByRole('button', { name: en.shards.actions.draining }).click()
    await page.getByRole('dialog').getByRole('button', { name: en.shards.actions.draining }).click()
    await expect(row.getByText(en.shards.states.draining)).toBeVisible()
    await row.getByRole('button', { name: en.shards.actions.active }).click()

    await expect(row.getByText(en.shards.states.active)).toBeVisible()
  })

  test('are never all closed to new users, and the page says why', async ({ openConsole, administrator }) => {
    await administrator.post('/api/admin/update_shard', { id: 'apac-1', state: 'draining' })
    const page = await openConsole('/console/shards')
    const row = page.getByRole('row').filter({ hasText: 'weur-1' })
    await row.getByRole('button', { name: en.shards.actions.draining }).click()
    await administrator.post('/api/admin/update_shard', { id: 'oc-1', state: 'draining' })

    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: en.shards.actions.draining }).click()
    await expect(dialog.getByText(en.failures.LAST_ACTIVE_SHARD)).toBeVisible()
    await page.reload()

    await expect(row.getByText(en.shards.last)).toBeVisible()
    await expect(row.getByRole('button')).toHaveCount(0)
  })

  test.describe('of which there are many', () => {
    const ids = Array.from({ length: 21 }, (_, i) => `apac-${String(i).padStart(2, '0')}`)
    test.use({ serviceOptions: { env: { SHARDS: ids.map((id) => `${id}:apac=${id}.sqlite`).join() } } })

    test('are all listed', async ({ openConsole }) => {
      const page = await openConsole('/console/shards')

      await expect(page.getByRole('row').filter({ hasText: 'apac-' })).toHaveCount(ids.length)
    })
  })
})
