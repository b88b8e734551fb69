import { listening } from '../processes/listening.ts'
import { people } from './people.ts'
import { startService } from './service.ts'

/** A service at an address and at the machine's time, by which libraries of others judge tokens; and its people. */
export async function serviceOfToday() {
  const service = await startService()
  service.clock.advance({ milliseconds: Date.now() - service.clock.now() })
  const server = await listening(service)
  return {
    ...{ service, url: server.url },
    ...(await people({ ...service, request: server.request })),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
    },
  }
}
