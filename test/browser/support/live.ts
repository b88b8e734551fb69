import type { Page } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import type { Person } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'
import { fillSignIn } from './acts.ts'

/** The stream begins with the unread count: a page that has it misses no later event. */
export const listening = (page: Page) => page.waitForResponse('**/api/live*')

/** Signs in and comes to the page, which then has the stream. */
export async function listenAs(page: Page, person: Person, path: string): Promise<void> {
  const stream = listening(page)
  await page.goto(path)
  await fillSignIn(page, person.email, person.password)
  await stream
}

export async function publish(service: Service, administrator: Person, title: string): Promise<void> {
  await administrator.post('/api/admin/create_notification', { title, content: 'Come and see.' })
  await service.runJob('events')
}

export const unread = (page: Page, count: number) =>
  page.getByRole('navigation', { name: en.nav.label }).getByText(en.nav.unread(count))

/** Paths of the service that the page requests from here on. */
export function watchRequests(page: Page): readonly string[] {
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/')) asked.push(pathname)
  })
  return asked
}

/** Requests to the path wait from here on until they are released. */
export async function hold(page: Page, path: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(`**${path}`, async (route) => {
    await promise
    await route.fallback()
  })
  return resolve
}
