import { once } from 'node:events'
import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { createApp } from '../../src/app.ts'
import type { Service } from '../service/service.ts'

export interface Listening {
  readonly url: string
  [Symbol.asyncDispose](): Promise<void>
}

/** The service on a port of this machine, for programs that need a socket. */
export async function listening({ platform }: Service): Promise<Listening> {
  const server = createServer(getRequestListener(createApp(platform).fetch)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')

  return {
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
