import { expect, type Page } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { invited, join, ORGANIZATIONS, organizationOf, wire } from '../../service/organizations.ts'
import { proven } from '../../service/staff.ts'
import { assertAccessible } from '../support/accessible.ts'
import { fillSignIn } from '../support/acts.ts'
import { listening } from '../support/live.ts'
import { test } from '../support/test.ts'

const { common, invitation, organizations } = en

test.beforeEach(async ({ service, ann }) => {
  await proven(service, ann)
  await changeSettings(service, 'email', { provider: 'outbox' })
  await changeSettings(service, 'organizations', ORGANIZATIONS)
})

const cardOf = (page: Page, title: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) })

const addressOf = (email: string, link: string) => `/invitation#${new URLSearchParams({ email, link })}`

/** Presses a button that asks first, and agrees. */
async function agree(page: Page, button: string, action = button) {
  await page.getByRole('main').getByRole('button', { name: button, exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: action, exact: true }).click()
  await expect(dialog).toHaveCount(0)
}

test.describe('the page of an invitation to an organisation', () => {
  test('makes an account, which is signed in and a member', async ({ openPage, service, ann }) => {
    await organizationOf(ann)
    const { link } = await invited(service, ann, 'dora@example.com', 'editor')
    const page = await openPage()
    await page.goto(addressOf('dora@example.com', link))
    await expect(page.getByRole('heading', { name: invitation.join('Rowers') })).toBeVisible()
    await expect(page.getByText(ann.email)).toBeVisible()
    await assertAccessible(page)
    await page.getByLabel(invitation.name).fill('Dora')
    await page.getByLabel(invitation.password, { exact: true }).fill('a bench by the gate')
    await page.getByRole('button', { name: invitation.create }).click()

    await expect(page.getByText(invitation.joined('Rowers'))).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Rowers' })).toBeVisible()
    await expect(page.getByText('Dora', { exact: true }).first()).toBeVisible()
    await expect(page.getByRole('button', { name: organizations.invite, exact: true })).toHaveCount(0)
  })

  test('lets somebody with an account sign in first, also as another than now, and accept', async ({
    enterAs,
    service,
    ann,
    ben,
  }) => {
    await organizationOf(ann)
    const { link } = await invited(service, ann, ben.email)
    const page = await enterAs(ann, '/sign-in')
    await expect(page.getByRole('heading', { name: en.home.title('ann') })).toBeVisible()
    await page.goto(addressOf(ben.email, link))
    await expect(page.getByText(invitation.otherAccount(ann.email, ben.email))).toBeVisible()
    await page.getByRole('button', { name: invitation.change }).click()
    await page.getByRole('link', { name: invitation.signIn }).click()
    await expect(page).not.toHaveURL(new RegExp(link))
    await fillSignIn(page, ben.email, ben.password)
    await assertAccessible(page)
    await page.getByRole('button', { name: invitation.accept }).click()

    await expect(page.getByText(invitation.joined('Rowers'))).toBeVisible()
    await expect(page.getByText(organizations.active, { exact: true })).toBeVisible()
    await page.goto(addressOf(ben.email, link))
    await expect(page.getByText(en.failures.INVITATION_NOT_FOUND)).toBeVisible()
  })

  test('takes no for an answer', async ({ enterAs, service, ann, ben }) => {
    const { id: organizationId } = await organizationOf(ann)
    const { link } = await invited(service, ann, ben.email)
    const page = await enterAs(ben, '/sign-in')
    await expect(page.getByRole('heading', { name: en.home.title('ben') })).toBeVisible()
    await page.goto(addressOf(ben.email, link))
    await page.getByRole('button', { name: invitation.reject }).click()

    await expect(page.getByText(invitation.rejected)).toBeVisible()
    expect((await wire(ann).get('list-invitations', { organizationId })).body[0].status).toBe('rejected')
  })
})

