import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { type Person, people } from '../service/people.ts'
import { startService } from '../service/service.ts'
import { fillSignIn } from './acts.ts'
import { assertAccessible, type House, openHouse } from './visit.ts'

async function enterAs(house: House, person: Person, path: string): Promise<Page> {
  const page = await house.enter()
  await page.goto(path)
  await fillSignIn(page, person.email, person.password)
  return page
}

const save = (page: Page) => page.getByRole('button', { name: 'Save changes' }).click()

describe('the console', () => {
  it('opens with figures, sign-ups by day and the health of each store', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using house = await openHouse(service)

    const page = await enterAs(house, administrator, '/console')

    await page.getByRole('link', { name: 'Users 3' }).waitFor()
    await page.getByRole('listitem').filter({ hasText: 'apac-1' }).getByText('Up').waitFor()
    await page
      .getByText(/: 3 sign-ups$/)
      .first()
      .waitFor({ state: 'attached' })
    assert.deepEqual(house.complaints, [])
  })

  it('is an address where nothing is for everybody else', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using house = await openHouse(service)

    const page = await enterAs(house, ann, '/console/users')

    await page.getByText('Page not found').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Audit log' }).count(), 0)
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
      await using house = await openHouse(service)
      const page = await house.enter(options)
      await page.goto('/console')
      await fillSignIn(page, administrator.email, administrator.password)
      await page.getByRole('heading', { name: 'Overview' }).waitFor()

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

      assert.deepEqual(house.complaints, [])
    })
  }
})

describe('settings in the console', () => {
  it('a save is seen by the next sign-up page', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using house = await openHouse(service)
    const page = await enterAs(house, administrator, '/console/settings')

    await page.getByText('Registration', { exact: true }).click()
    await save(page)
    await page.getByText('Saved. Changes are now in effect.').waitFor()
    const visitor = await house.enter()
    await visitor.goto('/sign-up')

    await visitor.getByText('Registration is closed').waitFor()
  })

  it('two tabs in conflict: the later one is told, keeps what it changed, and can save again', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using house = await openHouse(service)
    const first = await enterAs(house, administrator, '/console/settings')
    const second = await first.context().newPage()
    await second.goto('/console/settings')
    await second.getByLabel('Email cooldown (seconds)').fill('90')

    await first.getByText('Require an invitation', { exact: true }).click()
    await save(first)
    await first.getByText('Saved. Changes are now in effect.').waitFor()
    await save(second)
    await second.getByText('Someone else changed these settings').waitFor()
    await second.getByRole('button', { name: 'Load their version' }).click()
    await second.getByText('Someone else changed these settings').waitFor({ state: 'detached' })
    const kept = await second.getByLabel('Email cooldown (seconds)').inputValue()
    const theirs = await second.getByRole('switch', { name: /Require an invitation/ }).isChecked()
    await save(second)
    await second.getByText('Saved. Changes are now in effect.').waitFor()

    const { body } = await administrator.post('/api/admin/get_authentication_config')
    assert.deepEqual([kept, theirs], ['90', true])
    assert.equal(body.email_user_action_cooldown_seconds, 90)
    assert.equal(body.beta_gate_enabled, true)
  })

  it('a provider without its secret is refused with the reason; a secret is replaced, never shown', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using house = await openHouse(service)
    const page = await enterAs(house, administrator, '/console/settings/providers')
    const google = page.getByRole('group', { name: 'Google' })

    await google.getByText('Google', { exact: true }).last().click()
    await google.getByLabel('Client ID').fill('id-1')
    await save(page)
    await page.getByRole('alert').filter({ hasText: 'Some fields aren’t valid' }).waitFor()
    await google.getByLabel('Client secret').fill('a secret of the provider')
    await save(page)
    await page.getByText('Saved. Changes are now in effect.').waitFor()
    await google.getByText('Configured').waitFor()
    const shown = await page.content()
    await google.getByText('/api/auth/callback/provider_a').waitFor()
    const visitor = await house.enter()
    await visitor.goto('/sign-in')
    await visitor.getByRole('button', { name: 'Continue with Google' }).waitFor()

    assert.ok(!shown.includes('a secret of the provider'))
  })

  it('a test mail says what became of it', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using house = await openHouse(service)
    const page = await enterAs(house, administrator, '/console/settings/email')

    await page
      .getByLabel('Provider')
      .selectOption({ label: 'Files in the outbox folder (this machine only)' })
    await save(page)
    await page.getByLabel('Email', { exact: true }).fill('carl@example.com')
    await page.getByRole('button', { name: 'Send test email' }).click()
    await page.getByText('The provider accepted a message to carl@example.com.').waitFor()
    service.mail.refuse('mailbox of carl is full')
    await page.getByRole('button', { name: 'Send test email' }).click()

    await page.getByRole('alert').filter({ hasText: 'mailbox of carl is full' }).waitFor()
    assert.equal((await service.mail.sentTo('carl@example.com')).length, 1)
  })
})

