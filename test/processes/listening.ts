import { once } from 'node:events'
import { createApp } from '../../src/app.ts'
import type { Router } from '../../src/http/router.ts'
import { newServer } from '../../src/http/server.ts'
import { builtPages } from '../service/built-pages.ts'
import type { Service } from '../service/service.ts'

export interface Listening {
  readonly url: string
  /** Sends a request as a user of the service's address does. */
  request(path: string, init?: RequestInit): Promise<Response>
  [Symbol.asyncDispose](): Promise<void>
}

export type Answering = Router['handle']

/**
 * The service on a port of this machine, which is its public address, for programs that need a socket. A test can
 * stand in front of it.
 */
export async function listening(
  { platform }: Service,
  before: (answer: Answering) => Answering = (answer) => answer,
): Promise<Listening> {
  const server = newServer(platform, (incoming, outgoing) => respond(incoming, outgoing)).listen(0, '127.0.0.1')
  server.keepAliveTimeout = 0
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  const url = `http://127.0.0.1:${address.port}`
  const app = createApp({ ...platform, config: { ...platform.config, baseUrl: url } }, builtPages())
  const respond = before(app.handle)

  return {
    url,
    request: (path, init) => fetch(`${url}${path}`, { redirect: 'manual', ...init }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
