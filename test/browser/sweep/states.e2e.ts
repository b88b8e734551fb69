import { expect, type Page } from '@playwright/test'
import { en, type Texts } from '../../../web/src/texts/en.ts'
import { zh } from '../../../web/src/texts/zh.ts'
import { challengeOf, newVerifier } from '../../service/grants.ts'
import type { Person } from '../../service/people.ts'
import { anyWords, effectsRun } from '../support/acts.ts'
import { faultsInView, READERS } from '../support/every-page.ts'
import { test } from '../support/test.ts'

const BACK = 'https://app.example.com/back'
const SCOPES = ['openid', 'account:profile:read', 'account:profile:write', 'admin:users:write']
const longName = 'drawbridge'.repeat(6)

/** What the sweep of the pages does not show: open dialogs, and consent to scopes of all three tiers. */
test.describe('dialogs of the console, and the consent of an application', () => {
  for (const [look, reader] of Object.entries(READERS)) {
    test(`pass axe, fit any screen and do not move, ${look}`, async ({ enterAs, administrator, ann }) => {
      test.setTimeout(600_000)
      const texts = reader.locale === 'zh-CN' ? zh : en
      await administrator.post('/api/admin/create_notification', { title: longName, content: longName })
      const { body: feedback } = await ann.post('/api/submit_feedback', { type: longName, content: longName })
      const consent = await consentPath(administrator)
      const page = await enterAs(administrator, '/sign-in', reader)
      await expect(page.getByRole('heading', { name: anyWords(texts.home.title) })).toBeVisible()

      const faults: string[] = []
      for (const [name, open] of statesOf(page, texts, ann.id, feedback.id, consent)) {
        await open()
        await page.waitForLoadState('networkidle')
        faults.push(...(await faultsInView(page, name, texts === en)))
      }
      expect(faults).toEqual([])
    })
  }
})

/** Of an application that asks for all three tiers. */
async function consentPath(administrator: Person): Promise<string> {
  const { body } = await administrator.post('/api/admin/create_application', {
    name: longName,
    kind: 'web',
    redirect_uris: [BACK],
    scopes: SCOPES,
  })
  const query = new URLSearchParams({
    client_id: body.client_id,
    response_type: 'code',
    redirect_uri: BACK,
    scope: SCOPES.join(' '),
    state: 'a-state',
    code_challenge: challengeOf(newVerifier()),
    code_challenge_method: 'S256',
  })
  return `/oauth/authorize?${query}`
}

type State = readonly [name: string, open: () => Promise<unknown>]

function statesOf(page: Page, texts: Texts, userId: string, feedbackId: string, consent: string): State[] {
  const dialog = page.getByRole('dialog')
  const press = (name: string) => page.getByRole('button', { name, exact: true }).first().click()
  const byAddress = (path: string, field: string): State => [
    path,
    async () => {
      await page.goto(path)
      await expect(dialog.getByLabel(field, { exact: true })).toBeVisible()
    },
  ]
  const byButton = (path: string, button: string): State => [
    `${path}: ${button}`,
    async () => {
      // What arrives late moves the buttons, and a click on a moving button is lost.
      await page.goto(path, { waitUntil: 'networkidle' })
      await press(button)
      await expect(dialog).toBeVisible()
    },
  ]
  const person = `/console/users/${userId}`
  return [
    byAddress('/console/notifications?open=new', texts.publishing.headline),
    byAddress('/console/users?open=new', texts.invite.email),
    byAddress(`/console/feedback?open=${feedbackId}`, texts.inbox.reply),
    byButton(person, texts.person.give),
    byButton(person, texts.people.suspend),
    byButton(person, texts.people.remove),
    byButton(person, texts.person.verify),
    byButton('/console/applications', texts.applications.register),
    byButton('/console/applications', longName),
    [
      'the command palette',
      async () => {
        await page.goto('/console/shards')
        await expect(page.getByRole('table')).toBeVisible()
        await effectsRun(page)
        await page.keyboard.press('Control+k')
        await expect(dialog).toBeVisible()
      },
    ],
    [
      'the menu on a phone',
      async () => {
        await page.setViewportSize({ width: 390, height: 844 })
        await page.goto('/console/shards', { waitUntil: 'networkidle' })
        await press(texts.nav.open)
        await expect(dialog.getByRole('navigation')).toBeVisible()
      },
    ],
    [
      'consent of an application',
      async () => {
        await page.setViewportSize({ width: 1280, height: 832 })
        await page.goto(consent)
        for (const tier of Object.values(texts.scopeTiers))
          await expect(page.getByRole('list', { name: tier })).toBeVisible()
      },
    ],
  ]
}
