import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { en } from '../../../web/src/texts/en.ts'
import { grantFor } from '../../service/grants.ts'
import { type Person, people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { assertAccessible } from '../support/accessible.ts'
import { openBrowserSession } from '../support/browser-session.ts'
import { enterAs } from '../support/enter-as.ts'

const { lists } = en
const ALL = ['columns', 'csv', 'order', 'bulk'] as const

type Tool = (typeof ALL)[number]

/** What each list offers; `docs/decisions.md` says why some offer less. */
const OFFERED: Readonly<Record<string, readonly Tool[]>> = {
  '/console/users': ALL,
  '/console/feedback': ALL,
  '/console/notifications': ALL,
  '/console/beta-codes': ['columns', 'csv', 'order'],
  '/console/applications': ['columns', 'csv', 'order'],
  '/console/audit': ['columns', 'csv', 'order'],
  '/console/webhooks': ['columns', 'csv', 'bulk'],
  '/console/shards': ['columns', 'csv'],
  '/settings/access': ALL,
  '/settings/tokens': ALL,
}

async function fill(administrator: Person, ann: Person): Promise<void> {
  await grantFor(administrator, 'account:profile:read')
  const answers = [
    await ann.post('/api/submit_feedback', { type: 'idea', content: 'A second bell' }),
    await administrator.post('/api/admin/create_notification', { title: 'One', content: 'C' }),
    await administrator.post('/api/admin/generate_beta_codes', { count: 2 }),
    await administrator.post('/api/admin/create_webhook', { url: 'https://product.example/hook' }),
    await administrator.post('/api/admin/create_application', {
      name: 'Product',
      kind: 'service',
      scopes: ['admin:users:read'],
    }),
    await administrator.post('/api/create_personal_token', {
      name: 'Report',
      scopes: ['account:profile:read'],
      expires_in_days: 7,
    }),
  ]
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
}

async function offeredBy(page: Page): Promise<readonly Tool[]> {
  await page.getByRole('row').nth(1).waitFor()
  const counts: Record<Tool, number> = {
    columns: await page.getByText(lists.columns, { exact: true }).count(),
    csv: await page.getByRole('button', { name: lists.csv }).count(),
    order: await page.getByLabel(lists.order, { exact: true }).count(),
    bulk: await page.getByLabel(lists.chooseAll).count(),
  }
  return ALL.filter((tool) => counts[tool] > 0)
}

describe('lists', () => {
  it('each offer its columns and a CSV file, and an order and acts for several rows if they make sense', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await fill(administrator, ann)
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, '/console')
    await page.getByRole('heading', { name: en.overview.title, exact: true }).waitFor()

    const offered: Record<string, readonly Tool[]> = {}
    for (const path of Object.keys(OFFERED)) {
      await page.goto(path)
      offered[path] = await offeredBy(page)
    }

    assert.deepEqual(offered, OFFERED)
    assert.deepEqual(browser.complaints, [])
  })

  it('leave out the columns that were unticked, also after a reload', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, '/console/users')
    const name = page.getByRole('columnheader', { name: en.people.name })
    await name.waitFor()

    await page.getByText(lists.columns, { exact: true }).first().click()
    const choice = page.getByRole('checkbox', { name: en.people.name, exact: true })
    await choice.uncheck()
    await name.waitFor({ state: 'detached' })
    await assertAccessible(page)
    await page.keyboard.press('Escape')
    await choice.waitFor({ state: 'hidden' })
    await page.reload()
    await page.getByRole('columnheader', { name: en.people.email }).waitFor()

    assert.equal(await name.count(), 0)
    assert.deepEqual(browser.complaints, [])
  })

  it('of connected tools revoke all that are marked', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await grantFor(ann, 'account:profile:read')
    await grantFor(ann, 'account:credits:read')
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, ann, '/settings/access')

    await page.getByLabel(lists.chooseAll).check()
    await page.getByText(lists.chosen(2)).waitFor()
    await page.getByRole('button', { name: en.access.revoke, exact: true }).click()
    const dialog = page.getByRole('dialog', { name: en.access.revokeMany(2) })
    await dialog.waitFor()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: en.access.revoke }).click()
    await page.getByText(en.access.revokedMany(2)).waitFor()
    await page.getByText(en.access.emptyTitle).waitFor()

    const { body } = await ann.post('/api/list_grants')
    assert.deepEqual(
      body.items.map(({ status }: { readonly status: string }) => status),
      ['revoked', 'revoked'],
    )
    assert.deepEqual(browser.complaints, [])
  })
})
