import { z } from 'zod'

const LONGEST_ADDRESS = 254
const LOCAL_PART = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*"
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
/** Letters alone, or the encoded form of other scripts. */
const TOP_LABEL = '(?:[a-z]{2,63}|xn--[a-z0-9-]{0,58}[a-z0-9])'
const DOMAIN = `(?:${LABEL}\\.)+${TOP_LABEL}`

/** Trimmed and lower-cased once, here. */
export const Domain = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .regex(new RegExp(`^${DOMAIN}$`), 'This is not a domain name.')

/** The one definition of an address: for sign-up, the settings, `SYSTEM_EMAIL` and providers. */
export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .max(LONGEST_ADDRESS)
  .regex(new RegExp(`^(?=.{1,64}@)${LOCAL_PART}@${DOMAIN}$`), 'This is not a valid email address.')
  .meta({ format: 'email' })

/** Made up for accounts of the community provider; mail cannot be delivered there. */
export function isSynthetic(email: string): boolean {
  const domain = domainOf(email)
  return domain === 'community.local' || domain.endsWith('.community.local')
}

/** Enough to recognise a slip in one's own address: `t…@exmaple.org`. */
export function maskedAddress(email: string): string {
  return `${email.slice(0, 1)}…@${domainOf(email)}`
}

export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1)
}
