import { z } from 'zod'

/** Trimmed and lower-cased once, here. */
export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .pipe(z.email('This is not a valid email address.'))

export const PersonName = z.string().trim().min(1).max(200)

export const SignUpEmail = z.object({ email: Email, password: z.string(), name: PersonName })
export type SignUpEmail = z.output<typeof SignUpEmail>

export const SignInEmail = z.object({ email: Email, password: z.string() })
export type SignInEmail = z.output<typeof SignInEmail>
