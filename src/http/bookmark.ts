import type { Context, MiddlewareHandler } from 'hono'
import { serialize } from 'hono/utils/cookie'
import { FIRST_PRIMARY, inPlace, Place } from '../platform/place.ts'
import { cookieOf } from './cookies.ts'

const HEADER = 'x-db-meta-bookmark'
const COOKIE = 'db_meta_bookmark'

/** First step of every /api/* route: where this request stands, and where the next one must stand. */
export function bookmark(options: { readonly secureCookie: boolean }): MiddlewareHandler {
  return async (context, next) => {
    const place = new Place(bookmarkOf(context))
    await inPlace(place, next)
    const reached = await place.next()
    context.res.headers.set(HEADER, reached)
    context.res.headers.append('set-cookie', bookmarkCookie(reached, options.secureCookie))
  }
}

function bookmarkOf(context: Context): string {
  return context.req.header(HEADER) ?? cookieOf(context, COOKIE) ?? FIRST_PRIMARY
}

function bookmarkCookie(value: string, secure: boolean): string {
  return serialize(COOKIE, value, { httpOnly: true, sameSite: 'Lax', path: '/', secure })
}
