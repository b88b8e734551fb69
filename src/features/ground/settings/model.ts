import { z } from 'zod'
import type { BrandSettings } from './brand/model.ts'

const ProviderSettings = z.object({
  enabled: z.boolean(),
  client_id: z.string(),
  /** Sealed; '' if none is configured. */
  client_secret: z.string(),
})

export const secondFactorRules = ['off', 'optional', 'required_for_administrator', 'required'] as const

export const AuthenticationSettings = z.object({
  registration_enabled: z.boolean(),
  email_signup_domain_allowlist: z.array(z.string()),
  email_user_action_cooldown_seconds: z.number(),
  beta_gate_enabled: z.boolean(),
  email_verification_required: z.boolean(),
  challenge_enabled: z.boolean(),
  // Records from before second factors have neither field.
  second_factor: z.enum(secondFactorRules).default('optional'),
  passkey_sign_up_enabled: z.boolean().default(true),
  provider_a: ProviderSettings,
  provider_b: ProviderSettings,
  community: ProviderSettings,
})

export const EmailSettings = z.object({
  provider: z.enum(['smtp', 'api', 'outbox']).nullable(),
  /** Sealed. */
  api_key: z.string(),
  // Records from before a mail server could be set in the console have none of these.
  smtp_host: z.string().default(''),
  smtp_port: z.number().default(587),
  smtp_user: z.string().default(''),
  /** Sealed. */
  smtp_password: z.string().default(''),
})

export const CreditsSettings = z.object({
  signup_reward_enabled: z.boolean(),
  signup_reward_amount: z.number(),
})

export const AiSettings = z.object({
  enabled: z.boolean(),
  base_url: z.string(),
  model: z.string(),
  /** Sealed. */
  api_key: z.string(),
})

/** Every field has a default, because a part that was never saved is `{}`. */
export const AssistantsSettings = z.object({
  /** A client can be known by the address of a document about it. */
  client_documents: z.boolean().default(true),
  /** A client can register itself. */
  registration: z.boolean().default(false),
})

export const parts = ['authentication', 'email', 'credits', 'ai', 'brand', 'assistants'] as const
export type Part = (typeof parts)[number]

/** The global settings record, as the service uses it. Secrets in it are sealed. */
export interface Settings {
  readonly revision: string
  /** The store's history at the last save. */
  readonly history: string
  readonly versions: Readonly<Record<Part, number>>
  readonly authentication: z.output<typeof AuthenticationSettings>
  readonly email: z.output<typeof EmailSettings>
  readonly credits: z.output<typeof CreditsSettings>
  readonly ai: z.output<typeof AiSettings>
  readonly brand: z.output<typeof BrandSettings>
  readonly assistants: z.output<typeof AssistantsSettings>
}
