import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { zh } from '../../../web/src/texts/zh.ts'
import * as grants from '../../service/grants.ts'
import { type Person, stranger } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'
import { assertAccessible } from '../support/accessible.ts'
import { anyWords } from '../support/acts.ts'
import { test } from '../support/test.ts'

const { consent, authorize, access, scopes, common } = en

/** Makes it look as if the user had connected and revoked tools for years. */
async function endedGrants({ platform, clock }: Service, { id }: Person, count: number): Promise<void> {
  const [grant] = await platform.meta.selectFrom('api_grant').selectAll().where('user_id', '=', id).execute()
  assert.ok(grant)
  const at = clock.now()
  const one = () => ({ ...grant, id: randomUUID(), created_at: at, revoked_at: at })
  const ended = Array.from({ length: count }, one)
  await platform.meta.insertInto('api_grant').values(ended).execute()
}

async function revokeTheOnlyOne(page: Page): Promise<void> {
  await page.getByRole('button', { name: anyWords(access.revokeNamed) }).click()
  await page.getByRole('dialog').getByRole('button', { name: access.revoke }).click()
  await expect(page.getByText(access.emptyTitle)).toBeVisible()
}

test.describe('API access in the browser', () => {
  test('an active connection is found behind a page of ended ones', async ({ enterAs, service, ann }) => {
    await grants.grantFor(ann, 'account:credits:read')
    service.clock.advance({ minutes: 1 })
    await endedGrants(service, ann, 101)

    const page = await enterAs(ann, '/sign-in?next=/settings/access')
    await expect(page.getByRole('table').getByText(scopes['account:credits:read'])).toBeVisible()
    await revokeTheOnlyOne(page)

    const { body } = await ann.post('/api/list_grants', { page: 2, page_size: 100 })
    assert.deepEqual([body.total, body.items.at(-1).status], [102, 'revoked'])
  })

  test('two connections of one tool can be told apart, in words', async ({ enterAs, service, ann }) => {
    await grants.grantFor(ann, 'account:credits:read')
    service.clock.advance({ hours: 1 })
    await grants.grantFor(ann, 'account:profile:read')
    const page = await enterAs(ann, '/sign-in?next=/settings/access')

    const buttons = page.getByRole('button', { name: anyWords(access.revokeNamed) })
    await expect(buttons).toHaveCount(2)
    const names = await buttons.evaluateAll((shown) => shown.map((one) => one.getAttribute('aria-label')))
    await expect(page.getByRole('table').getByText(scopes['account:credits:read'])).toBeVisible()
    await expect(page.getByRole('table').getByText(scopes['account:profile:read'])).toBeVisible()

    assert.equal(new Set(names).size, 2)
    await expect(page.getByRole('listitem', { name: 'account:' })).toHaveCount(0)
  })

  test('asks for a missing code, and explains an unknown one', async ({ enterAs, service, ann }) => {
    const terminal = stranger(service)
    const { body: device } = await grants.startDevice(terminal, 'account:profile:read')
    const page = await enterAs(ann, '/oauth/authorize')

    await page.getByLabel(authorize.code).fill('bcdf-ghjk')
    await page.getByRole('button', { name: common.continue }).click()
    await expect(page.getByText(authorize.failures.NOT_FOUND)).toBeVisible()
    await assertAccessible(page)
    await page.getByLabel(authorize.code).fill(device.user_code.toLowerCase().replace('-', ''))
    await page.getByRole('button', { name: common.continue }).click()
    await expect(page.getByText(device.user_code)).toBeVisible()
    await page.getByRole('button', { name: consent.deny }).click()
    await expect(page.getByRole('heading', { name: consent.deniedTitle })).toBeVisible()

    assert.equal((await grants.poll(terminal, device.device_code)).body.error, 'access_denied')
  })

  test('what only the administrator can allow is refused, and why', async ({ enterAs, service, ann }) => {
    const { body: device } = await grants.startDevice(stranger(service), 'config:ai:write')
    const page = await enterAs(ann, device.verification_uri_complete)

    await expect(page.getByText(consent.forbidden)).toBeVisible()
    const dangerous = page.getByRole('list', { name: en.scopeTiers.hurts })
    await expect(dangerous.getByText(scopes['config:ai:write'])).toBeVisible()
    await assertAccessible(page)
    await expect(page.getByRole('button', { name: consent.approve })).toHaveCount(0)
  })
})

test.describe('API access for a user who reads Chinese', () => {
  test.use({ serviceOptions: { env: { TRUSTED_PROXIES: '127.0.0.1' } } })

  test('names the client, and where a session began, in Chinese', async ({ enterAs, service, ann }) => {
    const { body: device } = await grants.startDevice(stranger(service), 'account:profile:read')
    await grants.grantFor(ann, 'account:profile:read')
    const name = zh.access.commandLineClient

    const page = await enterAs(ann, `/oauth/authorize?user_code=${device.user_code}`, {
      locale: 'zh-CN',
      extraHTTPHeaders: { 'cf-ipcontinent': 'EU' },
    })
    await expect(page.getByRole('heading', { level: 1, name: zh.consent.title(name) })).toBeVisible()
    await expect(page.getByRole('definition').getByText(name, { exact: true })).toBeVisible()
    await page.goto('/settings/access')
    await expect(page.getByRole('table').getByText(name, { exact: true })).toBeVisible()
    await expect(page.getByRole('button', { name: zh.access.revokeNamed(name) })).toBeVisible()
    await page.goto('/settings/sessions')
    await expect(page.getByText(zh.sessions.places.Europe)).toBeVisible()
  })
})
