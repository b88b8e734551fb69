import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Page } from '@playwright/test'
import { type Listening, listening } from '../../processes/listening.ts'
import { type Person, people } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'

export interface Place extends AsyncDisposable {
  readonly service: Service
  readonly gatehouse: Listening
  readonly ann: Person
  readonly administrator: Person
}

/** A service with one notification for everybody, and with a product on this port that can call it. */
export async function gatehouseFor(port: number): Promise<Place> {
  const service = await startService({ env: { TRUSTED_ORIGINS: `http://127.0.0.1:${port}` } })
  const gatehouse = await listening(service)
  const { ann, administrator } = await people({ ...service, request: gatehouse.request })
  await administrator.post('/api/admin/create_notification', { title: 'News', content: 'The gate is open.' })
  return {
    ...{ service, gatehouse, ann, administrator },
    async [Symbol.asyncDispose]() {
      await gatehouse[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
    },
  }
}

type Files = Readonly<Record<string, string>>

/** The same, and the product itself: files by their path. */
export async function productOf(port: number, filesOf: (place: Place) => Files | Promise<Files>) {
  const place = await gatehouseFor(port)
  const files = await filesOf(place)
  const server = createServer(({ url = '/' }, response) => {
    response.setHeader('content-type', `${url.endsWith('.js') ? 'text/javascript' : 'text/html'}; charset=utf-8`)
    response.end(files[url] ?? '')
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    ...place,
    url: `http://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      await place[Symbol.asyncDispose]()
    },
  }
}

/** The page's complaints. */
export function heard(page: Page): readonly string[] {
  const said: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) said.push(message.text())
  })
  page.on('pageerror', (error) => said.push(String(error)))
  return said
}

export async function enter(page: Page, ann: Person, url: string): Promise<void> {
  const { hostname } = new URL(url)
  const cookies = [...ann.cookies].map(([name, value]) => ({ name, value, domain: hostname, path: '/' }))
  await page.context().addCookies(cookies)
}
