import assert from 'node:assert/strict'
import { expect, type Page } from '@playwright/test'
import { StoreReadOnly, StoreUnavailable } from '../../../src/database/store.ts'
import { en } from '../../../web/src/texts/en.ts'
import { changeSettings } from '../../service/change-settings.ts'
import type { Service } from '../../service/service.ts'
import { assertAccessible } from '../support/accessible.ts'
import { failing, fillSignIn } from '../support/acts.ts'
import { test } from '../support/test.ts'

const { overview, config } = en

/** Notes, when the end of the overview appears, whether the first hour is above it. */
const noteWhetherWhole = `
  window.isWhole = undefined
  new MutationObserver(() => {
    const titles = [...document.querySelectorAll('h2')].map(({ textContent }) => textContent)
    if (titles.includes(${JSON.stringify(overview.stores)}))
      window.isWhole ??= titles.includes(${JSON.stringify(en.firstHour.title)})
  }).observe(document, { childList: true, subtree: true })
`

const warning = (page: Page, words: string) => page.getByRole('alert').getByText(words)

const shardOf = ({ platform }: Service, id: string) => platform.shards.get(id) ?? assert.fail('the shard is there')

test.describe('a bad day of the operator', () => {
  test('the mail server is down, then comes back', async ({ openConsole, service, administrator, ann }) => {
    await changeSettings(service, 'email', { provider: 'smtp' })
    const refusal = 'connect ECONNREFUSED 127.0.0.1:25'
    service.mail.refuse(refusal)
    await ann.post('/api/auth/email-otp/request-password-reset', { email: ann.email })
    await service.runJob('mail')
    const page = await openConsole('/console')

    await expect(page.getByText(overview.mailTroubleTitle)).toBeVisible()
    await expect(page.getByText('1 email is waiting to be retried')).toBeVisible()
    await expect(page.getByText(refusal)).toBeVisible()
    await assertAccessible(page)
    await page.getByRole('link', { name: overview.mailTroubleAction }).click()
    await expect(page.getByRole('status').filter({ hasText: overview.mailTroubleTitle })).toContainText(refusal)
    await page.getByRole('button', { name: config.testMailSend }).click()
    await expect(warning(page, refusal)).toBeVisible()
    service.mail.refuse(undefined)
    await page.getByRole('button', { name: config.testMailSend }).click()
    await expect(page.getByText(config.testMailSent(administrator.email))).toBeVisible()
    await page.getByRole('link', { name: en.console.overview, exact: true }).click()
    await expect(page.getByRole('heading', { name: overview.stores })).toBeVisible()
    await expect(page.getByText(overview.mailTroubleTitle)).toHaveCount(0)
  })

  test('two stores are down and one takes no writes', async ({ openConsole, service }) => {
    const page = await openConsole('/console')
    await expect(page.getByRole('heading', { name: overview.stores })).toBeVisible()
    await expect(page.getByText(overview.storeDownText)).toHaveCount(0)
    service.platform.keyValue.ping = () => Promise.reject(new StoreUnavailable('key-value'))
    shardOf(service, 'weur-1').ping = () => Promise.reject(new StoreReadOnly('weur-1'))
    const fail = () => Promise.reject(new StoreUnavailable('oc-1'))
    Object.assign(shardOf(service, 'oc-1'), { ping: fail, snapshot: fail })
    const down = warning(page, overview.storeDownTitle('oc-1, key-value'))
    const full = warning(page, overview.storeFullTitle('weur-1'))

    await page.reload()
    await expect(down).toBeVisible()
    await expect(full).toBeVisible()
    const newFeedback = page.getByRole('link').filter({ hasText: overview.newFeedback })
    await expect(newFeedback.getByText(overview.unknownFigure)).toBeVisible()
    await assertAccessible(page)
    await page.goto('/console/feedback')
    await expect(warning(page, en.failures.STORE_UNAVAILABLE)).toBeVisible()
    await expect(down).toBeVisible()
    await page.goto('/console/shards')
    await expect(down).toBeVisible()
    await expect(full).toBeVisible()
    await assertAccessible(page)
  })

  test('an open overview says that a store is back', async ({ page, service, administrator }) => {
    await page.clock.install()
    const oc = shardOf(service, 'oc-1')
    const { ping } = oc
    oc.ping = () => Promise.reject(new StoreUnavailable('oc-1'))
    await page.goto('/console')
    await fillSignIn(page, administrator.email, administrator.password)
    await expect(warning(page, overview.storeDownTitle('oc-1'))).toBeVisible()
    oc.ping = ping

    await page.clock.fastForward('00:30')
    await expect(page.getByText(overview.storeDownTitle('oc-1'))).toHaveCount(0)
  })

  test('a person’s shard is down: the rest shows', async ({ openConsole, service, administrator, ann }) => {
    await administrator.post('/api/admin/revoke_user_sessions', { id: ann.id })
    const page = await openConsole(`/console/users/${ann.id}`)
    await expect(page.getByText(en.person.balance('0'))).toBeVisible()
    const snapshot = () => Promise.reject(new StoreUnavailable('apac-1'))
    Object.assign(shardOf(service, 'apac-1'), { snapshot })

    await page.reload()
    await expect(page.getByText(en.person.shardDownTitle('apac-1'))).toBeVisible()
    await expect(page.getByText(en.person.balanceUnknown)).toBeVisible()
    await expect(page.getByRole('heading', { name: en.settings.sessions })).toBeVisible()
    await expect(page.getByRole('button', { name: en.people.suspend })).toBeVisible()
    const entries = page.getByRole('listitem')
    await expect(entries.filter({ hasText: en.audit.actions['user.revoke_sessions'] })).toBeVisible()
    await assertAccessible(page)
  })

  test('the first hour comes late: the overview is drawn with it', async ({ openConsole }) => {
    const page = await openConsole('/sign-in')
    await expect(page.getByText(en.firstHour.title)).toBeVisible()
    await page.addInitScript(noteWhetherWhole)
    const others = [page.waitForResponse('**/api/admin/get_figures'), page.waitForResponse('**/api/admin/get_overview')]
    await page.route('**/api/list_grants', async (route) => {
      await Promise.all(others)
      await route.continue()
    })
    await page.goto('/console')
    await expect(page.getByText(en.firstHour.title)).toBeVisible()
    await expect(page.getByRole('heading', { name: overview.stores })).toBeVisible()
    await page.waitForFunction(() => Reflect.get(globalThis, 'isWhole') !== undefined)

    assert.equal(await page.evaluate('isWhole'), true)
  })

  test('a part of the first hour cannot be read: the page says so', async ({ page, administrator }) => {
    await failing(page, '/api/list_grants')
    await page.goto('/console')
    await fillSignIn(page, administrator.email, administrator.password)
    await expect(page.getByText(en.failures.INTERNAL_ERROR)).toBeVisible()
    await expect(page.getByText(en.firstHour.title)).toBeVisible()

    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.getByRole('button', { name: en.common.tryAgain }).click()
    await expect(page.getByRole('link', { name: en.firstHour.client })).toBeVisible()
  })
})