describe('feedback in the console', () => {
  it('goes from the inbox through triage to an answer that the sender reads', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await ann.post('/api/submit_feedback', { type: 'problem', content: 'The drawbridge squeaks.' })
    await ann.post('/api/submit_feedback', { type: 'idea', content: 'A second bell.' })
    await using house = await openHouse(service)
    const page = await enterAs(house, administrator, '/console/feedback')

    await page.getByLabel('Search messages').fill('drawbridge')
    await page.getByText('A second bell.').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'The drawbridge squeaks.' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'In progress' }).click()
    await dialog.getByLabel('Note').fill('Oil is ordered.')
    await save(page)
    await page.getByText('Saved.').waitFor()
    await dialog.getByLabel('Reply').fill('It is quiet now.')
    await dialog.getByRole('button', { name: 'Send reply' }).click()
    await page.getByText('Reply sent.').waitFor()
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
    await using house = await openHouse(service)
    const page = await enterAs(house, administrator, '/console/feedback')

    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export CSV' }).click()
    const lines = readFileSync(await (await download).path(), 'utf8').split('\r\n')

    assert.equal(lines.length, 121)
    assert.match(lines[0] ?? '', /^id,user_id,type,status,content/)
    assert.match(lines[1] ?? '', /"Line 119, ""quoted"""/)
  })
})

describe('notifications in the console', () => {
  it('are written with a preview to one person, changed and archived', async () => {
    await using service = await startService()
    const { administrator, ann, ben } = await people(service)
    await using house = await openHouse(service)
    const page = await enterAs(house, administrator, '/console/notifications')

    await page.getByRole('button', { name: 'Write a notification' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'One person' }).click()
    await dialog.getByLabel('Search by name or email address').fill('ann@')
    await dialog.getByRole('button', { name: 'ann@example.com' }).click()
    await dialog.getByLabel('Title').fill('For you')
    await dialog.getByLabel('Text').fill('Only for your eyes.')
    await dialog.getByRole('region', { name: 'Preview' }).getByText('Only for your eyes.').waitFor()
    await dialog.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('button', { name: 'For you', exact: true }).waitFor()
    const annSees = (await ann.post('/api/list_notifications')).body.total
    const benSees = (await ben.post('/api/list_notifications')).body.total
    await page.getByRole('button', { name: 'Archive For you' }).click()
    await page.getByText('Archived. Users no longer see it.').waitFor()

    assert.deepEqual([annSees, benSees], [1, 0])
    assert.equal((await ann.post('/api/list_notifications')).body.total, 0)
  })
})

describe('people in the console', () => {
  it('are found, shown with their facts, signed out and deleted', async () => {
    await using service = await startService()
    const { administrator, ben } = await people(service)
    await using house = await openHouse(service)
    const page = await enterAs(house, administrator, '/console/users')

    await page.getByLabel('Search by name or email address').fill('ben@')
    await page.getByText('ann@example.com').first().waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'ben@example.com' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(ben.id).waitFor()
    await dialog.getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByText('The user has been signed out everywhere.').waitFor()
    const signedOut = (await ben.get('/api/auth/get-session')).body
    await dialog.getByRole('button', { name: 'Delete user' }).click()
    await page
      .getByRole('dialog', { name: 'Delete ben@example.com?' })
      .getByRole('button', { name: 'Delete user' })
      .click()
    await page.getByText('No matches').waitFor()

    assert.equal(signedOut, null)
    assert.equal((await ben.signIn()).status, 401)
  })
})

describe('invitation codes in the console', () => {
  it('let a person through the gate', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await using house = await openHouse(service)
    const page = await enterAs(house, administrator, '/console/settings')
    await page.getByText('Require an invitation', { exact: true }).click()
    await save(page)
    await page.getByText('Saved. Changes are now in effect.').waitFor()

    await page.goto('/console/beta-codes')
    await page.getByLabel('How many').fill('1')
    await page.getByRole('button', { name: 'Generate' }).click()
    const code = (await page.locator('pre').textContent())?.trim() ?? ''
    const visitor = await enterAs(house, ann, '/')
    await visitor.getByLabel('Invitation code').fill(code.toLowerCase())
    await visitor.getByRole('button', { name: 'Continue' }).click()
    await visitor.getByRole('heading', { name: 'Hello, ann' }).waitFor()
    await page.reload()

    await page.getByRole('row').filter({ hasText: code }).getByText('ann@example.com').waitFor()
  })
})

describe('shards in the console', () => {
  it('stop taking new users and take them again', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using house = await openHouse(service)
    const page = await enterAs(house, administrator, '/console/shards')
    const row = page.getByRole('row').filter({ hasText: 'weur-1' })

    await row.getByRole('button', { name: 'Stop accepting new users' }).click()
    await row.getByText('Draining').waitFor()
    await row.getByRole('button', { name: 'Accept new users' }).click()

    await row.getByText('Active').waitFor()
  })
})

describe('the audit log in the console', () => {
  it('tells who saved which settings, and its filters lie in the address', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await administrator.saveSettings('credits', { signup_reward_amount: 5 })
    await using house = await openHouse(service)

    const page = await enterAs(house, administrator, '/console/audit')
    const saved = page.getByRole('row').filter({ hasText: 'settings' }).first()
    await saved.getByText(administrator.email).waitFor()
    const action = (await saved.locator('code').textContent()) ?? ''
    await page.getByLabel('Action').fill(action)
    await page.waitForURL(/action=/)

    await page.getByRole('row').filter({ hasText: action }).first().waitFor()
  })
})
