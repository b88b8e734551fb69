import { authorizationQuery } from '../../service/grants.ts'
import { people, stranger } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

export const READ = 'operations:notifications:read'
export const WRITE = 'operations:notifications:write'

/** People, a device without a session, and Ann's way to begin an authorization. */
export async function world() {
  const service = await startService()
  const { administrator, ann, ben } = await people(service)
  const begin = (change: object) =>
    ann.post('/api/oauth/begin_authorization', { ...authorizationQuery([READ]), ...change })
  return {
    service,
    administrator,
    ann,
    ben,
    begin,
    device: stranger(service),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}
