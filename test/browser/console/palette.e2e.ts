import { expect } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { zh } from '../../../web/src/texts/zh.ts'
import { Person } from '../../service/people.ts'
import { assertAccessible } from '../support/accessible.ts'
import { effectsRun, fillSignIn, pressForPalette } from '../support/acts.ts'
import { hold } from '../support/live.ts'
import { test } from '../support/test.ts'

const { lists } = en
const catalogues = { 'en-US': en, 'zh-CN': zh }

test.describe('the command palette', () => {
  for (const [locale, texts] of Object.entries(catalogues)) {
    const { palette, people: words, person, nav, shortcuts } = texts

    test(`opens the question of an action on a user, and signs out (${locale})`, async ({
      openPage,
      administrator,
      ann,
      ben,
    }) => {
      const page = await openPage({ locale })
      const dialog = (name: string) => page.getByRole('dialog', { name, exact: true })
      const choose = async (typed: string, option: string) => {
        await pressForPalette(page, texts)
        await page.getByRole('combobox', { name: shortcuts.palette }).fill(typed)
        await page.getByRole('option', { name: option, exact: true }).click()
      }
      await page.goto('/console')
      await fillSignIn(page, administrator.email, administrator.password, texts)
      await expect(page.getByRole('button', { name: palette.open })).toBeVisible()

      await choose(`${words.suspend} ann@`, palette.act(words.suspend, ann.email))
      await dialog(words.suspendTitle(ann.email)).getByLabel(words.suspendReason).fill('Too many bells')
      await assertAccessible(page)
      await page.getByRole('dialog').getByRole('button', { name: words.suspend, exact: true }).click()
      await expect(page.getByText('Too many bells').first()).toBeVisible()
      await expect(dialog(words.suspendTitle(ann.email))).toHaveCount(0)
      await page.waitForURL(`**/console/users/${ann.id}`)
      // Now without a name: this user's page is open.
      await choose(words.restore, palette.act(words.restore, ann.email))
      await dialog(words.restore).getByRole('button', { name: texts.common.close }).click()
      await expect(dialog(words.restore)).toHaveCount(0)
      await choose(`${words.endSessions} ben`, palette.act(words.endSessions, ben.email))
      await dialog(words.endSessionsTitle(ben.email))
        .getByRole('button', { name: words.endSessions, exact: true })
        .click()
      await expect(page.getByText(person.sessionsNone)).toBeVisible()
      await expect(dialog(words.endSessionsTitle(ben.email))).toHaveCount(0)
      await choose(`${person.give} ben`, palette.act(person.give, ben.email))
      await dialog(person.giveTitle(ben.email)).getByRole('button', { name: texts.common.close }).click()
      await expect(dialog(person.giveTitle(ben.email))).toHaveCount(0)
      await choose(texts.codes.make, texts.codes.make)
      await expect(page.getByRole('heading', { name: texts.codes.make })).toBeVisible()
      await choose(nav.signOut, nav.signOut)
      await expect(page.getByRole('heading', { name: texts.signIn.title })).toBeVisible()

      expect((await ann.signIn()).body.code).toBe('ACCOUNT_SUSPENDED')
      expect((await ben.get('/api/auth/get-session')).body).toBeNull()
    })
  }

  for (const [locale, texts] of Object.entries(catalogues)) {
    const { access, found } = texts

    test(`revokes a pasted token, of which only the hash leaves the page (${locale})`, async ({ openConsole, ann }) => {
      const script = { name: 'Nightly report', scopes: ['account:profile:read'], expires_in_days: 9 }
      const { token } = (await ann.post('/api/create_personal_token', script)).body
      const permissions = ['clipboard-read', 'clipboard-write']
      const page = await openConsole('/console', { locale, permissions })
      const sent: string[] = []
      page.on('request', (request) => sent.push(`${request.url()} ${request.postData()}`))
      await page.evaluate(`navigator.clipboard.writeText('found in a log: "${token}"')`)

      await pressForPalette(page, texts)
      await page.getByRole('dialog').getByRole('combobox').press('Control+v')
      const finding = page.getByRole('region', { name: found.secrets.ghp_ })
      await expect(finding).toContainText(found.named(found.kinds.personal_token, 'Nightly report'))
      await expect(finding).toContainText(ann.email)
      await expect(page.getByRole('dialog').getByRole('combobox')).toHaveValue('')
      await assertAccessible(page)
      await expect(page.getByRole('dialog').getByRole('option').first()).toHaveText(
        found.revoke('Nightly report', ann.email),
      )
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').getByRole('button', { name: access.revoke, exact: true }).click()
      await expect(page.getByText(access.done)).toBeVisible()
      await expect(page.getByRole('dialog')).toHaveCount(0)
      await pressForPalette(page, texts)
      await page.getByRole('dialog').getByRole('combobox').fill(token)
      await expect(page.getByText(found.unknown)).toBeVisible()

      expect((await ann.get('/api/auth/get-session', { authorization: `Bearer ${token}` })).body).toBeNull()
      expect(sent.filter((one) => one.includes(token.slice(4)))).toEqual([])
      const kept = await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })')
      expect(kept).not.toContain(token.slice(4, 20))
    })
  }

  test('says how many were found, and never that there are none while it searches', async ({ openConsole, ann }) => {
    await ann.post('/api/auth/update-user', { name: 'Giulia Haddad' })
    const page = await openConsole('/console')
    await pressForPalette(page)
    const dialog = page.getByRole('dialog')

    await dialog.getByRole('combobox').fill('giulia h')
    await expect(dialog.getByRole('option').first()).toHaveText(`${en.palette.person(ann.email)} Giulia Haddad`)

    await expect(dialog.getByRole('status')).toHaveText(lists.results(1))
  })

  test('lists the pages and people that were chosen, never what was typed', async ({ openConsole, ann }) => {
    const page = await openConsole('/console')
    await pressForPalette(page)
    await page.getByRole('dialog').getByRole('combobox').fill('ann@exam')
    await page.getByRole('option', { name: en.palette.person(ann.email), exact: true }).click()
    await expect(page.getByRole('heading', { name: ann.email })).toBeVisible()

    await page.keyboard.press('Control+k')
    const recent = page.getByRole('group', { name: en.palette.groups.recent })

    await expect(recent.getByRole('option')).toHaveText([en.palette.person(ann.email)])
    const acts = page.getByRole('group', { name: en.palette.groups.acts })
    await expect(acts.getByRole('option').first()).toHaveText(en.palette.act(en.person.write, ann.email))
  })

  const systems = { apple: 'Macintosh; Intel Mac OS X 10_15_7', others: 'X11; Linux x86_64' } as const
  for (const keys of ['apple', 'others'] as const) {
    test(`says which keys open it (${systems[keys]})`, async ({ enterAs, ann }) => {
      const page = await enterAs(ann, '/', { userAgent: `Mozilla/5.0 (${systems[keys]})` })

      await expect(page.getByRole('button', { name: en.palette.open })).toHaveText(
        `${en.palette.open}${en.palette.keys[keys]}`,
      )
    })
  }

  test('offers nobody else an action on users', async ({ enterAs, ann }) => {
    const page = await enterAs(ann, '/')
    await pressForPalette(page)

    await page.getByRole('combobox', { name: en.shortcuts.palette }).fill(en.people.suspend)

    await expect(page.getByRole('dialog').getByText(en.palette.none)).toBeVisible()
  })

  test('keeps what is typed while it is still being fetched', async ({ page, administrator }) => {
    const release = await hold(page, '/assets/palette-*.js')
    await page.goto('/console/notifications')
    await fillSignIn(page, administrator.email, administrator.password)
    await page.getByRole('button', { name: en.publishing.write }).focus()
    await effectsRun(page)

    const fetching = page.waitForRequest('**/assets/palette-*.js')
    await page.keyboard.press('Control+k')
    await fetching
    await page.keyboard.type('Webx')
    await page.keyboard.press('Backspace')
    await page.keyboard.type('hooks ')
    release()
    const search = page.getByRole('combobox', { name: en.shortcuts.palette })
    await expect(search).toBeFocused()
    await page.keyboard.press('Backspace')
    await expect(search).toHaveValue('Webhooks')
    const found = `${en.nav.console}: ${en.console.webhooks}`
    await expect(page.getByRole('option', { name: found })).toBeVisible()
  })

  test('does not open on top of a dialog in which something is typed', async ({ openConsole }) => {
    const page = await openConsole('/console/notifications')
    await expect(page.getByRole('button', { name: en.publishing.write })).toBeVisible()
    await effectsRun(page)
    const palette = page.getByRole('dialog', { name: en.palette.title })
    await page.keyboard.press('Control+k')
    await expect(palette).toBeVisible()
    await page.keyboard.press('Control+k')
    await expect(palette).toHaveCount(0)
    await page.getByRole('button', { name: en.publishing.write }).click()
    await page.getByLabel(en.publishing.headline).fill('Maintenance')

    await page.keyboard.press('Control+k')
    await effectsRun(page)
    await page.keyboard.type(' on Sunday')

    await expect(page.getByLabel(en.publishing.headline)).toHaveValue('Maintenance on Sunday')
    await expect(palette).toHaveCount(0)
  })

  test('leads to all users that match, and its field stays where it is', async ({ openConsole, service }) => {
    for (const name of ['dora', 'emil', 'fay', 'gus', 'hana', 'ivo']) {
      await new Person(service, `${name}@example.com`, 'a lantern in the gateway').signUp()
    }
    const page = await openConsole('/console')
    await page.getByRole('button', { name: en.palette.open }).click()
    const field = page.getByRole('combobox', { name: en.shortcuts.palette })
    await expect(field).toBeVisible()
    const before = await field.boundingBox()

    await field.fill('example.com')
    await expect(page.getByRole('option', { name: en.palette.others })).toBeVisible()
    const after = await field.boundingBox()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await expect(page.getByText('dora@example.com')).toBeVisible()

    expect(after).toEqual(before)
    await expect(page).toHaveURL(/\?search=example\.com$/)
  })
})
