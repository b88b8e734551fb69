import { mock } from 'node:test'
import { test } from 'vitest'
import { type Part, parts, type Settings } from '../../src/features/ground/settings/model.ts'
import { changeSettings } from './change-settings.ts'
import { type Person, people } from './people.ts'
import { type Options, type Service, startService } from './service.ts'

interface Fixtures {
  /** `it.override('options', …)` sets them for the tests of a describe. */
  readonly options: Options
  /** Saved by the administrator before the test; set like the options. */
  readonly settings: { readonly [P in Part]?: Partial<Settings[P]> }
  readonly service: Service
  readonly persons: Awaited<ReturnType<typeof people>>
  readonly administrator: Person
  readonly ann: Person
  readonly ben: Person
  /** Node's own mocks, taken back after the test. */
  readonly mock: typeof mock
}

/** A test whose fixtures are made only if it names them. */
export const it = test.extend<Fixtures>({
  options: {},
  settings: {},
  service: async ({ options, settings }, use) => {
    await using service = await startService(options)
    for (const part of parts) if (settings[part]) await changeSettings(service, part, settings[part])
    await use(service)
  },
  persons: async ({ service }, use) => use(await people(service)),
  administrator: async ({ persons }, use) => use(persons.administrator),
  ann: async ({ persons }, use) => use(persons.ann),
  ben: async ({ persons }, use) => use(persons.ben),
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  mock: async ({}, use) => {
    await use(mock)
    mock.reset()
  },
})

type Settled = Fixtures['settings']

/**
 * Applies the settings to a whole file: `it.override` outside a describe would reach the files that run after it in the
 * same process.
 */
export function itWith(settings: Settled) {
  return it.extend<{ settings: Settled }>({ settings })
}
