import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { en } from '../../web/src/texts/en.ts'
import { people } from '../service/people.ts'
import { startService } from '../service/service.ts'
import { fillSignIn, firstRequest } from './support/acts.ts'
import { openBrowserSession } from './support/browser-session.ts'

describe('two windows of one browser', () => {
  it('never show two users: one follows when someone else signs in at the other', async () => {
    await using service = await startService()
    const { administrator, ann, ben } = await people(service)
    for (const { id, email } of [ann, ben])
      await administrator.post('/api/admin/create_notification', {
        title: `For ${email}`,
        content: 'Only for you.',
        target_user_id: id,
      })
    await using browser = await openBrowserSession(service)
    const first = await browser.openPage()
    // The news of the stream could tell the window too; here it has to learn it from the other one.
    await first.context().route('**/api/live', (route) => route.abort())
    const second = await first.context().newPage()
    await second.goto('/notifications')
    await fillSignIn(second, ann.email, ann.password)
    await second.getByRole('heading', { name: `For ${ann.email}` }).waitFor()

    await first.context().clearCookies()
    await first.goto('/sign-in')
    await fillSignIn(first, ben.email, ben.password)

    await second.getByRole('heading', { name: `For ${ben.email}` }).waitFor()
    assert.equal(await second.getByText(ann.email).count(), 0)
    assert.deepEqual(browser.complaints, [])
  })

  it('a window that is still opening follows a sign-in at the other', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const first = await browser.openPage()
    await first.context().route('**/api/live', (route) => route.abort())
    const second = await first.context().newPage()
    const entered = Promise.withResolvers<void>()
    await firstRequest(second, '/api/auth/get-session', async (route) => {
      await entered.promise
      await route.fulfill({ json: null })
    })
    await second.goto('/sign-in')
    await second.getByRole('heading', { name: en.signIn.title }).waitFor()

    await first.goto('/sign-in')
    await fillSignIn(first, ann.email, ann.password)
    await first.getByRole('heading', { name: en.home.title('ann') }).waitFor()
    entered.resolve()

    await second.getByRole('heading', { name: en.home.title('ann') }).waitFor()
  })

  it('both leave when the person signs out at one', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const first = await browser.openPage()
    await first.context().route('**/api/live', (route) => route.abort())
    await first.goto('/settings')
    await fillSignIn(first, ann.email, ann.password)
    await first.getByLabel(en.profile.name).waitFor()
    const second = await first.context().newPage()
    await second.goto('/settings/sessions')
    await second.getByText(en.sessions.current).waitFor()

    await first.getByRole('button', { name: en.nav.signOut }).click()

    await second.getByRole('heading', { name: en.signIn.title }).waitFor()
    assert.equal(new URL(second.url()).searchParams.get('next'), '/settings/sessions')
  })
})
