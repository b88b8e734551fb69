import { getConnInfo } from '@hono/node-server/conninfo'
import type { Context, MiddlewareHandler } from 'hono'
import { v7 as newId } from 'uuid'
import type { Config } from '../config.ts'
import type { Client } from './client.ts'
import { type ProxyTrust, proxyTrust } from './proxy-trust.ts'

const REQUEST_ID = /^[\w.-]{1,64}$/

/** Names the request and whoever sent it; forwarded headers count only from trusted proxies. */
export function identify(config: Config): MiddlewareHandler {
  const trust = proxyTrust(config.trustedProxies)
  return async (context, next) => {
    const client = identified(context, trust, config.continentHeader)
    context.set('client', client)
    context.header('x-request-id', client.requestId)
    await next()
  }
}

function identified(context: Context, trust: ProxyTrust, continentHeader: string): Client {
  const sent = context.req.header('x-request-id')
  const peer = peerAddress(context)
  const isTrusted = trust.isTrusted(peer)
  return {
    requestId: sent !== undefined && REQUEST_ID.test(sent) ? sent : newId(),
    address: isTrusted ? trust.clientAddress(peer, context.req.header('x-forwarded-for')) : peer,
    userAgent: (context.req.header('user-agent') ?? '').slice(0, 512),
    continent: isTrusted ? context.req.header(continentHeader)?.toUpperCase() : undefined,
  }
}

/** `app.request` in tests has no socket. */
function peerAddress(context: Context): string {
  return context.env?.incoming ? (getConnInfo(context).remote.address ?? 'unknown') : '127.0.0.1'
}
