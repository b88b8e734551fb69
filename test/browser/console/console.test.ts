import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { en } from '../../../web/src/texts/en.ts'
import { people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { assertAccessible } from '../support/accessible.ts'
import { choose, fillSignIn } from '../support/acts.ts'
import { openBrowserSession } from '../support/browser-session.ts'
import { enterAs } from '../support/enter-as.ts'

const save = (page: Page) => page.getByRole('button', { name: en.common.save }).click()

describe('the console', () => {
  it('opens with figures, sign-ups by day and the health of each store', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)

    const page = await enterAs(browser, administrator, '/console')

    await page.getByRole('link', { name: `${en.overview.users} 3` }).waitFor()
    await page.getByRole('listitem').filter({ hasText: 'apac-1' }).getByText(en.overview.up).waitFor()
    const chart = page.getByRole('figure', { name: en.figures.kinds.sign_ups })
    await chart.getByText(en.figures.table).click()
    await chart.getByRole('row').getByText(/^3$/).waitFor()
    await choose(page, en.figures.what, en.figures.kinds.sign_ins)
    await page.getByRole('figure', { name: en.figures.kinds.sign_ins }).getByText(en.figures.table).waitFor()
    await choose(page, en.figures.what, en.figures.kinds.sign_ups)
    await chart.getByRole('row').getByRole('link').click()
    await page.getByRole('row').filter({ hasText: 'ann@example.com' }).waitFor()
    await page.getByRole('button', { name: en.filters.remove(en.people.since) }).waitFor()
    assert.deepEqual(browser.complaints, [])
  })

  it('does not exist for anyone else', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)

    const page = await enterAs(browser, ann, '/console/users')

    await page.getByText(en.missing.title).waitFor()
    assert.equal(await page.getByRole('link', { name: en.console.audit }).count(), 0)
  })

  const looks = {
    'in light on a wide screen': { colorScheme: 'light' },
    'in dark on a phone': { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
  } as const
  for (const [look, options] of Object.entries(looks)) {
    it(`passes axe on every page ${look}`, async () => {
      await using service = await startService()
      const { administrator, ann } = await people(service)
      const { body } = await ann.post('/api/submit_feedback', { type: 'idea', content: 'A bell at the gate' })
      await administrator.post('/api/admin/create_notification', { title: 'Hello', content: 'World' })
      await administrator.post('/api/admin/generate_beta_codes', { count: 3 })
      await using browser = await openBrowserSession(service)
      const page = await browser.openPage(options)
      await page.goto('/console')
      await fillSignIn(page, administrator.email, administrator.password)
      await page.getByRole('heading', { name: en.overview.title }).waitFor()

      for (const path of [
        '/console',
        '/console/settings',
        '/console/settings/providers',
        '/console/settings/email',
        '/console/settings/credits',
        '/console/settings/ai',
        '/console/feedback',
        `/console/feedback?open=${body.id}`,
        '/console/notifications',
        '/console/notifications?open=new',
        '/console/users',
        `/console/users?open=${ann.id}`,
        '/console/beta-codes',
        '/console/shards',
        '/console/audit',
      ]) {
        await page.goto(path, { waitUntil: 'networkidle' })
        await assertAccessible(page)
      }

      assert.deepEqual(browser.complaints, [])
    })
  }
})

describe('feedback in the console', () => {
  it('goes from the inbox through triage to a reply that the sender reads', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await ann.post('/api/submit_feedback', { type: 'problem', content: 'The drawbridge squeaks.' })
    await ann.post('/api/submit_feedback', { type: 'idea', content: 'A second bell.' })
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, '/console/feedback')

    await page.getByText('A second bell.').waitFor()
    await page.getByLabel(en.inbox.search).fill('drawbridge')
    await page.getByText('A second bell.').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'The drawbridge squeaks.' }).click()
    const dialog = page.getByRole('dialog')
    await choose(dialog, en.inbox.status, en.inbox.statuses.in_progress)
    await dialog.getByLabel(en.inbox.note).fill('Oil is ordered.')
    await save(page)
    await page.getByText(en.inbox.saved).waitFor()
    await dialog.getByLabel(en.inbox.reply).fill('It is quiet now.')
    await dialog.getByRole('button', { name: en.inbox.replySend }).click()
    await page.getByText(en.inbox.replied).waitFor()
    const shared = page.url()
    await page.goto(shared)
    await page.getByRole('dialog').getByText('The drawbridge squeaks.').waitFor()

    const { body } = await administrator.post('/api/admin/list_feedbacks', { status: 'in_progress' })
    assert.equal(body.items[0].note, 'Oil is ordered.')
    assert.match(shared, /search=drawbridge/)
    assert.equal((await ann.post('/api/count_unread_notifications')).body.count, 1)
  })

  it('is exported as CSV, all of what the filters show', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    for (let i = 0; i < 120; i++) {
      await ann.post('/api/submit_feedback', { type: 'idea', content: `Line ${i}, "quoted"` })
    }
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, '/console/feedback')

    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: en.lists.csv }).click()
    const lines = readFileSync(await (await download).path(), 'utf8').split('\r\n')

    assert.deepEqual([lines.length, lines.at(-1)], [122, ''])
    assert.match(lines[0] ?? '', /^\uFEFFid,user_id,type,status,content/)
    assert.match(lines[1] ?? '', /"Line 0, ""quoted"""/)
    assert.match(lines[120] ?? '', /"Line 119, ""quoted"""/)
  })
})

