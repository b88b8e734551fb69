import { z } from 'zod'
import type { Part } from '../../../database/schema/settings.ts'
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

const AuthenticationSettings = z.object({
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

const EmailSettings = z.object({
  provider: z.enum(['smtp', 'api', 'outbox']).nullable().default(null),
  /** Sealed. */
  api_key: z.string().default(''),
  smtp_host: z.string().default(''),
  smtp_port: z.number().default(587),
  smtp_user: z.string().default(''),
  /** Sealed. */
  smtp_password: z.string().default(''),
})

const CreditsSettings = z.object({
  signup_reward_enabled: z.boolean().default(false),
  signup_reward_amount: z.number().default(0),
})

const AiSettings = z.object({
  enabled: z.boolean().default(false),
  base_url: z.string().default(''),
  model: z.string().default(''),
  /** Sealed. */
  api_key: z.string().default(''),
})

const AssistantsSettings = z.object({
  /** A client can be known by the address of a document about it. */
  client_documents: z.boolean().default(true),
  /** A client can register itself. */
  registration: z.boolean().default(false),
})

export type { Part }

/** The stored form of each part. */
export const Documents = z.object({
  authentication: AuthenticationSettings,
  email: EmailSettings,
  credits: CreditsSettings,
  ai: AiSettings,
  brand: BrandSettings,
  assistants: AssistantsSettings,
} satisfies Record<Part, z.ZodType>)
export type Documents = Readonly<z.output<typeof Documents>>

export const parts = Documents.keyof().options

/** `Object.fromEntries` forgets which keys it was given. */
export function forEachPart<T>(of: (part: Part) => T): Readonly<Record<Part, T>> {
  return Object.fromEntries(parts.map((part) => [part, of(part)])) as Record<Part, T>
}

/** The global settings record, as the service uses it. Secrets in it are sealed. */
export interface Settings extends Documents {
  readonly revision: string
  /** The store's history at the last save. */
  readonly history: string
  readonly versions: Readonly<Record<Part, number>>
}

/** The settings of a fresh installation. */
export const defaultSettings = Documents.parse(forEachPart(() => ({})))
