import { expect, type Page } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { zh } from '../../../web/src/texts/zh.ts'
import { type ConnectedClient, grantFor } from '../../service/grants.ts'
import type { Service } from '../../service/service.ts'
import { assertAccessible } from '../support/accessible.ts'
import { anyWords } from '../support/acts.ts'
import { listenAs } from '../support/live.ts'
import { test } from '../support/test.ts'

const { access, approvals, common } = en
const ROUTE = '/api/submit_feedback'
const ACTION = 'submit_feedback'

async function ask(service: Service, tool: ConnectedClient, content: string): Promise<void> {
  await tool.post(ROUTE, { type: 'idea', content })
  await service.runJob('events')
}

async function letWritesWait(page: Page): Promise<void> {
  await page.getByRole('combobox', { name: anyWords(access.approvalOf) }).selectOption('writes')
  await expect(page.getByText(common.saved)).toBeVisible()
}

test.describe('Connected tools', () => {
  test('what waits appears by itself, and is approved or denied in one tap', async ({
    page,
    service,
    administrator,
    ann,
  }) => {
    const tool = await grantFor(ann, 'operations:feedback:write')
    await page.clock.install({ time: service.clock.now() })
    await listenAs(page, ann, '/settings/access')
    await letWritesWait(page)

    await ask(service, tool, 'More\u202e ow\u200bls')
    await expect(page.getByLabel(approvals.input)).toContainText(String.raw`More\u202e ow\u200bls`)
    await assertAccessible(page)
    await page
      .getByRole('button', {
        name: approvals.approveNamed(approvals.actions[ACTION], access.commandLineClient),
      })
      .click()
    await expect(page.getByText(approvals.approved)).toBeVisible()
    await expect(page.getByLabel(approvals.input)).toHaveCount(0)
    await ask(service, tool, 'Fewer owls')
    await page
      .getByRole('button', { name: approvals.denyNamed(approvals.actions[ACTION], access.commandLineClient) })
      .click()
    await expect(page.getByText(approvals.denied)).toBeVisible()

    const { body } = await administrator.post('/api/admin/list_feedbacks')
    expect(body.items.map(({ content }: { content: string }) => content)).toEqual(['More\u202e ow\u200bls'])
    await page.getByText(access.today).click()
    const today = page.getByRole('list', { name: access.today })
    await expect(today.getByText(access.results.done)).toHaveCount(1)
    await expect(today.getByText(access.results.waits)).toHaveCount(2)
    await assertAccessible(page)
  })

  test('a daily limit counts at once, and is there again after a reload', async ({ enterAs, ann }) => {
    const tool = await grantFor(ann, 'operations:notifications:read')
    const page = await enterAs(ann, '/settings/access')
    const limit = page.getByRole('combobox', { name: anyWords(access.limitOf) })
    await limit.selectOption('10')
    await expect(page.getByText(common.saved)).toBeVisible()
    await page.reload()
    await expect(limit).toHaveValue('10')

    const statuses = []
    for (let sent = 0; sent < 11; sent++) statuses.push((await tool.post('/api/list_notifications')).status)
    expect(statuses.filter((status) => status === 429)).toHaveLength(1)
  })

  test('the permissions of a tool have room for whole lines, on a phone too', async ({ enterAs, ann }) => {
    await grantFor(ann, 'account:profile:read')
    const page = await enterAs(ann, '/settings/access', { viewport: { width: 1280, height: 800 } })
    const permissions = page.getByRole('list', { name: en.scopeTiers.reads })
    await expect(permissions).toBeVisible()
    expect((await permissions.boundingBox())?.width).toBeGreaterThan(400)

    await page.setViewportSize({ width: 390, height: 844 })
    await expect(page.getByRole('table')).toHaveCount(0)
    expect((await permissions.boundingBox())?.width).toBeGreaterThan(240)
  })

  test('speaks Chinese', async ({ enterAs, service, ann }) => {
    const tool = await grantFor(ann, 'operations:feedback:write')
    const { body } = await ann.post('/api/list_grants')
    await ann.post('/api/update_grant', { id: body.items[0].id, approval: 'writes' })
    await ask(service, tool, 'More owls')

    const page = await enterAs(ann, '/settings/access', { locale: 'zh-CN' })
    await expect(page.getByRole('heading', { name: zh.approvals.title })).toBeVisible()
    await page
      .getByRole('button', {
        name: zh.approvals.approveNamed(zh.approvals.actions[ACTION], zh.access.commandLineClient),
      })
      .click()
    await expect(page.getByText(zh.approvals.approved)).toBeVisible()
  })
})
