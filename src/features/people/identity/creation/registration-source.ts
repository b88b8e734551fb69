import type { Exchange } from '../../../../http/exchange.ts'

// What a browser keeps in one cookie.
const LONGEST = 4_096

/**
 * As it was sent, and from the cookie only: a parameter or a body field does not show where a user came from.
 * Values that no browser could have stored, or that PostgreSQL cannot store, are ignored.
 */
export function registrationSourceOf(exchange: Exchange): string | null {
  const value = exchange.cookie('registration_utm_source')
  return value === undefined || value.length > LONGEST || value.includes('\0') ? null : value
}
