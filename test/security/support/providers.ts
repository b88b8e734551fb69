import { enableProvider } from '../../providers/journey.ts'
import { startOpenIdProvider } from '../../providers/openid-provider.ts'
import { startPlainProvider } from '../../providers/plain-provider.ts'
import { stranger } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

/** Both OpenID slots and the community's are switched on. */
export async function world() {
  const openId = await startOpenIdProvider()
  const forum = await startPlainProvider('community', { '/api/user': { id: 42, username: 'ann' } })
  const env = {
    PROVIDER_A: openId.preset,
    PROVIDER_B: openId.preset,
    COMMUNITY_AUTH_URL: forum.url,
    TRUSTED_PROXIES: '127.0.0.1',
  }
  const service = await startService({ env })
  openId.now = service.clock.now
  for (const slot of ['provider_a', 'provider_b', 'community'] as const) await enableProvider(service, slot)
  return {
    openId,
    forum,
    service,
    ann: stranger(service),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await forum[Symbol.asyncDispose]()
      await openId.stop()
    },
  }
}
