import assert from 'node:assert/strict'
import { json } from 'node:stream/consumers'
import { type Download, expect } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { assertAccessible } from '../support/accessible.ts'
import { anyWords } from '../support/acts.ts'
import { test } from '../support/test.ts'

test.describe('settings in the browser', () => {
  test('a new installation leads to its next step until hidden', async ({ enterAs, administrator, ann }) => {
    const page = await enterAs(administrator, '/sign-in?next=/')
    const { firstHour } = en

    await expect(page.getByText(firstHour.next(firstHour.brand))).toBeVisible()
    await assertAccessible(page)
    await page.getByRole('link', { name: firstHour.go }).click()
    await page.getByLabel(en.config.fields.name).fill('Acme')
    await page.getByRole('button', { name: en.common.save }).click()
    await expect(page.getByText(en.config.saved)).toBeVisible()
    await page.getByRole('link', { name: en.nav.account }).click()
    await expect(page.getByText(firstHour.next(firstHour.mail))).toBeVisible()
    await page.getByRole('button', { name: firstHour.hide }).click()
    await expect(page.getByRole('link', { name: firstHour.go })).toHaveCount(0)
    await page.goto('/', { waitUntil: 'networkidle' })
    await expect(page.getByRole('heading', { name: anyWords(en.home.title) })).toBeVisible()
    await expect(page.getByRole('link', { name: firstHour.go })).toHaveCount(0)

    const other = await enterAs(ann, '/')
    await expect(other.getByText(en.notifications.emptyUnreadTitle)).toBeVisible()
    await other.waitForLoadState('networkidle')
    await expect(other.getByRole('link', { name: firstHour.go })).toHaveCount(0)
  })

  test('sessions elsewhere are listed and ended; this one stays', async ({ enterAs, ann }) => {
    const page = await enterAs(ann, '/settings/sessions')

    await expect(page.getByText(en.sessions.current)).toBeVisible()
    await page.getByRole('button', { name: en.sessions.endOthers }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await assertAccessible(page)
    await page.getByRole('dialog').getByRole('button', { name: en.sessions.endOthers }).click()
    await expect(page.getByText(en.sessions.onlyThis)).toBeVisible()

    assert.equal((await ann.post('/api/count_unread_notifications')).status, 401)
  })

  test('a user downloads their data; later the password is asked for', async ({ enterAs, service, ann }) => {
    await ann.post('/api/submit_feedback', { type: 'idea', content: 'A bench by the gate' })
    const page = await enterAs(ann, '/settings/data')
    const begin = page.getByRole('button', { name: en.common.download })
    const assertWhole = async (download: Download) => {
      assert.equal(download.suggestedFilename(), 'my-data.json')
      assert.match(JSON.stringify(await json(await download.createReadStream())), /A bench by the gate/)
    }

    const [atOnce] = await Promise.all([page.waitForEvent('download'), begin.click()])
    await assertWhole(atOnce)
    service.clock.advance({ minutes: 16 })
    const later = page.waitForEvent('download')
    await begin.click()
    await page.getByLabel(en.fresh.password).fill('not this one')
    await page.getByRole('button', { name: en.common.continue }).click()
    await expect(page.getByText(en.form.passwordWrong)).toBeVisible()
    await assertAccessible(page)
    await page.getByLabel(en.fresh.password).fill(ann.password)
    await page.getByRole('button', { name: en.common.continue }).click()
    await assertWhole(await later)
  })

  test('an account is deleted with its password, and is gone; the dialog says what becomes of organisations', async ({
    enterAs,
    administrator,
    ann,
  }) => {
    await administrator.post('/api/admin/create_organization', { name: 'Rowers', owner_id: ann.id })
    const page = await enterAs(ann, '/settings/data')

    await page.getByRole('button', { name: en.data.deleteAction }).click()
    await expect(page.getByText(en.data.confirmTextOfMember)).toBeVisible()
    await page.getByLabel(en.data.confirmPassword).fill(ann.password)
    await page.getByRole('button', { name: en.data.confirmAction }).click()
    await expect(page.getByText(en.signIn.accountDeleted)).toBeVisible()
    await expect(page.getByText(en.signIn.ended(false))).toHaveCount(0)

    assert.equal((await ann.signIn()).status, 401)
  })

  test('a name is saved and shown, and a picture can be removed', async ({ enterAs, ann }) => {
    await ann.post('/api/auth/update-user', { image: 'https://avatars.githubusercontent.com/u/7' })
    const page = await enterAs(ann, '/settings')

    await page.getByRole('button', { name: en.profile.removePicture }).click()
    await expect(page.getByText(en.profile.saved)).toBeVisible()
    await expect(page.getByRole('button', { name: en.profile.removePicture })).toHaveCount(0)
    await page.getByLabel(en.profile.name).fill('Ann Moore')
    await page.getByRole('button', { name: en.common.save }).click()
    await expect(page.getByRole('complementary').getByText('Ann Moore')).toBeVisible()

    const { body } = await ann.get('/api/auth/get-session')
    assert.deepEqual([body.user.name, body.user.image], ['Ann Moore', null])
  })
})
