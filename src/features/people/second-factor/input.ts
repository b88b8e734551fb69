import { z } from 'zod'
import { Email } from '../../../rules/email.ts'
import { Id } from '../../../rules/ids.ts'
import { nameOf } from '../../../rules/names.ts'
import { PersonName } from '../account/input.ts'
import { WireUser } from '../account/output.ts'
import { AuthenticationResponse, RegistrationResponse } from './passkeys/webauthn.ts'

const Issuer = nameOf(64)

export const Enable = z.object({ password: z.string().optional(), issuer: Issuer.optional() })
export const Enabled = z.object({
  method: z.literal('totp'),
  totpURI: z.string(),
  backupCodes: z.array(z.string()),
})
export const WithPassword = z.object({ password: z.string().optional() })
export const TotpUri = z.object({ totpURI: z.string() })
export const BackupCodes = z.object({ status: z.literal(true), backupCodes: z.array(z.string()) })

export const VerifyCode = z.object({
  code: z.string().trim().min(1).max(64),
  trustDevice: z.boolean().default(false),
})
export type VerifyCode = z.output<typeof VerifyCode>

/** `token` is null if the caller was already signed in. */
export const SecondStepDone = z.object({
  token: z.string().nullable(),
  user: WireUser,
  /** True if the sign-in had a `callbackURL`, which is then `url`. */
  redirect: z.boolean(),
  url: z.string().optional(),
})

const PasskeyName = nameOf(64)

export const RegisterOptions = z.object({
  name: PasskeyName.optional(),
  authenticatorAttachment: z.enum(['platform', 'cross-platform']).optional(),
  context: z.string().max(256).optional(),
})
export const VerifyRegistration = z.object({ response: RegistrationResponse, name: PasskeyName.optional() })
export const VerifySignUp = z.object({ response: RegistrationResponse })
export const AuthenticationWish = z.object({
  /** `another`: a signed-in user wants to add an account to this browser. */
  account: z.enum(['another']).optional(),
})
export type AuthenticationWish = z.output<typeof AuthenticationWish>
export const VerifyAuthentication = z.object({ response: AuthenticationResponse })

export const SignUpOptions = z.object({ email: Email, name: PersonName.optional() })
export type SignUpOptions = z.output<typeof SignUpOptions>
export const InvitationOptions = z.object({
  email: Email,
  link: z.string().regex(/^ghl_[\w-]{43}$/, 'This is not a valid link secret.'),
  /** Of somebody who is invited to an organisation. */
  name: PersonName.optional(),
})
export const AcceptWithPasskey = InvitationOptions.omit({ name: true }).extend({ response: RegistrationResponse })

/** Follows WebAuthn's own JSON. */
export const Options = z.looseObject({ challenge: z.string() })

export const Passkey = z.object({
  id: z.string(),
  name: z.string(),
  userId: z.string(),
  publicKey: z.string(),
  credentialID: z.string(),
  counter: z.int(),
  deviceType: z.string(),
  backedUp: z.boolean(),
  transports: z.string(),
  aaguid: z.string(),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().nullable(),
})
export type Passkey = z.output<typeof Passkey>
export const Passkeys = z.array(Passkey)
export const UpdatePasskey = z.object({ id: Id, name: PasskeyName })
export const UpdatedPasskey = z.object({ passkey: Passkey })
export const FactorId = z.object({ id: Id })

export const Confirm = z
  .object({
    password: z.string().optional(),
    /** A code from an authenticator app, or a backup code. */
    code: z.string().trim().max(64).optional(),
    passkey: AuthenticationResponse.optional(),
  })
  .refine((sent) => Object.values(sent).filter((value) => value !== undefined).length === 1, {
    error: 'Send a password, a code or a passkey.',
  })
export type Confirm = z.output<typeof Confirm>

const Used = z.object({ createdAt: z.iso.datetime(), lastUsedAt: z.iso.datetime().nullable() })

export const SecurityOverview = z.object({
  hasPassword: z.boolean(),
  password_breached: z.boolean(),
  emailVerified: z.boolean(),
  /** `isAllowed`: the settings let users add a factor. `isRequired`: they require one of this user. */
  isAllowed: z.boolean(),
  isRequired: z.boolean(),
  totp: Used.nullable(),
  backupCodesLeft: z.int(),
  passkeys: Passkeys,
  trustedDevices: z.array(
    z.object({
      id: z.string(),
      createdAt: z.iso.datetime(),
      lastUsedAt: z.iso.datetime(),
      expiresAt: z.iso.datetime(),
      ipAddress: z.string().nullable(),
      userAgent: z.string().nullable(),
      device: z.string().nullable(),
      place: z.string().nullable(),
      isCurrent: z.boolean(),
    }),
  ),
  recentSignIns: z.array(
    z.object({
      createdAt: z.iso.datetime(),
      isRefused: z.boolean(),
      by: z.string(),
      secondStep: z.string().nullable(),
      ipAddress: z.string().nullable(),
    }),
  ),
})