describe('notifications in the console', () => {
  it('are written with a preview to one user, archived, and brought back by undo', async () => {
    await using service = await startService()
    const { administrator, ann, ben } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, '/console/notifications')

    await page.getByRole('button', { name: en.publishing.write }).click()
    const dialog = page.getByRole('dialog')
    await choose(dialog, en.publishing.audience, en.publishing.onePerson)
    await dialog.getByLabel(en.publishing.findPerson).fill('ann@')
    await dialog.getByRole('button', { name: 'ann@example.com' }).click()
    await dialog.getByLabel(en.publishing.headline).fill('A word to Ann')
    await dialog.getByLabel(en.publishing.content).fill('Only for your eyes.')
    await dialog
      .getByRole('region', { name: en.publishing.preview })
      .getByText('Only for your eyes.')
      .waitFor()
    await dialog.getByRole('button', { name: en.publishing.publish }).click()
    await page.getByRole('button', { name: 'A word to Ann', exact: true }).waitFor()
    const annSees = (await ann.post('/api/list_notifications')).body.total
    const benSees = (await ben.post('/api/list_notifications')).body.total
    await page.getByRole('button', { name: en.publishing.archiveNamed('A word to Ann') }).click()
    await page.getByText(en.publishing.archivedNow).waitFor()
    const annSeesArchived = (await ann.post('/api/list_notifications')).body.total
    await page.getByRole('button', { name: en.common.undo }).click()
    await page.getByText(en.publishing.restoredNow).waitFor()

    assert.deepEqual([annSees, benSees, annSeesArchived], [1, 0, 0])
    assert.equal((await ann.post('/api/list_notifications')).body.total, 1)
  })
})

describe('invitation codes in the console', () => {
  it('are made also if their number was pasted with a space', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, '/console/beta-codes')

    await page.getByLabel(en.codes.count).fill('2 ')
    await page.getByRole('button', { name: en.codes.makeAction }).click()
    const made = (await page.locator('pre').textContent()) ?? ''

    assert.equal(made.split('\n').length, 2)
    assert.deepEqual(browser.complaints, [])
  })

  it('let a user through the beta gate', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, '/console/settings')
    await page.getByText(en.config.gate, { exact: true }).click()
    await save(page)
    await page.getByText(en.config.saved).waitFor()

    await page.goto('/console/beta-codes')
    await page.getByLabel(en.codes.count).fill('1')
    await page.getByRole('button', { name: en.codes.makeAction }).click()
    const code = (await page.locator('pre').textContent())?.trim() ?? ''
    const visitor = await enterAs(browser, ann, '/')
    await visitor.getByLabel(en.beta.code).fill(code.toLowerCase())
    await visitor.getByRole('button', { name: en.beta.submit }).click()
    await visitor.getByRole('heading', { name: en.home.title('ann') }).waitFor()
    await page.reload()

    await page.getByRole('row').filter({ hasText: code }).getByText('ann@example.com').waitFor()
  })
})

describe('shards in the console', () => {
  it('have their users written as every other number is', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    const items = [{ id: 'apac-1', region: 'apac', state: 'active', users: 1_234_567 }]
    await page.route('**/api/admin/list_shards', (route) => route.fulfill({ json: { items, total: 1 } }))

    await page.goto('/console/shards')
    await fillSignIn(page, administrator.email, administrator.password)

    await page.getByRole('row').getByText('1,234,567', { exact: true }).waitFor()
    assert.deepEqual(browser.complaints, [])
  })

  it('are all listed, however many there are', async () => {
    const ids = Array.from({ length: 21 }, (_, i) => `apac-${String(i).padStart(2, '0')}`)
    const SHARDS = ids.map((id) => `${id}:apac=${id}.sqlite`).join()
    await using service = await startService({ env: { SHARDS } })
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)

    const page = await enterAs(browser, administrator, '/console/shards')

    await page.getByRole('row').filter({ hasText: 'apac-00' }).waitFor()
    assert.equal(await page.getByRole('row').filter({ hasText: 'apac-' }).count(), ids.length)
  })

  it('stop taking new users and take them again', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, '/console/shards')
    const row = page.getByRole('row').filter({ hasText: 'weur-1' })

    await row.getByRole('button', { name: en.shards.actions.draining }).click()
    await page.getByRole('dialog').getByRole('button', { name: en.shards.actions.draining }).click()
    await row.getByText(en.shards.states.draining).waitFor()
    await row.getByRole('button', { name: en.shards.actions.active }).click()

    await row.getByText(en.shards.states.active).waitFor()
  })
})

describe('the audit log in the console', () => {
  it('says who saved which settings, and keeps its filters in the address', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await administrator.saveSettings('credits', { signup_reward_amount: 5 })
    await using browser = await openBrowserSession(service)

    const page = await enterAs(browser, administrator, '/console/audit')
    const saved = page.getByRole('row').filter({ hasText: 'settings' }).first()
    await saved.getByText(administrator.email).waitFor()
    await page.getByLabel(en.audit.action, { exact: true }).selectOption('settings.update')
    await page.waitForURL(/action=settings\.update/)

    const words = en.audit.actions['settings.update']
    await page.getByRole('row').filter({ hasText: words }).first().waitFor()
  })
})
