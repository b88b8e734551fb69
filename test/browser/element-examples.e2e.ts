import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, type Page } from '@playwright/test'
import { createServer as createViteServer } from 'vite'
import { freePort } from '../processes/free-port.ts'
import { listening } from '../processes/listening.ts'
import { type Person, people } from '../service/people.ts'
import { startService } from '../service/service.ts'
import { test } from './support/test.ts'

const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url))

test('examples/elements: a page of plain HTML has the menu, the bell and the button', async ({ page }) => {
  const port = await freePort()
  await using place = await gatehouseFor(port)
  const html = readFileSync(`${EXAMPLES}/elements/index.html`, 'utf8')
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(html.replace('http://localhost:5173', place.gatehouse.url))
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')

  await enter(page, place.ann, place.gatehouse.url)
  await page.goto(`http://127.0.0.1:${port}/`)
  await page.getByRole('button', { name: 'Notifications, 1 unread' }).click()
  await expect(page.getByRole('heading', { name: 'News' })).toBeVisible()
  await page.getByRole('button', { name: /Your account/ }).click()
  await expect(page.getByRole('link', { name: 'Billing' })).toBeVisible()

  server.closeAllConnections()
  server.close()
  await once(server, 'close')
})

test('examples/react: elements and hooks share the user and the count, without a warning of strict mode', async ({
  page,
}) => {
  const port = await freePort()
  await using place = await gatehouseFor(port)
  const cacheDir = mkdtempSync(join(tmpdir(), 'gatehouse-vite-'))
  const vite = await createViteServer({
    root: `${EXAMPLES}/react`,
    ...{ cacheDir, logLevel: 'error' },
    define: { 'import.meta.env.VITE_GATEHOUSE': JSON.stringify(place.gatehouse.url) },
    server: { port, host: '127.0.0.1', strictPort: true },
  })
  await vite.listen()
  const said: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) said.push(message.text())
  })
  page.on('pageerror', (error) => said.push(String(error)))

  await page.goto(`http://127.0.0.1:${port}/`)
  await expect(page.getByRole('button', { name: 'Sign in to begin' })).toBeVisible()
  await enter(page, place.ann, place.gatehouse.url)
  await page.reload()
  await expect(page.getByRole('heading', { name: /^Hello, / })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Notifications, 1 unread' })).toBeVisible()
  await expect(page.getByRole('listitem').filter({ hasText: 'News' })).toBeVisible()
  await page.getByRole('button', { name: 'I have read them' }).click()
  await expect(page.getByText('0 unread')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Notifications', exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'I like it' }).click()
  await expect(page.getByText('Thank you!')).toBeVisible()
  await page.getByRole('button', { name: /Your account/ }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByRole('button', { name: 'Sign in to begin' })).toBeVisible()

  const { body } = await place.administrator.post('/api/admin/list_feedbacks')
  expect(body.items).toMatchObject([{ type: 'praise', context: { page: `http://127.0.0.1:${port}/` } }])
  expect(said).toEqual([])
  await vite.close()
  rmSync(cacheDir, { recursive: true })
})

async function gatehouseFor(port: number) {
  const service = await startService({ env: { TRUSTED_ORIGINS: `http://127.0.0.1:${port}` } })
  const gatehouse = await listening(service)
  const { ann, administrator } = await people({ ...service, request: gatehouse.request })
  await administrator.post('/api/admin/create_notification', { title: 'News', content: 'The gate is open.' })
  return {
    ...{ gatehouse, ann, administrator },
    async [Symbol.asyncDispose]() {
      await gatehouse[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
    },
  }
}

async function enter(page: Page, ann: Person, url: string): Promise<void> {
  const { hostname } = new URL(url)
  const cookies = [...ann.cookies].map(([name, value]) => ({ name, value, domain: hostname, path: '/' }))
  await page.context().addCookies(cookies)
}
