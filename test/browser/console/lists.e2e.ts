import { expect, type Page } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { grantFor } from '../../service/grants.ts'
import { assertAccessible } from '../support/accessible.ts'
import { fillSignIn } from '../support/acts.ts'
import { test } from '../support/test.ts'

const { lists } = en
const ALL = ['columns', 'csv', 'order', 'bulk'] as const

type Tool = (typeof ALL)[number]

/** The tools of each list; `docs/decisions.md` says why some offer fewer. */
const OFFERED: Readonly<Record<string, readonly Tool[]>> = {
  '/console/users': ALL,
  '/console/feedback': ALL,
  '/console/notifications': ALL,
  '/console/beta-codes': ['columns', 'csv', 'order'],
  '/console/applications': ['columns', 'csv', 'order'],
  '/console/audit': ['columns', 'csv', 'order'],
  '/console/webhooks': ['columns', 'csv', 'bulk'],
  '/console/shards': ['columns', 'csv'],
  '/settings/access': ['columns', 'csv', 'bulk'],
  '/settings/tokens': ['columns', 'csv', 'bulk'],
}

const FILLED = [
  ['admin/create_notification', { title: 'One', content: 'C' }],
  ['admin/generate_beta_codes', { count: 2 }],
  ['admin/create_webhook', { url: 'https://product.example/hook' }],
  ['admin/create_application', { name: 'Storefront', kind: 'service', scopes: ['admin:users:read'] }],
  ['create_personal_token', { name: 'Report', scopes: ['account:profile:read'], expires_in_days: 7 }],
  ['submit_feedback', { type: 'idea', content: 'A second bell' }],
] as const

async function offeredBy(page: Page): Promise<readonly Tool[]> {
  await expect(page.getByRole('row').nth(1)).toBeVisible()
  const counts: Record<Tool, number> = {
    columns: await page.getByLabel(lists.columns, { exact: true }).count(),
    csv: await page.getByRole('button', { name: lists.csv }).count(),
    order: await page.locator('th[aria-sort]').count(),
    bulk: await page.getByLabel(lists.chooseAll).count(),
  }
  return ALL.filter((tool) => counts[tool] > 0)
}

test.describe('lists', () => {
  test('write all their times with a few formats: making one for each would hold the page up', async ({
    openPage,
    administrator,
  }) => {
    for (let at = 0; at < 30; at++)
      await administrator.post('/api/admin/create_user', { email: `user${at}@example.com`, name: 'Uma' })
    const page = await openPage()
    await page.addInitScript(`{
      globalThis.formats = 0
      const counted = (Format) => new Proxy(Format, { construct: (...made) => (formats++, Reflect.construct(...made)) })
      Intl.DateTimeFormat = counted(Intl.DateTimeFormat)
      Intl.RelativeTimeFormat = counted(Intl.RelativeTimeFormat)
    }`)
    await page.goto('/console/users?size=50')
    await fillSignIn(page, administrator.email, administrator.password)

    await expect(page.getByRole('row')).toHaveCount(34)

    expect(await page.evaluate<number>('formats')).toBeLessThan(10)
  })

  test('each offer its columns and a CSV file, and an order and acts for several rows if they make sense', async ({
    openConsole,
    administrator,
  }) => {
    await grantFor(administrator, 'account:profile:read')
    for (const [path, body] of FILLED) expect((await administrator.post(`/api/${path}`, body)).status, path).toBe(200)
    const page = await openConsole('/console')
    await expect(page.getByRole('heading', { name: en.overview.title, exact: true })).toBeVisible()

    const offered: Record<string, readonly Tool[]> = {}
    for (const path of Object.keys(OFFERED)) {
      await page.goto(path)
      offered[path] = await offeredBy(page)
    }

    expect(offered).toEqual(OFFERED)
  })

  test('begin on the first screen of a phone', async ({ openConsole, administrator, ann }) => {
    for (const [path, body] of FILLED) await administrator.post(`/api/${path}`, body)
    await ann.post('/api/submit_feedback', { type: 'idea', content: 'A second bell' })
    const page = await openConsole('/console', { viewport: { width: 390, height: 844 } })
    for (const path of ['/console/users', '/console/feedback', '/console/notifications', '/console/audit']) {
      await page.goto(path)
      const row = page
        .getByRole('listitem')
        .filter({ has: page.locator('dl') })
        .first()
      await expect(row).toBeVisible()
      expect(await row.evaluate((element) => element.getBoundingClientRect().top), path).toBeLessThan(450)
    }
  })

  test('leave out the columns that were unticked, also after a reload', async ({ openConsole }) => {
    const page = await openConsole('/console/users')
    const name = page.getByRole('columnheader', { name: en.people.factor })
    await expect(name).toBeVisible()

    await page.getByLabel(lists.columns, { exact: true }).click()
    const choice = page.getByRole('checkbox', { name: en.people.factor, exact: true })
    await choice.uncheck()
    await expect(name).toHaveCount(0)
    await assertAccessible(page)
    await page.keyboard.press('Escape')
    await expect(choice).toBeHidden()
    await page.reload()
    await expect(page.getByRole('columnheader', { name: en.people.user })).toBeVisible()

    await expect(name).toHaveCount(0)
  })

  test('of connected tools revoke all that are marked', async ({ enterAs, ann }) => {
    await grantFor(ann, 'account:profile:read')
    await grantFor(ann, 'account:credits:read')
    const page = await enterAs(ann, '/settings/access')

    await page.getByLabel(lists.chooseAll).check()
    await expect(page.getByText(lists.chosen(2))).toBeVisible()
    await page.getByRole('button', { name: en.access.revoke, exact: true }).click()
    const dialog = page.getByRole('dialog', { name: en.access.revokeMany(2) })
    await expect(dialog).toBeVisible()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: en.access.revoke }).click()
    await expect(page.getByText(en.access.revokedMany(2))).toBeVisible()
    await expect(page.getByText(en.access.emptyTitle)).toBeVisible()

    const { body } = await ann.post('/api/list_grants')
    expect(body.items.map(({ status }: { readonly status: string }) => status)).toEqual(['revoked', 'revoked'])
  })
})
