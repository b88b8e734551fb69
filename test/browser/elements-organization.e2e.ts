import { fileURLToPath } from 'node:url'
import { expect, type Page } from '@playwright/test'
import { build } from 'esbuild'
import { freePort } from '../processes/free-port.ts'
import { referenceOf, SET_ACTIVE, signInAs } from '../service/accounts.ts'
import { actAs } from '../service/acting.ts'
import { register, tokensFor } from '../service/applications.ts'
import { changeSettings } from '../service/change-settings.ts'
import { join, organizationOf, wire } from '../service/organizations.ts'
import { type Person, stranger } from '../service/people.ts'
import { enter, heard, type Place, productOf } from './support/product.ts'
import { test } from './support/test.ts'

/** Its title is what the product was told last. */
const PRODUCT = ({ gatehouse }: Place) => ({
  '/': `<!doctype html><html lang="en"><title>Product</title>
    <script type="module" src="${gatehouse.url}/elements.js"></script>
    <script>addEventListener('gatehouse:organization', ({ detail }) => { document.title = detail?.slug ?? 'none' })</script>
    <gatehouse-organization></gatehouse-organization> <gatehouse-user></gatehouse-user>`,
})

const SCOPES = ['account:profile:read', 'account:organizations:read']

const switcher = (page: Page, name: string) => page.getByRole('button', { name: `Organisation: ${name}` })

async function activeOf(person: Person): Promise<string | null> {
  return (await person.get('/api/auth/get-session')).body.session.activeOrganizationId
}

/** Both are Ann's, who acts in the second; the other is a member. */
async function inTwo({ service, ann }: Place, other: Person) {
  await changeSettings(service, 'organizations', { creation: 'everyone' })
  const bells = await organizationOf(ann, { name: 'Bell ringers', slug: 'bells' })
  service.clock.advance({ seconds: 1 })
  const rowers = await organizationOf(ann, { name: 'Rowers', slug: 'rowers' })
  for (const one of [bells, rowers]) await join(service, one, other, 'owner')
  return { bells, rowers }
}

