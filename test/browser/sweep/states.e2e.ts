import { expect } from '@playwright/test'
import { queryFor, register } from '../../service/applications.ts'
import { newVerifier } from '../../service/grants.ts'
import { anyWords, pressForPalette } from '../support/acts.ts'
import { faultsInView, READERS } from '../support/every-page.ts'
import { test } from '../support/test.ts'

/** Scopes of all three tiers. */
const SCOPES = ['openid', 'account:profile:read', 'account:profile:write', 'admin:users:write']
const longName = 'drawbridge'.repeat(6)

/** Views that the sweep of the pages does not show. */
test.describe('dialogs of the console, and the consent of an application', () => {
  for (const [look, { texts, looks, hasKeyboardOnly }] of Object.entries(READERS)) {
    test(`pass axe, fit and do not move, ${look}`, async ({ enterAs, administrator, ann }) => {
      test.setTimeout(600_000)
      await administrator.post('/api/admin/create_notification', { title: longName, content: longName })
      const { body: feedback } = await ann.post('/api/submit_feedback', { type: longName, content: longName })
      const application = await register(administrator, { name: longName, scopes: SCOPES })
      const page = await enterAs(administrator, '/sign-in?next=/', looks)
      await expect(page.getByRole('heading', { name: anyWords(texts.home.title) })).toBeVisible()
      const dialog = page.getByRole('dialog')
      const press = (name: string) => page.getByRole('button', { name, exact: true }).first().click()
      const faults: string[] = []
      const lookAt = async (name: string) => {
        await page.waitForLoadState('networkidle')
        faults.push(...(await faultsInView(page, name, hasKeyboardOnly)))
      }

      for (const [path, field] of [
        ['/console/notifications?open=new', texts.publishing.headline],
        ['/console/users?open=new', texts.invite.email],
        [`/console/feedback?open=${feedback.id}`, texts.inbox.reply],
      ] as const) {
        await page.goto(path)
        await expect(dialog.getByLabel(field, { exact: true })).toBeVisible()
        await lookAt(path)
      }
      const person = `/console/users/${ann.id}`
      for (const [path, button] of [
        [person, texts.person.give],
        [person, texts.people.suspend],
        [person, texts.people.remove],
        [person, texts.person.verify],
      ] as const) {
        // Late parts move the buttons, and a click on a moving button is lost.
        await page.goto(path, { waitUntil: 'networkidle' })
        await press(button)
        await expect(dialog).toBeVisible()
        await lookAt(`${path}: ${button}`)
      }

      for (const path of ['new', 'new?for=other', 'new?for=service', application.id]) {
        await page.goto(`/console/applications/${path}`)
        await lookAt(path)
      }

      await page.goto('/console/shards')
      await expect(page.getByRole('table')).toBeVisible()
      await pressForPalette(page, texts)
      await expect(dialog).toBeVisible()
      await lookAt('the command palette')

      await page.setViewportSize({ width: 390, height: 844 })
      await page.goto('/console/shards', { waitUntil: 'networkidle' })
      await press(texts.nav.open)
      await expect(dialog.getByRole('navigation')).toBeVisible()
      await lookAt('the menu on a phone')

      await page.setViewportSize(looks.viewport)
      const query = queryFor(application, newVerifier(), { scope: SCOPES.join(' ') })
      await page.goto(`/oauth/authorize?${new URLSearchParams(query)}`)
      for (const tier of Object.values(texts.scopeTiers))
        await expect(page.getByRole('list', { name: tier })).toBeVisible()
      await lookAt('consent of an application')

      expect(faults).toEqual([])
    })
  }
})
