import { type Listening, listening } from '../processes/listening.ts'
import { it as ofService } from './it.ts'
import { people } from './people.ts'

/** A service on a port and at the machine's time, by which libraries of others judge tokens; people visit it there. */
export const it = ofService.extend<{ server: Listening; persons: Awaited<ReturnType<typeof people>> }>({
  server: async ({ service }, use) => {
    service.clock.advance({ milliseconds: Date.now() - service.clock.now() })
    await using server = await listening(service)
    await use(server)
  },
  persons: async ({ service, server }, use) => use(await people({ ...service, request: server.request })),
})