test('the switcher shows the active organisation, switches to another and tells the page; everything else is a link', async ({
  page,
}) => {
  await using place = await productOf(await freePort(), PRODUCT)
  const { ann, gatehouse, service, url } = place
  const { bells, rowers } = await inTwo(place, place.administrator)
  await enter(page, ann, gatehouse.url)
  const said = heard(page)

  await page.goto(url)
  await switcher(page, 'Rowers').click()
  const pages = `${gatehouse.url}/settings/organizations`
  for (const [name, href] of [
    ['Members and settings', `${pages}/${rowers.id}`],
    ['Organisations and invitations', pages],
    ['Create an organisation', `${pages}?open=new`],
  ] as const)
    await expect(page.getByRole('link', { name })).toHaveAttribute('href', href)
  await expect(page).toHaveTitle('Product')
  await page.getByRole('button', { name: 'Bell ringers Owner' }).click()
  await expect(switcher(page, 'Bell ringers')).toBeFocused()
  await expect(page).toHaveTitle('bells')
  expect(await activeOf(ann)).toBe(bells.id)

  await switcher(page, 'Bell ringers').click()
  await page.getByRole('button', { name: 'Personal account' }).click()
  await expect(switcher(page, 'Personal account')).toBeVisible()
  await expect(page).toHaveTitle('none')
  expect(await activeOf(ann)).toBe(null)
  await changeSettings(service, 'organizations', { creation: 'administrator' })
  await switcher(page, 'Personal account').click()
  await expect(page.getByRole('link', { name: 'Create an organisation' })).toHaveCount(0)
  await page.evaluate(`document.querySelector('gatehouse-organization').setAttribute('hide-personal', '')`)
  await expect(switcher(page, 'No organisation')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Rowers Owner' })).toBeVisible()
  expect(said).toEqual([])
})

test('the switcher follows another window, a removal, a new name and a suspension', async ({ page }) => {
  await using place = await productOf(await freePort(), PRODUCT)
  const { ann, administrator, gatehouse, service, url } = place
  const { bells, rowers } = await inTwo(place, administrator)
  await enter(page, ann, gatehouse.url)
  const listening = page.waitForResponse('**/api/live')
  await page.goto(url)
  await expect(switcher(page, 'Rowers')).toBeVisible()
  await listening

  await wire(ann).post('set-active', { organizationId: bells.id })
  await service.runJob('events')
  await expect(switcher(page, 'Bell ringers')).toBeVisible()
  await expect(page).toHaveTitle('bells')
  await wire(ann).post('update', { organizationId: bells.id, data: { name: 'Ringers' } })
  await service.runJob('events')
  await expect(switcher(page, 'Ringers')).toBeVisible()
  await administrator.post('/api/admin/suspend_organization', { id: bells.id, reason: 'Unpaid' })
  await service.runJob('events')
  await expect(switcher(page, 'Personal account')).toBeVisible()
  await switcher(page, 'Personal account').click()
  await expect(page.getByRole('button', { name: 'Ringers Suspended' })).toBeDisabled()
  await page.getByRole('button', { name: 'Rowers Owner' }).click()
  await expect(page).toHaveTitle('rowers')
  await administrator.post('/api/admin/remove_member', { organization_id: rowers.id, user_id: ann.id })
  await service.runJob('events')

  await expect(switcher(page, 'Personal account')).toBeVisible()
  await expect(page).toHaveTitle('none')
})

test('a window whose account the browser has left switches nothing, and says so', async ({ page }) => {
  await using place = await productOf(await freePort(), PRODUCT)
  const { ann, gatehouse, service, url } = place
  await changeSettings(service, 'authentication', { accounts_per_browser: 2 })
  const next = stranger({ ...service, request: gatehouse.request })
  await next.signUp()
  const { bells, rowers } = await inTwo(place, next)
  await wire(next).post('set-active', { organizationId: bells.id })
  await signInAs(next, ann)
  await enter(page, next, gatehouse.url)
  await page.goto(url)
  await expect(switcher(page, 'Rowers')).toBeVisible()

  const active = { sessionToken: await referenceOf(next, next) }
  await page.evaluate(`fetch('${gatehouse.url}${SET_ACTIVE}', { method: 'POST', credentials: 'include',
    headers: { 'content-type': 'application/json' }, body: '${JSON.stringify(active)}' })`)
  await switcher(page, 'Rowers').click()
  await page.getByRole('button', { name: 'Personal account' }).click()
  await expect(page.getByRole('alert')).toContainText('You have switched to another account')
  await page.getByRole('button', { name: 'Continue with the other account' }).click()

  await expect(switcher(page, 'Bell ringers')).toBeVisible()
  await expect(page).toHaveTitle('Product')
  expect(await activeOf(ann)).toBe(rowers.id)
})

test('an administrator who acts as the user sees the active organisation, and cannot switch', async ({ page }) => {
  await using place = await productOf(await freePort(), PRODUCT)
  const { administrator, ann, gatehouse, service, url } = place
  await inTwo(place, administrator)
  await changeSettings(service, 'authentication', { impersonation: 'read_and_write' })
  expect((await actAs(administrator, ann, { write: true })).status).toBe(200)
  await enter(page, administrator, gatehouse.url)

  await page.goto(url)
  await switcher(page, 'Rowers').click()
  await expect(page.getByText('An administrator acts as this user.')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Organisations and invitations' })).toBeVisible()

  await expect(page.getByRole('button', { name: /Personal account|Bell ringers/ })).toHaveCount(0)
})

test('the switcher shows the organisation of a token, read by either scope, and offers no other', async ({ page }) => {
  await using place = await productOf(await freePort(), async (made) => {
    const { ann, administrator, gatehouse } = made
    const { bells, rowers } = await inTwo(made, administrator)
    const fields = { name: 'Product', expires_in_days: 7, organization_id: bells.id, scopes: SCOPES }
    const { body } = await ann.post('/api/create_personal_token', fields)
    const shop = await register(administrator, { scopes: ['openid', 'organizations'] })
    const { access_token } = await tokensFor(ann, shop, { scope: 'openid organizations', organization: rowers.id })
    return {
      '/': `<!doctype html><html lang="en"><title>Product</title>
        <script type="module" src="${gatehouse.url}/elements.js"></script>
        <gatehouse-organization></gatehouse-organization> <gatehouse-organization></gatehouse-organization>
        <script>
          const [first, second] = document.querySelectorAll('gatehouse-organization')
          first.token = '${body.token}'
          second.token = async () => '${access_token}'
        </script>`,
    }
  })
  await page.goto(place.url)

  await switcher(page, 'Bell ringers').click()
  await expect(page.getByRole('link', { name: 'Members and settings' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Rowers Owner' })).toHaveCount(0)
  await page.keyboard.press('Escape')
  await switcher(page, 'Rowers').click()
  await expect(page.getByText('Owner')).toBeVisible()
  await expect(page.getByRole('button', { name: /Personal account|Bell ringers Owner/ })).toHaveCount(0)
})

test('React has the organisation and the data of the user, also when they change elsewhere', async ({ page }) => {
  const code = await bundled()
  await using place = await productOf(await freePort(), ({ gatehouse }) => ({
    '/': `<!doctype html><html lang="en"><title>Product</title><div id="root"></div>
      <script>GATEHOUSE = '${gatehouse.url}'</script><script src="/app.js"></script>`,
    '/app.js': code,
  }))
  const { administrator, ann, gatehouse, service, url } = place
  const { bells } = await inTwo(place, administrator)
  await ann.post('/api/update_data', { own: { size: 'small' } })
  await enter(page, ann, gatehouse.url)
  const said = heard(page)
  const listening = page.waitForResponse('**/api/live')
  await page.goto(url)
  await listening
  const line = page.getByRole('paragraph')

  await expect(line).toHaveText('signed-in, rowers of bells rowers, free, small')
  await page.getByRole('button', { name: 'To bells' }).click()
  await expect(line).toHaveText('signed-in, bells of bells rowers, free, small')
  await expect(switcher(page, 'Bell ringers')).toBeVisible()
  expect(await activeOf(ann)).toBe(bells.id)
  await administrator.post('/api/admin/update_user_data', { id: ann.id, public: { plan: 'pro' } })
  await service.runJob('events')
  await expect(line).toHaveText('signed-in, bells of bells rowers, pro, small')
  await switcher(page, 'Bell ringers').click()
  await page.getByRole('button', { name: 'Personal account' }).click()
  await expect(line).toHaveText('signed-in, none of bells rowers, pro, small')
  await page.getByRole('button', { name: 'Out' }).click()

  await expect(line).toHaveText('signed-out, none of , free, none')
  expect(said).toEqual([])
})

test('the switcher can be touched, and has room on a phone', async ({ browser }) => {
  await using place = await productOf(await freePort(), PRODUCT)
  const { administrator, ann, gatehouse, url } = place
  await inTwo(place, administrator)
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  const page = await context.newPage()
  await enter(page, ann, gatehouse.url)
  await page.goto(url)
  await switcher(page, 'Rowers').tap()
  await expect(page.getByRole('button', { name: 'Bell ringers Owner' })).toBeVisible()

  const sizes = await page.evaluate<readonly (readonly number[])[]>(
    `[...document.querySelector('gatehouse-organization').shadowRoot.querySelectorAll('button, a')]
      .map((one) => [one.offsetWidth, one.offsetHeight])`,
  )
  expect(sizes).toHaveLength(6)
  for (const [width = 0, height = 0] of sizes) expect([width >= 44, height >= 44]).toEqual([true, true])
  await context.close()
})

function bundled(): Promise<string> {
  const contents = `
    import { GatehouseProvider, OrganizationSwitcher, useOrganization, useUser } from 'gatehouse/react'
    import { StrictMode } from 'react'
    import { createRoot } from 'react-dom/client'
    function Product() {
      const { data, signOut } = useUser()
      const { status, organization, organizations, setActive } = useOrganization()
      const [bells] = organizations
      return (
        <>
          <p>
            {status}, {organization?.slug ?? 'none'} of {organizations.map(({ slug }) => slug).join(' ')},{' '}
            {data?.public.plan ?? 'free'}, {data?.own.size ?? 'none'}
          </p>
          <button onClick={() => setActive(bells.id)}>To bells</button>
          <button onClick={signOut}>Out</button>
        </>
      )
    }
    createRoot(document.getElementById('root')).render(
      <StrictMode>
        <GatehouseProvider server={GATEHOUSE}><Product /><OrganizationSwitcher /></GatehouseProvider>
      </StrictMode>,
    )`
  return build({
    stdin: { contents, resolveDir: fileURLToPath(new URL('../../examples/react', import.meta.url)), loader: 'jsx' },
    ...{ bundle: true, format: 'iife', write: false, jsx: 'automatic' },
    define: { 'process.env.NODE_ENV': '"development"' },
  }).then(({ outputFiles }) => outputFiles[0]?.text ?? '')
}
