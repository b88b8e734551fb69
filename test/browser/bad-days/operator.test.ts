import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { StoreReadOnly, StoreUnavailable } from '../../../src/database/store.ts'
import { en } from '../../../web/src/texts/en.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { assertAccessible } from '../support/accessible.ts'
import { anyWords, fillSignIn } from '../support/acts.ts'
import { openBrowserSession } from '../support/browser-session.ts'
import { enterAs } from '../support/enter-as.ts'

/** When the end of the overview appears: whether the first hour is above it. */
const noteWhetherWhole = `
  window.isWhole = undefined
  new MutationObserver(() => {
    const titles = [...document.querySelectorAll('h2')].map(({ textContent }) => textContent)
    if (titles.includes(${JSON.stringify(en.overview.stores)}))
      window.isWhole ??= titles.includes(${JSON.stringify(en.firstHour.title)})
  }).observe(document, { childList: true, subtree: true })
`

describe('a bad day of the operator', () => {
  it('the mail server is down: the overview says so in its words, and a test that arrives ends it', async () => {
    await using service = await startService()
    await changeSettings(service, 'email', { provider: 'smtp' })
    const { administrator, ann } = await people(service)
    service.mail.refuse('connect ECONNREFUSED 127.0.0.1:25')
    await ann.post('/api/auth/email-otp/request-password-reset', { email: ann.email })
    await service.runJob('mail')
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, '/console')

    await page.getByText(en.overview.mailTroubleTitle).waitFor()
    await page.getByText('1 email waits to be tried again').waitFor()
    await page.getByText('connect ECONNREFUSED 127.0.0.1:25').waitFor()
    await assertAccessible(page)
    await page.getByRole('link', { name: en.overview.mailTroubleAction }).click()
    await page.getByRole('button', { name: en.config.testMailSend }).click()
    await page.getByRole('alert').getByText('connect ECONNREFUSED 127.0.0.1:25').waitFor()
    service.mail.refuse(undefined)
    await page.getByRole('button', { name: en.config.testMailSend }).click()
    await page.getByText(en.config.testMailSent(administrator.email)).waitFor()
    await page.getByRole('link', { name: en.console.overview, exact: true }).click()
    await page.getByRole('heading', { name: en.overview.stores }).waitFor()
    await page.getByText(en.overview.mailTroubleTitle).waitFor({ state: 'detached' })

    assert.deepEqual(browser.complaints, [])
  })

  it('two stores are down and one takes no writes: the top of the overview names them, and so do feedback and shards', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, '/console')
    await page.getByRole('heading', { name: en.overview.stores }).waitFor()
    await page.getByText(en.overview.storeDownText).waitFor({ state: 'detached' })
    const { keyValue, shards } = service.platform
    const weur = shards.get('weur-1') ?? assert.fail('the shard is there')
    keyValue.ping = () => Promise.reject(new StoreUnavailable('key-value'))
    weur.ping = () => Promise.reject(new StoreReadOnly('weur-1'))
    const oc = shards.get('oc-1') ?? assert.fail('the shard is there')
    const fail = () => Promise.reject(new StoreUnavailable('oc-1'))
    Object.assign(oc, { ping: fail, snapshot: fail })

    await page.reload()
    await page.getByRole('alert').getByText(en.overview.storeDownTitle('oc-1, key-value')).waitFor()
    await page.getByRole('alert').getByText(en.overview.storeFullTitle('weur-1')).waitFor()
    const newFeedback = page.getByRole('link').filter({ hasText: en.overview.newFeedback })
    await newFeedback.getByText(en.overview.unknownFigure).waitFor()
    await assertAccessible(page)
    await page.goto('/console/feedback')
    await page.getByRole('alert').getByText(en.failures.STORE_UNAVAILABLE).waitFor()
    await page.getByRole('alert').getByText(en.overview.storeDownTitle('oc-1, key-value')).waitFor()
    await page.goto('/console/shards')
    await page.getByRole('alert').getByText(en.overview.storeDownTitle('oc-1, key-value')).waitFor()
    await page.getByRole('alert').getByText(en.overview.storeFullTitle('weur-1')).waitFor()
    await assertAccessible(page)

    assert.deepEqual(browser.complaints, [])
  })

  it('a store that is down comes back: the overview that stays open says so', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.clock.install()
    const oc = service.platform.shards.get('oc-1') ?? assert.fail('the shard is there')
    const { ping } = oc
    oc.ping = () => Promise.reject(new StoreUnavailable('oc-1'))
    await page.goto('/console')
    await fillSignIn(page, administrator.email, administrator.password)
    await page.getByRole('alert').getByText(en.overview.storeDownTitle('oc-1')).waitFor()
    oc.ping = ping

    await page.clock.fastForward('00:30')
    await page.getByText(en.overview.storeDownTitle('oc-1')).waitFor({ state: 'detached' })

    assert.deepEqual(browser.complaints, [])
  })

  it('the shard of a person is down: their page says so and shows the rest', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await administrator.post('/api/admin/revoke_user_sessions', { id: ann.id })
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, `/console/users/${ann.id}`)
    await page.getByText(en.person.balance('0')).waitFor()
    const apac = service.platform.shards.get('apac-1') ?? assert.fail('the shard is there')
    Object.assign(apac, { snapshot: () => Promise.reject(new StoreUnavailable('apac-1')) })

    await page.reload()
    await page.getByText(en.person.shardDownTitle('apac-1')).waitFor()
    await page.getByText(en.person.balanceUnknown).waitFor()
    await page.getByRole('heading', { name: en.people.sessions }).waitFor()
    await page.getByRole('button', { name: en.people.suspend }).waitFor()
    await page.getByRole('listitem').filter({ hasText: en.audit.actions['user.revoke_sessions'] }).waitFor()
    await assertAccessible(page)

    assert.deepEqual(browser.complaints, [])
  })

  it('the first hour comes late: the overview is drawn with it, so that nothing moves', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/sign-in')
    await fillSignIn(page, administrator.email, administrator.password)
    await page.getByRole('heading', { name: anyWords(en.home.title) }).waitFor()
    await page.addInitScript(noteWhetherWhole)
    const figures = page.waitForResponse('**/api/admin/get_figures')
    const overview = page.waitForResponse('**/api/admin/get_overview')
    await page.route('**/api/list_grants', async (route) => {
      await Promise.all([figures, overview])
      await route.continue()
    })
    await page.goto('/console')
    await page.getByText(en.firstHour.title).waitFor()
    await page.getByRole('heading', { name: en.overview.stores }).waitFor()
    await page.waitForFunction(() => Reflect.get(globalThis, 'isWhole') !== undefined)

    assert.equal(await page.evaluate('isWhole'), true)
    assert.deepEqual(browser.complaints, [])
  })

  it('a part of the first hour cannot be read: the page says so instead of leaving the list out', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.route('**/api/list_grants', (route) =>
      route.fulfill({ status: 500, json: { code: 'INTERNAL_ERROR', message: 'INTERNAL_ERROR' } }),
    )
    await page.goto('/console')
    await fillSignIn(page, administrator.email, administrator.password)
    await page.getByText(en.failures.INTERNAL_ERROR).waitFor()
    await page.getByText(en.firstHour.title).waitFor()

    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.getByRole('button', { name: en.common.tryAgain }).click()
    await page.getByRole('link', { name: en.firstHour.client }).waitFor()

    assert.deepEqual(browser.complaints, [])
  })
})
