import { randomUUID } from 'node:crypto'
import type { Context } from 'hono'
import type { Config } from '../config.ts'
import type { Client } from './client.ts'
import { clientFinder } from './client-address.ts'
import { peerOf } from './exchange.ts'

const REQUEST_ID = /^[\w.-]{1,64}$/

/** Names the request and whoever sent it; forwarded headers count only from trusted proxies. */
export function identifier(config: Config): (context: Context) => Client {
  const findClient = clientFinder(config)
  return (context) => {
    const { address, continent } = findClient(peerOf(context), context.req.raw.headers)
    const sent = context.req.header('x-request-id')
    const requestId = sent !== undefined && REQUEST_ID.test(sent) ? sent : randomUUID()
    const userAgent = (context.req.header('user-agent') ?? '').slice(0, 512)
    return { requestId, address, userAgent, continent }
  }
}
