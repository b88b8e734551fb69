import assert from 'node:assert/strict'
import { type Listening, listening } from '../../processes/listening.ts'
import { it as withService } from '../../service/it.ts'
import type { Person } from '../../service/people.ts'
import { EnginePage, type Look } from './engine.ts'
import type { ENGINES } from './engines.ts'
import { watched } from './watched.ts'

/** A test with a service at an address and a page in the engine; no page may have complained when it ends. */
export function itIn({ program, open }: (typeof ENGINES)[number]) {
  return withService.extend<{ look: Look; server: Listening; page: EnginePage }>({
    look: {},
    server: async ({ service }, use) => {
      const complaints: string[] = []
      await using server = await listening(service, watched(complaints))
      await use(server)
      assert.deepEqual(complaints, [])
    },
    page: async ({ look }, use) => {
      await using page = new EnginePage(await open(program ?? '', look))
      await use(page)
    },
  })
}

/** Has the person's cookies, as after a sign-in. */
export async function enterAs(page: EnginePage, server: Listening, person: Person): Promise<void> {
  await page.goto(`${server.url}/favicon.svg`)
  for (const [name, value] of person.cookies) await page.evaluate(`void (document.cookie = '${name}=${value}; path=/')`)
}
