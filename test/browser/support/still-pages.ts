import assert from 'node:assert/strict'
import type { BrowserContextOptions } from 'playwright-core'
import { type Person, people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { drawn, fillSignIn } from './acts.ts'
import { openBrowserSession } from './browser-session.ts'
import { CONSOLE, FRONT, INSIDE } from './paths.ts'
import { movedWhileLoading, NOTE_SHIFTS } from './shifts.ts'

interface Loading extends BrowserContextOptions {
  /** Which of the responses that are on their way comes first. */
  readonly next: 'oldest' | 'newest'
}

/** Nothing that can be clicked moves while a page is loading, on any page. */
export async function assertPagesStayStill({ next, ...options }: Loading): Promise<void> {
  await using service = await startService()
  const { administrator, ann } = await people(service)
  await fill(administrator, ann)
  await using browser = await openBrowserSession(service)
  const page = await browser.openPage(options)
  await page.addInitScript(NOTE_SHIFTS)
  const faults: string[] = []
  const load = async (path: string) => {
    for (const moved of await movedWhileLoading(page, path, next)) faults.push(`${path} ${moved}`)
  }

  for (const path of FRONT) await load(path)
  await page.goto('/sign-in')
  await fillSignIn(page, administrator.email, administrator.password)
  await page.getByRole('main').waitFor()
  await drawn(page)
  for (const path of [...INSIDE, ...CONSOLE, `/console/users/${ann.id}`]) await load(path)

  assert.deepEqual(faults, [])
}

async function fill(administrator: Person, ann: Person): Promise<void> {
  for (const number of [1, 2, 3, 4]) {
    await ann.post('/api/submit_feedback', { type: 'idea', content: `Wish ${number}` })
    await administrator.post('/api/admin/create_notification', {
      title: `News ${number}`,
      content: 'All is well.',
    })
  }
}
