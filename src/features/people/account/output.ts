import { z } from 'zod'

export const WireUser = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  image: z.string().nullable(),
  role: z.enum(['user', 'administrator']),
  /** The scopes of administration that the user holds. Absent for all but staff. */
  staffScopes: z.array(z.string()).optional(),
  /** The user has a second factor. */
  twoFactorEnabled: z.boolean(),
  affCode: z.string(),
  registrationUtmSource: z.string().nullable(),
  /** True while the password is the one printed at preparation. */
  passwordIsInitial: z.boolean(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})
export type WireUser = z.output<typeof WireUser>

export const Secured = z.object({
  success: z.literal(true),
  /** The address that gets a letter to choose a password with; null for a user who had none. */
  email: z.string().nullable(),
})

export const SignedUp = z.object({ token: z.string().nullable(), user: WireUser })
const SecondStep = z.object({
  twoFactorRedirect: z.literal(true),
  twoFactorMethods: z.array(z.enum(['totp', 'passkey'])),
})

const Completed = z.object({
  /** True if the request had a `callbackURL`, which is then `url`. */
  redirect: z.boolean(),
  url: z.string().optional(),
  token: z.string(),
  user: WireUser,
})

/** A session, or the methods for the second step. */
export const SignedIn = z.union([SecondStep, Completed])

const WireSession = z.object({
  id: z.string(),
  userId: z.string(),
  /** The reference of the session, never its secret. */
  token: z.string(),
  expiresAt: z.iso.datetime(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  ipAddress: z.string().nullable(),
  userAgent: z.string().nullable(),
  /** Those that the user acts in. */
  activeOrganizationId: z.string().nullable(),
  activeTeamId: z.string().nullable(),
  /** The administrator who acts as the user. */
  impersonatedBy: z.string().nullable(),
  /** Absent unless somebody acts as the user. */
  isReadOnly: z.boolean().optional(),
})

export const SessionOfUser = z.object({ session: WireSession, user: WireUser })
export const SessionAnswer = SessionOfUser.nullable()
export const PasswordChanged = z.object({ token: z.string(), user: WireUser })
export const Success = z.object({ success: z.literal(true) })
export const Verified = z.object({
  status: z.literal(true),
  token: z.null(),
  user: WireUser,
  /** False if another browser had set the password: it was unproven, so it has been removed. */
  hasPassword: z.boolean(),
  /** A passkey that signs in without a password. */
  hasPasskey: z.boolean(),
})
