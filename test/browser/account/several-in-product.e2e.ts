import { expect, type Page } from '@playwright/test'
import { freePort } from '../../processes/free-port.ts'
import { LIST, SET_ACTIVE, signInAs } from '../../service/accounts.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { stranger } from '../../service/people.ts'
import { listening } from '../support/live.ts'
import { enter, productOf } from '../support/product.ts'
import { test } from '../support/test.ts'

/** A product's page with both elements, in a browser in which Ann has signed in after another user. */
async function product(page: Page) {
  const place = await productOf(await freePort(), ({ gatehouse }) => ({
    '/': `<!doctype html><title>Product</title>
      <script type="module" src="${gatehouse.url}/elements.js"></script>
      <gatehouse-user></gatehouse-user> <gatehouse-feedback></gatehouse-feedback>`,
  }))
  const { service, gatehouse, ann } = place
  await changeSettings(service, 'authentication', { accounts_per_browser: 2 })
  const next = stranger({ ...service, request: gatehouse.request })
  await next.signUp()
  await signInAs(next, ann)
  await enter(page, next, gatehouse.url)
  return Object.assign(place, { next })
}

/** Another window of the browser switches, without a word to this one. */
async function switchUnheard(
  page: Page,
  { gatehouse }: { readonly gatehouse: { readonly url: string } },
  email: string,
) {
  const status = await page.evaluate(`(async () => {
      const at = '${gatehouse.url}'
      const credentials = 'include'
      const accounts = await (await fetch(at + '${LIST}', { credentials })).json()
      const { session } = accounts.find(({ user }) => user.email === '${email}')
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ sessionToken: session.token })
      return (await fetch(at + '${SET_ACTIVE}', { method: 'POST', credentials, headers, body })).status
    })()`)
  expect(status).toBe(200)
}

test('the elements of a product switch accounts, and send nothing for an account that they do not show', async ({
  page,
}) => {
  await using place = await product(page)
  const { ann, next, url } = place
  await page.goto(url)
  await page.getByRole('button', { name: 'Feedback' }).click()
  await page.getByLabel('Your message').fill('Between us')
  await switchUnheard(page, place, next.email)
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByRole('alert')).toContainText('You have switched to another account')
  await expect(page.getByLabel('Your message')).toHaveValue('Between us')
  await page.getByRole('button', { name: `Switch back to ${ann.email}` }).click()
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByText('Thank you. We have received it.')).toBeVisible()
  expect((await ann.post('/api/list_own_feedbacks')).body.total).toBe(1)
  await page.getByRole('button', { name: 'Close' }).click()

  await page.getByRole('button', { name: `Your account: ${ann.email}` }).click()
  await expect(page.getByRole('link', { name: 'Add an account' })).toBeVisible()
  await page.getByRole('button', { name: next.email }).click()
  await page.getByRole('button', { name: `Your account: ${next.email}` }).click()
  await page.getByRole('button', { name: 'Sign out of this account' }).click()
  await expect(page.getByRole('button', { name: `Your account: ${ann.email}` })).toBeVisible()
})

test('the elements of a product show the other account once their stream is lost, and nothing of it before', async ({
  page,
}) => {
  await using place = await product(page)
  const { ann, next, administrator, service, url } = place
  const [stream] = await Promise.all([listening(page), page.goto(url)])
  await expect(page.getByRole('button', { name: `Your account: ${ann.email}` })).toBeVisible()
  await switchUnheard(page, place, next.email)
  const again = listening(page)
  await administrator.saveSettings('authentication', { registration_enabled: false })
  await service.runJob('events')

  expect([stream.status(), (await again).status()]).toEqual([200, 409])
  await expect(page.getByRole('button', { name: `Your account: ${next.email}` })).toBeVisible()
})
