import type { Page } from 'playwright-core'
import type { Person } from '../../service/people.ts'
import { fillSignIn } from './acts.ts'
import type { BrowserSession } from './test-browser.ts'

export async function enterAs(browser: BrowserSession, person: Person, path: string): Promise<Page> {
  const page = await browser.openPage()
  await page.goto(path)
  await fillSignIn(page, person.email, person.password)
  return page
}
