import { fileURLToPath } from 'node:url'
import { expect, type Page } from '@playwright/test'
import { build } from 'esbuild'
import { freePort } from '../processes/free-port.ts'
import { type Person, stranger } from '../service/people.ts'
import { enter, productOf } from './support/product.ts'
import { test as base } from './support/test.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const APP = `
  import { createElement as h } from 'react'
  import { createRoot } from 'react-dom/client'
  import { GatehouseProvider, useNotifications, useUser } from './packages/react/react.ts'
  const Product = () => {
    const { status, user } = useUser()
    const { items, unread, error } = useNotifications()
    return h('output', {}, [status, user?.email, unread, error?.code, ...items.map(({ title }) => title)].join(' '))
  }
  const server = document.currentScript.dataset.server
  createRoot(document.getElementById('app')).render(h(GatehouseProvider, { server }, h(Product)))`

/** A product with elements and hooks, in which Ann and Ben have as many notifications. */
const test = base.extend<{ place: Awaited<ReturnType<typeof productOf>>; next: Person }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads which fixtures a fixture needs from its parameter.
  place: async ({}, use) => {
    const { outputFiles } = await build({
      stdin: { contents: APP, resolveDir: ROOT },
      ...{ bundle: true, format: 'iife', write: false },
    })
    await using place = await productOf(await freePort(), ({ gatehouse }) => ({
      '/': `<!doctype html><title>Product</title><div id="app"></div>
        <script src="/app.js" data-server="${gatehouse.url}" defer></script>
        <script type="module" src="${gatehouse.url}/elements.js"></script>
        <gatehouse-user></gatehouse-user> <gatehouse-notifications></gatehouse-notifications>
        <gatehouse-feedback></gatehouse-feedback>`,
      '/app.js': outputFiles[0]?.text ?? '',
    }))
    await use(place)
  },
  next: async ({ place }, use) => {
    const { service, gatehouse, administrator, ann } = place
    const next = stranger({ ...service, request: gatehouse.request })
    await next.signUp()
    for (const { id, email } of [ann, next]) {
      const sent = { title: `For ${email}`, content: 'Alone', target_user_id: id }
      await administrator.post('/api/admin/create_notification', sent)
    }
    await use(next)
  },
})

const shownTo = ({ email }: Person) => `signed-in ${email} 2  For ${email} News`

async function enterAndWrite(page: Page, person: Person, service: string, url: string): Promise<void> {
  await enter(page, person, service)
  await page.goto(url)
  await expect(page.getByRole('status')).toHaveText(shownTo(person))
  await page.getByRole('button', { name: 'Feedback' }).click()
  await page.getByLabel('Your message').fill('Between us')
  await expect(page.getByLabel('Your message')).toHaveValue('Between us')
}

function become(page: Page, state: 'hidden' | 'visible') {
  return page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${state === 'hidden'}, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))`)
}

async function expectAllOf(page: Page, person: Person): Promise<void> {
  await expect(page.getByRole('status')).toHaveText(shownTo(person))
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.getByRole('button', { name: 'Notifications, 2 unread' }).click()
  await expect(page.getByRole('heading', { level: 3 })).toHaveText([`For ${person.email}`, 'News'])
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Feedback' }).click()
  await expect(page.getByLabel('Your message')).toHaveValue('')
}

test('a user who signs in at the same browser in another window sees nothing of the previous one', async ({
  place: { service, gatehouse, ann, url },
  next,
  page,
}) => {
  await enterAndWrite(page, ann, gatehouse.url, url)

  await enter(page, next, gatehouse.url)
  await ann.post('/api/auth/sign-out')
  await service.runJob('events')

  await expectAllOf(page, next)
})

test('the same while the page was hidden', async ({ place: { gatehouse, ann, url }, next, page }) => {
  await enterAndWrite(page, ann, gatehouse.url, url)

  await become(page, 'hidden')
  await enter(page, next, gatehouse.url)
  await become(page, 'visible')

  await expectAllOf(page, next)
})

test('the same while the server could not be reached', async ({
  place: { service, gatehouse, ann, url },
  next,
  page,
}) => {
  await enterAndWrite(page, ann, gatehouse.url, url)

  await page.route('**/api/**', (route) => route.abort())
  await ann.post('/api/auth/sign-out')
  await service.runJob('events')
  await expect(page.getByRole('status')).toHaveText(/^failed/)
  await enter(page, next, gatehouse.url)
  await page.unrouteAll()
  await become(page, 'visible')

  await expectAllOf(page, next)
})

test('a draft that is begun before the server has said who writes it is that user’s alone', async ({
  place: { gatehouse, ann, url },
  next,
  page,
}) => {
  const message = page.getByLabel('Your message')
  const openEarly = async (act: () => Promise<void>) => {
    const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>()
    await page.route('**/api/auth/get-session', async (route) => {
      await mayAnswer
      await route.continue()
    })
    await page.goto(url)
    await page.getByRole('button', { name: 'Feedback' }).click()
    await act()
    answer()
  }
  await enter(page, ann, gatehouse.url)
  await openEarly(() => message.fill('Between us'))
  await expect(page.getByRole('status')).toHaveText(shownTo(ann))
  await expect(message).toHaveValue('Between us')

  await enter(page, next, gatehouse.url)
  await openEarly(() => expect(message).toHaveValue(''))
  await expect(page.getByRole('status')).toHaveText(shownTo(next))
  await expect(message).toHaveValue('')
  await enter(page, ann, gatehouse.url)
  await openEarly(() => expect(message).toHaveValue(''))

  await expect(message).toHaveValue('Between us')
})

test('a late answer to the previous user signs nobody out', async ({
  place: { service, gatehouse, ann, url },
  next,
  page,
}) => {
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>()
  await page.route('**/api/submit_feedback', async (route) => {
    await mayAnswer
    const headers = {
      'access-control-allow-origin': new URL(url).origin,
      'access-control-allow-credentials': 'true',
    }
    await route.fulfill({ status: 401, json: { code: 'UNAUTHORIZED' }, headers })
  })
  await enterAndWrite(page, ann, gatehouse.url, url)
  await page.getByRole('button', { name: 'Send' }).click()
  await enter(page, next, gatehouse.url)
  await ann.post('/api/auth/sign-out')
  await service.runJob('events')
  await expect(page.getByRole('status')).toHaveText(shownTo(next))

  const late = page.waitForEvent('requestfinished', (request) => request.url().endsWith('/submit_feedback'))
  answer()
  await late

  await expectAllOf(page, next)
})
