import type { Context } from 'hono'
import { cookieOf } from '../../http/cookies.ts'

const LONGEST = 200

/** From the cookie only: an address parameter or a body field says nothing about where somebody came from. */
export function registrationSourceOf(context: Context): string | null {
  const value = cookieOf(context, 'registration_utm_source')
    ?.replace(/\p{Cc}/gu, '')
    .trim()
  return value ? [...value].slice(0, LONGEST).join('') : null
}
