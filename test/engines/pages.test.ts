import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { crowdOf } from '../browser/pictures/crowd.ts'
import { CONSOLE, FRONT, INSIDE } from '../browser/support/paths.ts'
import { writeUgly } from '../browser/support/ugly.ts'
import { startDevice } from '../service/grants.ts'
import { stranger } from '../service/people.ts'
import type { EnginePage, Look } from './support/engine.ts'
import { ENGINES } from './support/engines.ts'
import { FAULTS } from './support/faults.ts'
import { enterAs, itIn } from './support/it.ts'

interface Walk {
  readonly look: Look
  readonly screens: Readonly<Record<string, { readonly width: number; readonly height: number }>>
}
const WALKS: Readonly<Record<string, Walk>> = {
  little: {
    look: { hasForcedColors: true },
    screens: { wide: { width: 1280, height: 832 }, 'of a phone': { width: 390, height: 844 } },
  },
  much: {
    look: { isDark: true, hasReducedMotion: true },
    screens: { 'at 200 %': { width: 640, height: 416 }, 'at 400 %': { width: 320, height: 208 } },
  },
}
/** The lists have come, and what they show is laid out. */
const IS_DRAWN = "document.querySelector('h1') && !document.querySelector('main :is(.animate-pulse, .animate-spin)')"
const NEXT_FRAME = 'new Promise((run) => requestAnimationFrame(() => requestAnimationFrame(run)))'

for (const engine of ENGINES)
  describe.skipIf(engine.program === undefined)(`every page in ${engine.name}`, () => {
    const it = itIn(engine)

    for (const [has, { look, screens }] of Object.entries(WALKS))
      describe(`with ${has} in it`, () => {
        it.override('look', look)

        it('has no fault on its screens, with the focus anywhere, and complains about nothing', {
          timeout: 300_000,
        }, async ({ server, page, service, persons }) => {
          const { administrator, ann } = persons
          if (has === 'much') {
            await crowdOf(service, administrator, 0, 40)
            await administrator.signIn()
            await writeUgly(persons)
          }
          const asked = await startDevice(stranger(service), 'account:profile:read', 'admin:users:write')
          const made = [`/oauth/authorize?user_code=${asked.body.user_code}`, `/console/users/${ann.id}`]

          const faults = await faultsOf(page, server.url, screens, FRONT)
          await enterAs(page, server, administrator)
          faults.push(...(await faultsOf(page, server.url, screens, [...INSIDE, ...CONSOLE, ...made])))

          assert.deepEqual(faults, [])
        })
      })
  })

async function faultsOf(
  page: EnginePage,
  url: string,
  screens: Walk['screens'],
  paths: readonly string[],
): Promise<string[]> {
  const faults: string[] = []
  for (const path of paths) {
    await page.goto(url + path)
    await page.until(IS_DRAWN)
    for (const [name, screen] of Object.entries(screens)) {
      await page.resize(screen)
      await page.until(`innerWidth === ${screen.width}`)
      await page.evaluate(NEXT_FRAME)
      for (const fault of await page.evaluate<string[]>(FAULTS)) faults.push(`${path} ${name} ${fault}`)
    }
  }
  return faults
}
