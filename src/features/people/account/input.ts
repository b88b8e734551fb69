import { z } from 'zod'
import { Email } from '../../../rules/email.ts'
import { JsonObject } from '../../../rules/json-object.ts'
import { isVisible, onOneLine } from '../../../rules/one-line.ts'

/** The maximum length of an email address, because clients without a name send the address. */
export const longestName = 254

/** Cleaned instead of refused, because a sign-up should not fail for the name that a client sends with it. */
export const PersonName = z
  .string()
  .overwrite(onOneLine)
  .min(1)
  .max(longestName)
  .refine(isVisible, 'Use a character that can be seen.')

export const SignUpEmail = z.object({
  email: Email,
  password: z.string(),
  name: PersonName.optional(),
  /** Becomes the user's `own` data. */
  data: JsonObject.optional(),
})
export type SignUpEmail = z.output<typeof SignUpEmail>

export const SignInEmail = z.object({
  email: Email,
  password: z.string(),
  /** If false, the session cookie ends with the browser. */
  rememberMe: z.boolean().default(true),
  callbackURL: z.string().optional(),
})
export type SignInEmail = z.output<typeof SignInEmail>

/** The six digits from a mail, or the secret of its link. */
const Otp = z.string().regex(/^(\d{6}|ghl_[\w-]{43})$/, 'A code has six digits.')

export const RequestCode = z.object({ email: Email, type: z.enum(['email-verification', 'sign-in']) })
export type RequestCode = z.output<typeof RequestCode>

export const VerifyEmail = z.object({ email: Email, otp: Otp })
export type VerifyEmail = z.output<typeof VerifyEmail>

export const RequestReset = z.object({ email: Email })
export type RequestReset = z.output<typeof RequestReset>

export const ResetPassword = z.object({ email: Email, otp: Otp, password: z.string() })
export type ResetPassword = z.output<typeof ResetPassword>

export const ChangeEmail = z.object({ newEmail: Email })
export type ChangeEmail = z.output<typeof ChangeEmail>

/** The token is in the link of a letter about a sign-in. */
export const OwnersLink = z.object({ token: z.string().max(1000) })
export type OwnersLink = z.output<typeof OwnersLink>

/** The secret of the mailed link. */
const LinkSecret = z.string().regex(/^ghl_[\w-]{43}$/, 'This is not a valid link secret.')

export const ShowInvitation = z.object({ email: Email, link: LinkSecret })

export const AcceptInvitation = ShowInvitation.extend({
  password: z.string(),
  /** Of somebody who is invited to an organisation. */
  name: PersonName.optional(),
})
export type AcceptInvitation = z.output<typeof AcceptInvitation>

export const InviteUser = z.object({ email: Email, name: PersonName.optional() })
export type InviteUser = z.output<typeof InviteUser>

export const CreateUser = z.object({
  email: Email,
  name: PersonName.optional(),
  /** Without one, the user chooses it by a password reset or an invitation. */
  password: z.string().optional(),
})
export type CreateUser = z.output<typeof CreateUser>

export const ChangePassword = z.object({
  currentPassword: z.string(),
  newPassword: z.string(),
  revokeOtherSessions: z.boolean().default(false),
})
export type ChangePassword = z.output<typeof ChangePassword>

const ImageAddress = z.url({ protocol: /^https?$/, error: 'Enter the URL of an image.' }).max(2048)

export const UpdateUser = z.object({ name: PersonName.optional(), image: ImageAddress.nullable().optional() })
export type UpdateUser = z.output<typeof UpdateUser>

export const DeleteUser = z.object({ password: z.string().optional() })
export type DeleteUser = z.output<typeof DeleteUser>

/** Accepts any input. */
