import type { Exchange } from '../../http/exchange.ts'

const LONGEST = 200

/** From the cookie only: an address parameter or a body field says nothing about where somebody came from. */
export function registrationSourceOf(exchange: Exchange): string | null {
  const value = exchange
    .cookie('registration_utm_source')
    ?.replace(/\p{Cc}/gu, '')
    .trim()
  return value ? [...value].slice(0, LONGEST).join('') : null
}
