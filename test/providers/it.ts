import { it as base } from '../service/it.ts'
import { newcomer, type Person, stranger } from '../service/people.ts'
import { type Service, startService } from '../service/service.ts'
import { enableProvider } from './journey.ts'
import { type OpenIdProvider, startOpenIdProvider } from './openid-provider.ts'
import { type PlainProvider, startPlainProvider } from './plain-provider.ts'

interface Fixtures {
  readonly service: Service
  readonly openId: OpenIdProvider
  readonly forum: PlainProvider
  /** A browser in which nobody is signed in. */
  readonly visitor: Person
  /** A user with a password, signed in. */
  readonly carl: Person
}

/** Has a service with both OpenID slots and the community's switched on. */
export const it = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  openId: async ({}, use) => {
    await using provider = await startOpenIdProvider()
    await use(provider)
  },
  // biome-ignore lint/correctness/noEmptyPattern: as above.
  forum: async ({}, use) => {
    await using provider = await startPlainProvider('community', { '/api/user': { id: 42, username: 'ann' } })
    await use(provider)
  },
  service: async ({ openId, forum }, use) => {
    const env = {
      PROVIDER_A: openId.preset,
      PROVIDER_B: openId.preset,
      COMMUNITY_AUTH_URL: forum.url,
      TRUSTED_PROXIES: '127.0.0.1',
      WEBHOOK_NETWORKS: '127.0.0.0/8',
    }
    await using service = await startService({ env })
    openId.now = service.clock.now
    for (const slot of ['provider_a', 'provider_b', 'community'] as const) await enableProvider(service, slot)
    await use(service)
  },
  visitor: async ({ service }, use) => use(stranger(service)),
  carl: async ({ service }, use) => use(await newcomer(service)),
})

export async function accountsOf(person: Person): Promise<readonly string[]> {
  const { body } = await person.get('/api/auth/list-accounts')
  return body.map(({ providerId }: { readonly providerId: string }) => providerId)
}
