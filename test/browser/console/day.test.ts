import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { en } from '../../../web/src/texts/en.ts'
import { grantFor } from '../../service/grants.ts'
import { type Person, people } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'
import { assertAccessible } from '../support/accessible.ts'
import { beforeRequest, effectsRun, failing, fillSignIn } from '../support/acts.ts'
import { openBrowserSession } from '../support/browser-session.ts'

const { inbox, palette, firstHour, connecting, publishing } = en

async function setUp() {
  const service = await startService()
  const everybody = await people(service)
  const browser = await openBrowserSession(service)
  const page = await browser.openPage()
  const signIn = async (path: string) => {
    await page.goto(path)
    await fillSignIn(page, everybody.administrator.email, everybody.administrator.password)
  }
  return { service, ...everybody, browser, page, signIn }
}

const dialogOf = (page: Page) => page.getByRole('dialog')

describe('a day at the console', () => {
  it('the inbox is walked with keys, and answered and resolved in one act', async () => {
    const { service, browser, page, ann, administrator, signIn } = await setUp()
    await using _service = service
    await using _browser = browser
    for (const content of ['First', 'Second', 'Third']) {
      await ann.post('/api/submit_feedback', { type: 'idea', content })
      service.clock.advance({ minutes: 1 })
    }
    await signIn('/console/feedback')
    await page.getByRole('button', { name: 'Third' }).waitFor()
    await page.getByRole('table').getByText(ann.email).first().waitFor()
    await effectsRun(page)

    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await dialogOf(page).getByText(inbox.earlier).waitFor()
    await assertAccessible(page)
    await page.keyboard.press('j')
    await dialogOf(page)
      .getByRole('paragraph')
      .filter({ hasText: /^Second$/ })
      .waitFor()
    await dialogOf(page).getByLabel(inbox.reply).fill('Thank you, j.')
    await page.keyboard.press('Control+Enter')
    await dialogOf(page)
      .getByRole('paragraph')
      .filter({ hasText: /^First$/ })
      .waitFor()
    await effectsRun(page)
    await page.keyboard.press('e')
    await dialogOf(page).waitFor({ state: 'detached' })

    const { body } = await administrator.post('/api/admin/list_feedbacks')
    assert.deepEqual(
      body.items.map(({ content, status }: { content: string; status: string }) => [content, status]),
      [
        ['Third', 'new'],
        ['Second', 'done'],
        ['First', 'done'],
      ],
    )
    const answer = await ann.post('/api/list_notifications')
    assert.equal(answer.body.items[0].content, 'Thank you, j.')
    assert.deepEqual(browser.complaints, [])
  })

  const written = async (service: Service, ann: Person) => {
    for (const content of ['First', 'Second', 'Third']) {
      await ann.post('/api/submit_feedback', { type: 'idea', content })
      service.clock.advance({ minutes: 1 })
    }
  }
  const statusesOf = async (administrator: Person) => {
    const { body } = await administrator.post('/api/admin/list_feedbacks')
    return body.items.map(({ status }: { status: string }) => status)
  }
  const saying = (page: Page, content: string) =>
    dialogOf(page)
      .getByRole('paragraph')
      .filter({ hasText: new RegExp(`^${content}$`) })

  it('a key that is held down marks one message as done, not those after it', async () => {
    const { service, browser, page, ann, administrator, signIn } = await setUp()
    await using _service = service
    await using _browser = browser
    await written(service, ann)
    await signIn('/console/feedback')
    await page.getByRole('button', { name: 'Third' }).click()
    await saying(page, 'Third').waitFor()
    await effectsRun(page)

    await page.keyboard.down('e')
    await saying(page, 'Second').waitFor()
    await effectsRun(page)
    await page.keyboard.down('e')
    await page.keyboard.up('e')
    await page.keyboard.press('j')
    await saying(page, 'First').waitFor()
    await page.waitForLoadState('networkidle')

    assert.deepEqual(await statusesOf(administrator), ['done', 'new', 'new'])
    assert.deepEqual(browser.complaints, [])
  })

  it('keys do nothing behind the question whether a reply is discarded', async () => {
    const { service, browser, page, ann, administrator, signIn } = await setUp()
    await using _service = service
    await using _browser = browser
    await written(service, ann)
    await signIn('/console/feedback')
    await page.getByRole('button', { name: 'Third' }).click()
    await dialogOf(page).getByLabel(inbox.reply).fill('Thank you.')
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: en.unsaved.title }).waitFor()
    await effectsRun(page)

    await page.keyboard.press('e')
    await page.getByRole('button', { name: en.unsaved.keep }).click()
    await page.waitForLoadState('networkidle')

    assert.deepEqual(await statusesOf(administrator), ['new', 'new', 'new'])
    assert.deepEqual(browser.complaints, [])
  })

  it('a message that cannot be marked as done says why', async () => {
    const { service, browser, page, ann, signIn } = await setUp()
    await using _service = service
    await using _browser = browser
    await written(service, ann)
    await signIn('/console/feedback')
    await page.getByRole('button', { name: 'Third' }).click()
    await failing(page, '/api/admin/update_feedback')

    await dialogOf(page).getByRole('button', { name: inbox.resolve, exact: true }).click()

    await dialogOf(page).getByRole('alert').getByText(en.failures.INTERNAL_ERROR).waitFor()
  })

  it('the palette finds pages, users and acts by name', async () => {
    const { service, browser, page, ann, signIn } = await setUp()
    await using _service = service
    await using _browser = browser
    await signIn('/')
    await page.getByRole('button', { name: palette.open }).waitFor()
    await effectsRun(page)

    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: palette.search }).and(page.locator(':focus')).waitFor()
    await page.keyboard.type(en.console.audit)
    await page.getByRole('option', { name: en.console.audit, selected: true }).waitFor()
    await assertAccessible(page)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: en.audit.title }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: palette.search }).fill('ann@')
    await page.getByRole('option', { name: palette.person(ann.email) }).click()
    await page.getByRole('heading', { name: ann.email }).waitFor()
    await page.getByText(ann.id).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: palette.search }).and(page.locator(':focus')).waitFor()
    await page.keyboard.type('invite')
    await page.getByRole('option', { name: en.invite.open, selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await dialogOf(page).getByLabel(en.invite.email).waitFor()

    assert.deepEqual(browser.complaints, [])
  })

  it('the first hour lists what is left to do, and a product finds what to copy', async () => {
    const { service, browser, page, administrator, signIn } = await setUp()
    await using _service = service
    await using _browser = browser
    await administrator.saveSettings('brand', {
      name: 'Acme',
      return_origins: ['https://app.acme.example'],
    })
    await signIn('/console')

    await page.getByText(firstHour.lead(3, 7)).waitFor()
    await assertAccessible(page)
    await grantFor(administrator, 'account:profile:read')
    await page.reload()
    await page.getByText(firstHour.lead(4, 7)).waitFor()
    await page.getByRole('link', { name: firstHour.product }).click()
    const link = page.getByRole('region', { name: connecting.signIn })
    await link.getByText(`${browser.origin}/sign-in?return_to=https%3A%2F%2Fapp.acme.example%2F`).waitFor()
    await assertAccessible(page)

    assert.deepEqual(browser.complaints, [])
  })

  it('what is typed into a notification is kept when the session ends', async () => {
    const { service, browser, page, administrator, signIn } = await setUp()
    await using _service = service
    await using _browser = browser
    await signIn('/console/notifications?open=new')
    await page.getByLabel(publishing.headline).fill('Maintenance on Sunday')

    await page.getByRole('button', { name: publishing.publish, exact: true }).click()
    await page.getByLabel(publishing.content, { exact: true }).fill('From 02:00')
    await beforeRequest(page, '/api/admin/create_notification', () =>
      administrator.post('/api/auth/revoke-sessions'),
    )
    await page.getByRole('button', { name: publishing.publish, exact: true }).click()
    await page.getByRole('heading', { name: en.signIn.title }).waitFor()
    await fillSignIn(page, administrator.email, administrator.password)

    assert.equal(await page.getByLabel(publishing.headline).inputValue(), 'Maintenance on Sunday')
    assert.deepEqual(browser.complaints, [])
  })
})
