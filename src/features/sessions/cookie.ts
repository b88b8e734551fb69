import type { Context } from 'hono'
import { serialize } from 'hono/utils/cookie'
import type { Config } from '../../config.ts'
import { cookieOf } from '../../http/cookies.ts'

function cookieName(config: Config): string {
  return config.isLocal ? 'session' : '__Host-session'
}

export function sessionCookieOf(context: Context, config: Config): string | undefined {
  return cookieOf(context, cookieName(config))
}

export function setSessionCookie(
  context: Context,
  config: Config,
  token: string,
  lifetimeSeconds: number,
): void {
  const cookie = serialize(cookieName(config), token, { ...attributes(config), maxAge: lifetimeSeconds })
  context.header('set-cookie', cookie, { append: true })
}

export function clearSessionCookie(context: Context, config: Config): void {
  const cookie = serialize(cookieName(config), '', { ...attributes(config), maxAge: 0 })
  context.header('set-cookie', cookie, { append: true })
}

function attributes(config: Config) {
  return { httpOnly: true, sameSite: 'Lax', path: '/', secure: !config.isLocal } as const
}
