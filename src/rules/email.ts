import { z } from 'zod'

/** Trimmed and lower-cased once, here. */
export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .pipe(z.email('This is not a valid email address.'))

/** Made up for accounts of the community provider; no mail ever gets there. */
export function isSynthetic(email: string): boolean {
  const domain = domainOf(email)
  return domain === 'community.local' || domain.endsWith('.community.local')
}

export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1)
}
