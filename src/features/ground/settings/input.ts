import { z } from 'zod'
import { Domain } from '../../../rules/email.ts'
import { lineOf, secretOf } from '../../../rules/names.ts'
import { DAY_SECONDS } from '../../../rules/time.ts'
import { Documents } from './model.ts'

const expected_version = z.int().min(1)

/** The change to a secret; if absent, the secret is kept. */
const SecretChange = z.discriminatedUnion('action', [
  z.object({ action: z.literal('keep') }),
  z.object({ action: z.literal('replace'), value: secretOf(4096) }),
  z.object({ action: z.literal('remove') }),
])
export type SecretChange = z.output<typeof SecretChange>

type WithDefaults = Readonly<Record<string, z.ZodDefault>>

/** Fields as they are stored, without their defaults. What is checked more closely when it is sent follows them. */
function plain<Fields extends WithDefaults>(fields: Fields) {
  const entries = Object.entries(fields).map(([name, field]) => [name, field.unwrap()])
  // The compiler cannot follow each field through the list.
  return Object.fromEntries(entries) as { [Name in keyof Fields]: ReturnType<Fields[Name]['unwrap']> }
}

const { provider_a: _, provider_b: __, community: ___, ...ownFields } = Documents.shape.authentication.shape
const authenticationFields = {
  ...plain(ownFields),
  email_signup_domain_allowlist: z.array(Domain).max(1000),
  email_user_action_cooldown_seconds: z.int().min(0).max(DAY_SECONDS),
  provider_a_enabled: z.boolean(),
  provider_a_client_id: lineOf(512),
  provider_b_enabled: z.boolean(),
  provider_b_client_id: lineOf(512),
  community_enabled: z.boolean(),
  community_client_id: lineOf(512),
}

export const UpdateAuthentication = z
  .object({
    ...authenticationFields,
    provider_a_client_secret: SecretChange,
    provider_b_client_secret: SecretChange,
    community_client_secret: SecretChange,
  })
  .partial()
  .extend({ expected_version })
export type UpdateAuthentication = z.output<typeof UpdateAuthentication>

export const AuthenticationConfig = z.object({
  version: z.int(),
  ...authenticationFields,
  provider_a_client_secret_configured: z.boolean(),
  provider_a_callback_url: z.string(),
  provider_a_name: z.string(),
  provider_b_client_secret_configured: z.boolean(),
  provider_b_callback_url: z.string(),
  provider_b_name: z.string(),
  community_client_secret_configured: z.boolean(),
  community_callback_url: z.string(),
  community_name: z.string(),
})
export type AuthenticationConfig = z.input<typeof AuthenticationConfig>

const EmailProvider = z.enum(['smtp', 'api', 'outbox'])
/** A name or an address in numbers, without scheme and port. */
const MailHost = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .regex(/^[a-z0-9_.:-]+$/)

const emailFields = {
  provider: EmailProvider.nullable(),
  smtp_host: z.union([z.literal(''), MailHost]),
  smtp_port: z.int().min(1).max(65_535),
  smtp_user: lineOf(320),
}

export const UpdateEmail = z
  .object({ ...emailFields, api_key: SecretChange, smtp_password: SecretChange })
  .partial()
  .extend({ expected_version })
export type UpdateEmail = z.output<typeof UpdateEmail>

export const EmailConfig = z.object({
  version: z.int(),
  ...emailFields,
  /** The choices this deployment offers. */
  available_providers: z.array(EmailProvider),
  api_key_configured: z.boolean(),
  smtp_password_configured: z.boolean(),
  /** SMTP_URL without its password, which is used in place of the settings' server. */
  smtp_url: z.string().nullable(),
  /** The API's base address, which EMAIL_API_URL can change. */
  api_url: z.string(),
})
export type EmailConfig = z.input<typeof EmailConfig>

const creditsFields = {
  ...plain(Documents.shape.credits.shape),
  signup_reward_amount: z.int().min(0).max(1_000_000_000),
}
export const UpdateCredits = z.object(creditsFields).partial().extend({ expected_version })
export type UpdateCredits = z.output<typeof UpdateCredits>
export const CreditsConfig = z.object({ version: z.int(), ...creditsFields })
export type CreditsConfig = z.input<typeof CreditsConfig>

const aiFields = {
  enabled: z.boolean(),
  base_url: z.union([z.literal(''), z.url({ protocol: /^https?$/ }).max(2048)]),
  model: lineOf(256),
}
export const UpdateAi = z
  .object({ ...aiFields, api_key: SecretChange })
  .partial()
  .extend({ expected_version })
export type UpdateAi = z.output<typeof UpdateAi>
export const AiConfig = z.object({ version: z.int(), ...aiFields, api_key_configured: z.boolean() })
export type AiConfig = z.input<typeof AiConfig>

const assistantsFields = plain(Documents.shape.assistants.shape)
export const UpdateAssistants = z.object(assistantsFields).partial().extend({ expected_version })
export type UpdateAssistants = z.output<typeof UpdateAssistants>
export const AssistantsConfig = z.object({ version: z.int(), ...assistantsFields })
export type AssistantsConfig = z.input<typeof AssistantsConfig>
