import type { Part, Settings } from '../../../src/features/ground/settings/model.ts'
import { enableProvider } from '../../providers/journey.ts'
import { startPlainProvider } from '../../providers/plain-provider.ts'
import { type AuthenticatorApp, addApp } from '../../service/devices/factors.ts'
import { SecurityKey } from '../../service/devices/security-key.ts'
import { it as withService } from '../../service/it.ts'
import { Person } from '../../service/people.ts'
import type { Options, Service } from '../../service/service.ts'
import { NO_COOLDOWN, WITH_MAIL } from '../../service/with-mail.ts'

export const GET_SESSION = '/api/auth/get-session'
export const NEW_PASSWORD = 'a quieter walk in the snow'

/** Everything that an act of a table can need. */
export interface World {
  readonly service: Service
  readonly administrator: Person
  readonly ann: Person
  readonly ben: Person
  /** Another browser of Ann's, signed out. */
  readonly browser: () => Person
  /** An authenticator that no account has yet. */
  readonly newKey: () => SecurityKey
}

interface Fixtures extends Pick<World, 'service' | 'browser' | 'newKey'> {
  readonly options: Options
  readonly settings: { readonly [P in Part]?: Partial<Settings[P]> }
  /** Options beside the community's address. */
  readonly more: Options
  readonly forum: Awaited<ReturnType<typeof startPlainProvider>>
  readonly world: World
  readonly key: SecurityKey
  /** Ann's second factor. */
  readonly app: AuthenticatorApp
  /** A browser in which Ann's password was right, and the second step is still to come. */
  readonly waiting: Person
}

/** Has mail, and a community whose user 7 is Ann. */
export const it = withService.extend<Fixtures>({
  more: {},
  settings: { ...WITH_MAIL, authentication: NO_COOLDOWN },
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  forum: async ({}, use) => {
    await using forum = await startPlainProvider('community', { '/api/user': { id: 7, username: 'ann' } })
    await use(forum)
  },
  options: async ({ forum, more }, use) => use({ ...more, env: { COMMUNITY_AUTH_URL: forum.url, ...more.env } }),
  service: async ({ service }, use) => {
    await enableProvider(service, 'community')
    await use(service)
  },
  browser: async ({ service, ann }, use) => use(() => new Person(service, ann.email, ann.password)),
  newKey: async ({ service }, use) => use(() => new SecurityKey(service.config.baseUrl)),
  world: async ({ service, administrator, ann, ben, browser, newKey }, use) =>
    use({ service, administrator, ann, ben, browser, newKey }),
  key: async ({ newKey }, use) => use(newKey()),
  app: async ({ service, ann }, use) => use(await addApp(service, ann)),
  waiting: async ({ app: _, browser }, use) => {
    const waiting = browser()
    await waiting.signIn()
    await use(waiting)
  },
})

/** Copies of one browser: with the cookies that it has now. */
export function copiesOf(person: Person, count: number, browser: () => Person): readonly Person[] {
  return Array.from({ length: count }, () => {
    const copy = browser()
    for (const [name, value] of person.cookies) copy.cookies.set(name, value)
    return copy
  })
}
