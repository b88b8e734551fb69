import { randomUUID } from 'node:crypto'
import { getConnInfo } from '@hono/node-server/conninfo'
import type { Context, MiddlewareHandler } from 'hono'
import type { Config } from '../config.ts'
import { inRequest } from '../platform/request-id.ts'
import type { Client } from './client.ts'
import { clientFinder, type FindClient } from './client-address.ts'

const REQUEST_ID = /^[\w.-]{1,64}$/

/** Names the request and whoever sent it; forwarded headers count only from trusted proxies. */
export function identify(config: Config): MiddlewareHandler {
  const findClient = clientFinder(config)
  return async (context, next) => {
    const client = identified(context, findClient)
    context.set('client', client)
    context.header('x-request-id', client.requestId)
    await inRequest(client.requestId, next)
  }
}

function identified(context: Context, findClient: FindClient): Client {
  const sent = context.req.header('x-request-id')
  return {
    requestId: sent !== undefined && REQUEST_ID.test(sent) ? sent : randomUUID(),
    ...findClient(peerAddressOf(context), context.req.raw.headers),
    userAgent: (context.req.header('user-agent') ?? '').slice(0, 512),
  }
}

/** `app.request` in tests has no socket. */
export function peerAddressOf(context: Context): string {
  return context.env?.incoming ? (getConnInfo(context).remote.address ?? '') : '127.0.0.1'
}
