import { serialize } from 'hono/utils/cookie'
import type { Config } from '../../config/config.ts'
import type { Exchange } from '../exchange.ts'

type Scheme = Pick<Config, 'isHttps'>

/** The session of the browser, or that of the user as whom the administrator acts in it. */
export const SESSION_COOKIE = ownCookie('session')

/** A cookie that only this host gets. No script can read it, and other sites cannot send it with a form of theirs. */
export function ownCookie(name: string) {
  const nameFor = ({ isHttps }: Scheme) => (isHttps ? `__Host-${name}` : name)
  const lineOf = (config: Scheme, value: string, maxAge?: number) =>
    serialize(nameFor(config), value, {
      httpOnly: true,
      sameSite: 'Lax',
      path: '/',
      secure: config.isHttps,
      ...(maxAge !== undefined && { maxAge }),
    })
  return {
    nameFor,
    of: (exchange: Exchange, config: Scheme) => exchange.cookie(nameFor(config)),
    set: (exchange: Exchange, config: Scheme, value: string, lifetimeSeconds: number) =>
      exchange.addCookie(lineOf(config, value, lifetimeSeconds)),
    /** The browser drops it when it is closed. */
    setForVisit: (exchange: Exchange, config: Scheme, value: string) => exchange.addCookie(lineOf(config, value)),
    clear: (exchange: Exchange, config: Scheme) => exchange.addCookie(lineOf(config, '', 0)),
  }
}
