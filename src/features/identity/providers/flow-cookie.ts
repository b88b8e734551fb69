import { randomBytes } from 'node:crypto'
import type { Context } from 'hono'
import { serialize } from 'hono/utils/cookie'
import type { Config } from '../../../config.ts'
import { cookieOf } from '../../../http/cookies.ts'

/** What binds a flow to the browser that began it. One value serves all of its open tabs. */
export function keepBrowserKey(context: Context, config: Config, lifetimeSeconds: number): string {
  const key = browserKeyOf(context, config) ?? randomBytes(32).toString('base64url')
  const attributes = { httpOnly: true, sameSite: 'Lax', path: '/', secure: !config.isLocal } as const
  const cookie = serialize(nameOf(config), key, { ...attributes, maxAge: lifetimeSeconds })
  context.header('set-cookie', cookie, { append: true })
  return key
}

export function browserKeyOf(context: Context, config: Config): string | undefined {
  const key = cookieOf(context, nameOf(config))
  return key !== undefined && /^[\w-]{43}$/.test(key) ? key : undefined
}

function nameOf(config: Config): string {
  return config.isLocal ? 'provider_flow' : '__Host-provider_flow'
}
