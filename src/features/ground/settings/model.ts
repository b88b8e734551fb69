import { z } from 'zod'
import { BrandSettings } from './brand/model.ts'

// Each field has its first value as its default: saved records from before a field have none of it.

const ProviderSettings = z
  .object({
    enabled: z.boolean().default(false),
    client_id: z.string().default(''),
    /** Sealed; '' if none is configured. */
    client_secret: z.string().default(''),
  })
  .prefault({})

const secondFactorRules = ['off', 'optional', 'required_for_administrator', 'required'] as const

export const AuthenticationSettings = z.object({
  registration_enabled: z.boolean().default(true),
  email_signup_domain_allowlist: z.array(z.string()).default([]),
  email_user_action_cooldown_seconds: z.number().default(60),
  beta_gate_enabled: z.boolean().default(false),
  email_verification_required: z.boolean().default(false),
  challenge_enabled: z.boolean().default(false),
  second_factor: z.enum(secondFactorRules).default('optional'),
  passkey_sign_up_enabled: z.boolean().default(true),
  provider_a: ProviderSettings,
  provider_b: ProviderSettings,
  community: ProviderSettings,
})

export const EmailSettings = z.object({
  provider: z.enum(['smtp', 'api', 'outbox']).nullable().default(null),
  /** Sealed. */
  api_key: z.string().default(''),
  smtp_host: z.string().default(''),
  smtp_port: z.number().default(587),
  smtp_user: z.string().default(''),
  /** Sealed. */
  smtp_password: z.string().default(''),
})

export const CreditsSettings = z.object({
  signup_reward_enabled: z.boolean().default(false),
  signup_reward_amount: z.number().default(0),
})

export const AiSettings = z.object({
  enabled: z.boolean().default(false),
  base_url: z.string().default(''),
  model: z.string().default(''),
  /** Sealed. */
  api_key: z.string().default(''),
})

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

/** The settings of a fresh installation. */
export const defaultSettings: Pick<Settings, Part> = {
  authentication: AuthenticationSettings.parse({}),
  email: EmailSettings.parse({}),
  credits: CreditsSettings.parse({}),
  ai: AiSettings.parse({}),
  brand: BrandSettings.parse({}),
  assistants: AssistantsSettings.parse({}),
}
