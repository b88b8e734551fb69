import { z } from 'zod'

/** Trimmed and lower-cased once, here. */
export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .pipe(z.email('This is not a valid email address.'))

export const SignUpEmail = z.object({
  email: Email,
  password: z.string(),
  name: z.string().trim().min(1).max(200),
})

export const SignInEmail = z.object({ email: Email, password: z.string() })

export const WireUser = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  image: z.string().nullable(),
  role: z.enum(['user', 'administrator']),
  affCode: z.string(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})
export type WireUser = z.output<typeof WireUser>

export const SignedUp = z.object({ token: z.string().nullable(), user: WireUser })
export const SignedIn = z.object({ redirect: z.literal(false), token: z.string(), user: WireUser })

export const WireSession = z.object({
  id: z.string(),
  userId: z.string(),
  token: z.string(),
  expiresAt: z.iso.datetime(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  ipAddress: z.string().nullable(),
  userAgent: z.string().nullable(),
})

export const SessionAnswer = z.object({ session: WireSession, user: WireUser }).nullable()
export const Success = z.object({ success: z.literal(true) })
