import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { en } from '../../../web/src/texts/en.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { addApp } from '../../service/devices/factors.ts'
import { grantFor } from '../../service/grants.ts'
import { Person, people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { assertAccessible } from '../support/accessible.ts'
import { choose, fillSignIn } from '../support/acts.ts'
import { openBrowserSession } from '../support/browser-session.ts'

const { person, invite, lists } = en

async function signIn(page: Page, { email, password }: Person, path: string) {
  await page.goto(path)
  await fillSignIn(page, email, password)
}

/** Presses a button that asks first, and agrees. */
async function agree(page: Page, button: string, fill?: (dialog: ReturnType<Page['getByRole']>) => unknown) {
  await page.getByRole('main').getByRole('button', { name: button, exact: true }).click()
  const dialog = page.getByRole('dialog')
  await fill?.(dialog)
  await dialog.getByRole('button', { name: button, exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
}

describe('the page of a person', () => {
  it('shows what is known and what happened, in both themes and on a phone, without a finding of axe', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await ann.post('/api/submit_feedback', { type: 'idea', content: 'A bell at the gate' })
    await grantFor(ann, 'operations:feedback:write')
    await administrator.post('/api/admin/give_credits', { id: ann.id, amount: 250 })
    await administrator.post('/api/admin/create_notification', {
      title: 'A word to Ann',
      content: 'Only for her.',
      target_user_id: ann.id,
    })
    await using browser = await openBrowserSession(service)

    for (const options of [
      { colorScheme: 'light' },
      { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
    ] as const) {
      const page = await browser.openPage(options)
      await signIn(page, administrator, `/console/users/${ann.id}`)
      await page.getByRole('heading', { name: ann.email }).waitFor()
      const region = (name: string) =>
        page.locator('section', { has: page.getByRole('heading', { name, exact: true }) })
      await region(en.people.sessions).getByText(person.lastUsed).first().waitFor()
      await region(en.people.balance).getByText('+250').waitFor()
      await region(en.inbox.title).getByText('A bell at the gate').waitFor()
      const line = region(person.timeLine)
      await line.getByText('A word to Ann').waitFor()
      await line.getByText('A bell at the gate').waitFor()
      await line.getByText(person.gotCredits('+250')).waitFor()
      await line.getByRole('listitem').last().getByText(person.signedUp).waitFor()
      await assertAccessible(page)
      await line.getByLabel(person.timeLine).selectOption('message')
      await line.getByText('A bell at the gate').waitFor({ state: 'detached' })
      await page.context().close()
    }
    assert.deepEqual(browser.complaints, [])
  })

  it('shows nothing older in the time line while newer things are not shown yet', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await ann.post('/api/submit_feedback', { type: 'idea', content: 'A bell at the gate' })
    service.clock.advance({ hours: 1 })
    for (let amount = 1; amount <= 25; amount++) {
      await administrator.post('/api/admin/give_credits', { id: ann.id, amount })
    }
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await signIn(page, administrator, `/console/users/${ann.id}`)
    const line = page.locator('section', { has: page.getByRole('heading', { name: person.timeLine }) })
    const oldest = line.getByText('A bell at the gate')
    await line.getByText(person.gotCredits('+25')).waitFor()

    const early = await oldest.count()
    await line.getByRole('button', { name: person.more }).click()
    await oldest.waitFor()

    assert.equal(early, 0)
    await line.getByText(person.gotCredits('+1'), { exact: true }).waitFor()
    assert.deepEqual(browser.complaints, [])
  })

  it('lets the administrator act for one user', async () => {
    await using service = await startService()
    const { administrator, ben } = await people(service)
    await changeSettings(service, 'email', { provider: 'outbox' })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await signIn(page, administrator, '/console/users')
    await page.getByLabel(en.people.search).fill('ben@')
    await page.getByText('ann@example.com').first().waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'ben@example.com' }).click()

    await agree(page, person.verify)
    await page.getByRole('button', { name: person.verify }).waitFor({ state: 'detached' })
    await agree(page, person.reset)
    const letters = (await service.mail.sentTo(ben.email)).length
    await agree(page, person.give, (dialog) => dialog.getByLabel(person.amount).fill('40'))
    await page.getByText(person.balance('40')).waitFor()
    await agree(page, person.move, (dialog) => dialog.getByLabel(person.moveTo).selectOption('oc-1'))
    await page.getByRole('definition').filter({ hasText: 'oc-1' }).first().waitFor()
    await agree(page, en.people.endSessions)
    await page.getByText(person.sessionsNone).waitFor()
    await agree(page, en.people.suspend, (dialog) =>
      dialog.getByLabel(en.people.suspendReason).fill('Too many bells'),
    )
    await page.getByText('Too many bells').first().waitFor()
    const whileSuspended = (await ben.signIn()).body.code
    await agree(page, en.people.restore)
    await page.getByRole('button', { name: en.people.suspend }).waitFor()
    const restored = (await ben.signIn()).status
    await agree(page, en.people.remove)
    await page.getByText(en.people.removed).waitFor()
    await page.getByRole('heading', { name: en.people.title }).waitFor()

    assert.deepEqual([letters, whileSuspended, restored], [1, 'ACCOUNT_SUSPENDED', 200])
    assert.equal((await ben.signIn()).status, 401)
    assert.deepEqual(browser.complaints, [])
  })

  it('lets the administrator remove a user’s second factors, and end a tool', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await changeSettings(service, 'email', { provider: 'outbox' })
    await addApp(service, ann)
    const client = await grantFor(ann, 'account:profile:read')
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await signIn(page, administrator, `/console/users/${ann.id}`)

    await agree(page, en.people.removeFactors)
    await page.getByText(en.people.removedFactors).waitFor()
    await page.getByRole('button', { name: en.people.removeFactors }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: person.revokeNamed('Command-line client') }).click()
    await page.getByRole('dialog').getByRole('button', { name: person.revoke, exact: true }).click()
    await page.getByText(person.revoked).waitFor()

    assert.equal((await client.post('/api/export_account')).status, 401)
    assert.equal((await new Person(service, ann.email, ann.password).signIn()).body.redirect, false)
    const subjects = (await service.mail.sentTo(ann.email)).map(({ subject }) => subject)
    assert.deepEqual(
      [/second factors were removed/, /tool was disconnected/].map((about) =>
        subjects.some((subject) => about.test(subject)),
      ),
      [true, true],
    )
    assert.deepEqual(browser.complaints, [])
  })

  it('says so if there is no user with that id, and offers no other try', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()

    await signIn(page, administrator, '/console/users/nobody')

    await page.getByText(en.failures.NOT_FOUND).waitFor()
    assert.equal(await page.getByRole('button', { name: en.common.tryAgain }).count(), 0)
  })
})

