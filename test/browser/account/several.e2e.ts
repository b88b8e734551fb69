import { expect, type Page } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { LIST, SET_ACTIVE } from '../../service/accounts.ts'
import { queryFor } from '../../service/applications.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { newVerifier } from '../../service/grants.ts'
import type { Person } from '../../service/people.ts'
import { assertAccessible } from '../support/accessible.ts'
import { fillSignIn } from '../support/acts.ts'
import { listening } from '../support/live.ts'
import { test as base } from '../support/test.ts'

const { nav, feedback, otherAccount, signIn } = en

/** A browser in which Ann has signed in first and Ben after her, on Ben's page. */
const test = base.extend<{ both: Page }>({
  service: async ({ service }, use) => {
    await changeSettings(service, 'authentication', { accounts_per_browser: 3 })
    await use(service)
  },
  both: async ({ enterAs, ann, ben }, use) => {
    const page = await enterAs(ann, '/')
    await openMenu(page, ann)
    await page.getByRole('link', { name: nav.addAccount }).click()
    await expect(page.getByRole('heading', { name: signIn.addTitle })).toBeVisible()
    await fillSignIn(page, ben.email, ben.password)
    await expectHome(page, ben)
    await use(page)
  },
})

const opener = (page: Page, { email }: Person) => page.getByRole('button', { name: `${email} ${nav.accounts}` })

async function openMenu(page: Page, person: Person): Promise<void> {
  await opener(page, person).click()
  await expect(page.getByRole('link', { name: nav.addAccount })).toBeVisible()
}

async function expectHome(page: Page, person: Person): Promise<void> {
  await expect(opener(page, person)).toBeVisible()
}

async function writeFeedback(page: Page, content: string): Promise<void> {
  await page.goto('/feedback')
  await page.getByLabel(feedback.content).fill(content)
}

/** Another window of the browser switches, without a word to this one. */
async function switchUnheard(page: Page, { email }: Person): Promise<void> {
  const status = await page.evaluate(`(async () => {
    const accounts = await (await fetch('${LIST}')).json()
    const { session } = accounts.find(({ user }) => user.email === '${email}')
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ sessionToken: session.token })
    return (await fetch('${SET_ACTIVE}', { method: 'POST', headers, body })).status
  })()`)
  expect(status).toBe(200)
}

const sentBy = async (person: Person) => (await person.post('/api/list_own_feedbacks')).body.total

test('the menu adds an account, switches, leaves one, and signs out of all', async ({ both: page, ann, ben }) => {
  await openMenu(page, ben)
  await assertAccessible(page)
  await page.getByRole('list', { name: nav.otherAccounts }).getByRole('button', { name: ann.email }).click()
  await expectHome(page, ann)
  await openMenu(page, ann)
  await page.getByRole('button', { name: nav.leaveAccount }).click()
  await expectHome(page, ben)
  await openMenu(page, ben)
  await expect(page.getByRole('list', { name: nav.otherAccounts })).toHaveCount(0)
  await page.getByRole('button', { name: nav.signOutAll }).click()
  await expect(page.getByRole('heading', { name: signIn.title })).toBeVisible()
})

test('a form that was typed as one account and sent as another is not sent, and stays', async ({
  both: page,
  ann,
  ben,
}) => {
  await writeFeedback(page, 'A bell for Ben.')
  await switchUnheard(page, ann)

  await page.getByRole('button', { name: feedback.submit }).click()
  const dialog = page.getByRole('dialog', { name: otherAccount.title })
  await expect(dialog.getByText(otherAccount.text(ann.email, ben.email))).toBeVisible()
  await assertAccessible(page)
  expect([await sentBy(ann), await sentBy(ben)]).toEqual([0, 0])

  await page.keyboard.press('Escape')
  await expect(page.getByLabel(feedback.content)).toHaveValue('A bell for Ben.')
  await page.getByRole('button', { name: feedback.submit }).click()
  await dialog.getByRole('button', { name: otherAccount.back(ben.email) }).click()
  await expect(page.getByText(feedback.sentTitle)).toBeVisible()
  expect([await sentBy(ann), await sentBy(ben)]).toEqual([0, 1])
})

test('a window whose browser switches in another one keeps what was typed, and asks', async ({
  both: page,
  ann,
  ben,
}) => {
  await writeFeedback(page, 'A bell for Ben.')
  const other = await page.context().newPage()
  await other.goto('/')
  await openMenu(other, ben)
  await other.getByRole('list', { name: nav.otherAccounts }).getByRole('button', { name: ann.email }).click()
  await expectHome(other, ann)

  const dialog = page.getByRole('dialog', { name: otherAccount.title })
  await expect(dialog).toBeVisible()
  await dialog.getByRole('button', { name: otherAccount.back(ben.email) }).click()
  await expect(page.getByLabel(feedback.content)).toHaveValue('A bell for Ben.')
  await page.getByRole('button', { name: feedback.submit }).click()
  await expect(page.getByText(feedback.sentTitle)).toBeVisible()
  expect(await sentBy(ben)).toBe(1)
})

test('a window whose stream is lost does not go on with the events of the other account', async ({
  both: page,
  service,
  administrator,
  ann,
}) => {
  const [stream] = await Promise.all([listening(page), page.goto('/feedback')])
  await switchUnheard(page, ann)
  const again = listening(page)
  await administrator.saveSettings('authentication', { registration_enabled: false })
  await service.runJob('events')

  expect([stream.status(), (await again).status()]).toEqual([200, 409])
  await expect(page.getByRole('dialog', { name: otherAccount.title })).toBeVisible()
})

test('a window goes on as the other account with none of the former one', async ({ both: page, ann }) => {
  await writeFeedback(page, 'A bell for Ben.')
  await switchUnheard(page, ann)

  await page.getByRole('button', { name: feedback.submit }).click()
  await page.getByRole('button', { name: otherAccount.goOn(ann.email) }).click()
  await expectHome(page, ann)
  await expect(page.getByLabel(feedback.content)).toHaveValue('')
})

test('after the active account was signed out elsewhere, the sign-in page offers the others', async ({
  both: page,
  ann,
  ben,
}) => {
  await ben.post('/api/auth/revoke-sessions')

  await page.goto('/')
  await page.getByRole('list', { name: signIn.held }).getByRole('button', { name: ann.email }).click()
  await expectHome(page, ann)
})

test('an application can have the user choose an account', async ({ both: page, service, administrator, ann, ben }) => {
  const redirect_uri = `${service.config.baseUrl}/settings/data`
  const shop = { name: 'Shop', kind: 'web', redirect_uris: [redirect_uri], skip_consent: true }
  const { body: application } = await administrator.post('/api/admin/create_application', shop)
  const visit = (changes: Readonly<Record<string, string>>) =>
    page.goto(
      `/oauth/authorize?${new URLSearchParams(queryFor(application, newVerifier(), { redirect_uri, ...changes }))}`,
    )

  await visit({ prompt: 'select_account' })
  await expect(page.getByRole('heading', { name: signIn.chooseTitle })).toBeVisible()
  await assertAccessible(page)
  await page.getByRole('button', { name: ann.email }).click()
  await expect(page).toHaveURL(/code=/)
  await expectHome(page, ann)

  await visit({ login_hint: 'dora@example.com' })
  await expect(page.getByRole('button', { name: ben.email })).toBeVisible()
  await page.getByRole('link', { name: signIn.another }).click()
  await expect(page.getByLabel(en.common.email)).toHaveValue('dora@example.com')
})
