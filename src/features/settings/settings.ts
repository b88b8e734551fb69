import { z } from 'zod'
import type { Platform } from '../../platform/platform.ts'
import type { Meta } from '../../platform/store.ts'
import * as store from './store.ts'

const ProviderSettings = z.object({
  enabled: z.boolean(),
  client_id: z.string(),
  /** Sealed; '' where none is configured. */
  client_secret: z.string(),
})

export const AuthenticationSettings = z.object({
  registration_enabled: z.boolean(),
  email_signup_domain_allowlist: z.array(z.string()),
  email_user_action_cooldown_seconds: z.number(),
  beta_gate_enabled: z.boolean(),
  email_verification_required: z.boolean(),
  challenge_enabled: z.boolean(),
  provider_a: ProviderSettings,
  provider_b: ProviderSettings,
  community: ProviderSettings,
})

export const EmailSettings = z.object({
  provider: z.enum(['smtp', 'api', 'outbox']).nullable(),
  /** Sealed. */
  api_key: z.string(),
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

export const parts = ['authentication', 'email', 'credits', 'ai'] as const
export type Part = (typeof parts)[number]

/** The global settings record, as the service uses it. Secrets in it are sealed. */
export interface Settings {
  readonly revision: number
  readonly versions: Readonly<Record<Part, number>>
  readonly authentication: z.output<typeof AuthenticationSettings>
  readonly email: z.output<typeof EmailSettings>
  readonly credits: z.output<typeof CreditsSettings>
  readonly ai: z.output<typeof AiSettings>
}

/**
 * The settings in force. With the revision that came along with the caller it costs no statement;
 * without, one. Either way a save is seen by the very next request of every process.
 */
export async function currentSettings(platform: Platform, revision?: number): Promise<Settings> {
  const wanted = revision ?? (await store.revision(platform.meta))
  return platform.versioned.read('settings', wanted, () => readSettings(platform.meta))
}

/** As they lie in the store, past every cache. */
export async function readSettings(meta: Meta): Promise<Settings> {
  const row = await store.record(meta)
  return {
    revision: row.revision,
    versions: {
      authentication: row.authentication_version,
      email: row.email_version,
      credits: row.credits_version,
      ai: row.ai_version,
    },
    authentication: AuthenticationSettings.parse(JSON.parse(row.authentication)),
    email: EmailSettings.parse(JSON.parse(row.email)),
    credits: CreditsSettings.parse(JSON.parse(row.credits)),
    ai: AiSettings.parse(JSON.parse(row.ai)),
  }
}

/** At the first preparation only; a record that is there stays as it is. */
export function insertDefaultSettings(meta: Meta, now: number): Promise<void> {
  return store.insertDefaults(meta, now)
}