describe('the list of users', () => {
  it('invites a user by email, and adds one at once', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await changeSettings(service, 'email', { provider: 'outbox' })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await signIn(page, administrator, '/console/users')

    await page.getByRole('button', { name: invite.open }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(invite.email).fill('carl@example.com')
    await assertAccessible(page)
    await dialog.getByRole('button', { name: invite.send }).click()
    await page.getByRole('link', { name: 'carl@example.com' }).waitFor()
    await page.getByRole('button', { name: invite.open }).click()
    await choose(dialog, invite.how, invite.ways.create)
    await dialog.getByLabel(invite.email).fill('ann@example.com')
    await dialog.getByRole('button', { name: invite.create }).click()
    await dialog.getByText(en.failures.USER_ALREADY_EXISTS).waitFor()
    await dialog.getByLabel(invite.email).fill('dora@example.com')
    await dialog.getByRole('button', { name: invite.create }).click()
    await page.getByRole('link', { name: 'dora@example.com' }).waitFor()

    assert.equal((await service.mail.sentTo('carl@example.com')).length, 1)
    assert.equal((await service.mail.sentTo('dora@example.com')).length, 0)
    assert.deepEqual(browser.complaints, [])
  })

  it('is sorted, acts on several at once, and its CSV opens without running anything', async () => {
    await using service = await startService()
    const { administrator, ann, ben } = await people(service)
    await ann.post('/api/auth/update-user', { name: '=HYPERLINK("https://evil.example")' })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await signIn(page, administrator, '/console/users')

    await page.getByLabel(lists.order).selectOption('email')
    await page.waitForURL(/order=email/)
    await page.getByRole('row').nth(1).filter({ hasText: administrator.email }).waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: lists.csv }).click()
    const text = readFileSync(await (await download).path(), 'utf8')
    for (const { email } of [ann, ben]) await page.getByLabel(lists.choose(email)).check()
    await page.getByText(lists.chosen(2)).waitFor()
    await page.getByRole('button', { name: en.people.endSessions }).click()
    await page.getByRole('dialog').getByRole('button', { name: en.people.endSessions }).click()
    await page.getByText(en.people.endedSessionsOf(2)).waitFor()

    assert.match(text, /"'=HYPERLINK\(""https/)
    assert.equal(text.trim().split('\r\n').length, 4)
    for (const one of [ann, ben]) assert.equal((await one.get('/api/auth/get-session')).body, null)
    assert.equal((await administrator.get('/api/auth/get-session')).status, 200)
    assert.deepEqual(browser.complaints, [])
  })
})