test.describe('one’s own organisations', () => {
  test('are no part of the settings until the user can create one, is invited or is in one', async ({
    enterAs,
    service,
    administrator,
    ann,
    ben,
  }) => {
    const { id } = await organizationOf(ann)
    await proven(service, ben)
    await changeSettings(service, 'organizations', { ...ORGANIZATIONS, creation: 'administrator' })
    const page = await enterAs(ben, '/settings/data')
    const part = page.getByRole('link', { name: en.settings.organizations })
    await expect(page.getByRole('link', { name: en.settings.data, exact: true })).toBeVisible()
    await expect(part).toHaveCount(0)

    await invited(service, ann, ben.email)
    await page.reload()
    await part.click()
    await page.getByRole('button', { name: `${invitation.reject}: Rowers` }).click()
    await page.getByRole('dialog').getByRole('button', { name: invitation.reject }).click()
    await expect(page.getByText(organizations.none)).toBeVisible()
    await page.goto('/settings/data')
    await expect(part).toHaveCount(0)
    await administrator.post('/api/admin/add_member', { organization_id: id, user_id: ben.id, roles: ['member'] })
    await page.reload()
    await expect(part).toBeVisible()
  })

  test('are made, run and left', async ({ enterAs, service, ann, ben }) => {
    const page = await enterAs(ann, '/settings/organizations')
    await expect(page.getByText(organizations.none)).toBeVisible()
    await assertAccessible(page)
    await page.getByRole('button', { name: organizations.create }).click()
    await page.getByRole('dialog').getByLabel(organizations.name, { exact: true }).fill('Rowers')
    await page.getByRole('dialog').getByRole('button', { name: organizations.create }).click()
    await expect(page.getByText(organizations.active, { exact: true })).toBeVisible()
    await page.getByRole('link', { name: 'Rowers' }).click()

    await page.getByRole('button', { name: organizations.invite, exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(common.email).fill(ben.email)
    await assertAccessible(page)
    await dialog.getByRole('button', { name: organizations.sendInvitation }).click()
    const pending = cardOf(page, organizations.pending)
    await expect(pending.getByText(ben.email)).toBeVisible()
    await pending.getByRole('button', { name: organizations.resend }).click()
    await expect.poll(async () => (await service.mail.sentTo(ben.email)).length).toBe(2)
    await agree(page, `${organizations.cancelInvitation}: ${ben.email}`, organizations.cancelInvitation)
    await expect(pending).toHaveCount(0)

    const id = page.url().split('/').at(-1) ?? ''
    await join(service, { id }, ben)
    await page.getByRole('button', { name: organizations.newTeam }).click()
    await dialog.getByLabel(organizations.name).fill('The first boat')
    await dialog.getByRole('button', { name: organizations.newTeam }).click()
    await page.getByRole('button', { name: organizations.teamsOf(ben.email) }).click()
    await dialog.getByLabel('The first boat').check()
    await expect.poll(async () => (await wire(ben).get('list-user-teams')).body.length).toBe(1)
    await assertAccessible(page)
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: organizations.newRole }).click()
    await dialog.getByLabel(organizations.roleName).fill('steerer')
    await dialog.getByLabel('project:delete').check()
    await dialog.getByRole('button', { name: organizations.newRole }).click()
    await page.getByRole('button', { name: organizations.changeRolesTitle(ben.email) }).click()
    await dialog.getByLabel('steerer').check()
    await dialog.getByRole('button', { name: common.save }).click()
    await expect(dialog).toHaveCount(0)
    expect((await wire(ann).get('list-members', { organizationId: id })).body.members[1].role).toBe('member,steerer')
    await assertAccessible(page)

    await page.getByRole('main').getByRole('button', { name: organizations.leave, exact: true }).click()
    await dialog.getByRole('button', { name: organizations.leave, exact: true }).click()
    await expect(dialog.getByText(en.failures.YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER)).toBeVisible()
    await page.keyboard.press('Escape')
    await agree(page, `${organizations.removeMember}: ${ben.email}`, organizations.removeMember)
    await expect(page.getByText(ben.email)).toHaveCount(0)
    await agree(page, organizations.remove)
    await expect(page.getByText(organizations.none)).toBeVisible()
  })

  test('show a member only what the role allows, and an invitation to be accepted', async ({
    enterAs,
    service,
    ann,
    ben,
  }) => {
    const { id } = await organizationOf(ann)
    await proven(service, ben)
    await join(service, { id }, ben)
    await organizationOf(ann, { name: 'Bell ringers', slug: 'bells' })
    await invited(service, ann, ben.email)
    const page = await enterAs(ben, '/settings/organizations')
    await page.getByRole('button', { name: `${invitation.accept}: Bell ringers` }).click()
    await expect(page.getByRole('link', { name: 'Bell ringers' })).toBeVisible()
    await page.getByRole('button', { name: `${organizations.makeActive}: Rowers` }).click()
    await expect(page.getByText(organizations.switched('Rowers'))).toBeVisible()
    await page.getByRole('link', { name: 'Rowers' }).click()
    await expect(page.getByText(ann.email)).toBeVisible()

    for (const button of [organizations.invite, organizations.edit, organizations.remove, organizations.newRole])
      await expect(page.getByRole('button', { name: button, exact: true })).toHaveCount(0)
    await agree(page, organizations.leave)
    await expect(page.getByText(organizations.left)).toBeVisible()
    await expect(page.getByRole('link', { name: 'Rowers' })).toHaveCount(0)
  })

  test('follow a switch that is made elsewhere', async ({ enterAs, service, ann }) => {
    const { id } = await organizationOf(ann, { name: 'Bell ringers' })
    service.clock.advance({ seconds: 1 })
    await organizationOf(ann)
    const page = await enterAs(ann, '/sign-in')
    const connected = listening(page)
    await page.goto('/settings/organizations')
    await connected
    const button = page.getByRole('button', { name: `${organizations.makeActive}: Bell ringers` })
    await expect(button).toBeVisible()

    const status = await page.evaluate<number>(
      `fetch('/api/auth/organization/set-active', { method: 'POST', headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ organizationId: '${id}' }) }).then(({ status }) => status)`,
    )
    expect(status).toBe(200)
    await service.runJob('events')
    await expect(button).toHaveCount(0)
  })

  test('show their choices for the product to members who can change them, if the settings say so', async ({
    enterAs,
    service,
    ann,
    ben,
  }) => {
    await changeSettings(service, 'hooks', { own_data_shown: true })
    const { id } = await organizationOf(ann)
    await join(service, { id }, ben)
    await ann.post('/api/update_organization_data', { organization_id: id, own: { plan: 'team', kept: 1 } })
    const page = await enterAs(ann, `/settings/organizations/${id}`)
    const editor = page.getByLabel(en.data.ownLabel)
    await expect(editor).toHaveValue(/"plan": "team"/)
    await editor.fill('{ "plan": "large" }')
    await assertAccessible(page)
    await page.getByRole('button', { name: common.save, exact: true }).click()
    await expect(page.getByText(en.data.ownSaved)).toBeVisible()
    const { body } = await ann.post('/api/get_organization_data', { organization_id: id })
    expect(body.own).toEqual({ plan: 'large' })
    const other = await enterAs(ben, `/settings/organizations/${id}`)
    await expect(other.getByRole('heading', { name: organizations.members })).toBeVisible()

    await expect(other.getByLabel(en.data.ownLabel)).toHaveCount(0)
  })
})
