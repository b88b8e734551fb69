import { z } from 'zod'
import { Domain } from '../../../../rules/email.ts'
import { lineOf } from '../../../../rules/names.ts'
import { DAY_SECONDS } from '../../../../rules/time.ts'
import { callbackUrl, presetOf, providerName, socialProviders } from '../../provider-presets/presets.ts'
import { usableProvider } from '../mail-provider.ts'
import { type PartFields, plain, secret } from './fields.ts'
import { settingsPart, unique } from './part.ts'

const rules = {
  registration_enabled: plain(z.boolean().default(true)),
  email_signup_domain_allowlist: { stored: z.array(z.string()).default([]), sent: unique(z.array(Domain).max(1000)) },
  email_user_action_cooldown_seconds: { stored: z.number().default(60), sent: z.int().min(0).max(DAY_SECONDS) },
  beta_gate_enabled: plain(z.boolean().default(false)),
  email_verification_required: { ...plain(z.boolean().default(false)), guarded: true },
  challenge_enabled: plain(z.boolean().default(false)),
  second_factor: {
    ...plain(z.enum(['off', 'optional', 'required_for_administrator', 'required']).default('optional')),
    guarded: true,
  },
  /** What the administrator can do as a user. */
  impersonation: { ...plain(z.enum(['off', 'read_only', 'read_and_write']).default('off')), guarded: true },
  passkey_sign_up_enabled: plain(z.boolean().default(true)),
  email_changes: { ...plain(z.enum(['off', 'verified']).default('off')), guarded: true },
  /** A sign-in from a browser and a network that are new to the user is told by letter. */
  sign_in_letters: { ...plain(z.boolean().default(true)), guarded: true },
  /** Days without use after which an account that never proved an address is deleted; 0 keeps it. */
  unverified_account_days: { stored: z.number().default(0), sent: z.int().min(0).max(365), guarded: true },
  /** Users who can be signed in at once in one browser. */
  accounts_per_browser: { stored: z.number().default(1), sent: z.int().min(1).max(5) },
}

const ofProvider = {
  enabled: { ...plain(z.boolean().default(false)), guarded: true },
  client_id: { stored: z.string().default(''), sent: lineOf(512), guarded: true },
  client_secret: { ...secret, guarded: true },
}

export const authenticationFields = { own: rules, groups: socialProviders, each: ofProvider } satisfies PartFields

export const authentication = settingsPart('authentication', authenticationFields, {
  beside: {
    provider_a_callback_url: z.string(),
    provider_a_name: z.string(),
    provider_b_callback_url: z.string(),
    provider_b_name: z.string(),
    community_callback_url: z.string(),
    community_name: z.string(),
  },
  besideOf: ({ config }) => ({
    provider_a_callback_url: callbackUrl(config, 'provider_a'),
    provider_a_name: providerName(config, 'provider_a'),
    provider_b_callback_url: callbackUrl(config, 'provider_b'),
    provider_b_name: providerName(config, 'provider_b'),
    community_callback_url: callbackUrl(config, 'community'),
    community_name: providerName(config, 'community'),
  }),
  faults: ({ challenge, config, mail }, { authentication, email }) => [
    {
      if: authentication.email_verification_required && usableProvider(mail, email) === undefined,
      path: 'email_verification_required',
      message: 'Choose an email provider first: without one, codes cannot be sent.',
    },
    {
      if: authentication.challenge_enabled && challenge.siteKey === undefined,
      path: 'challenge_enabled',
      message: 'No challenge keys are set at deployment (CHALLENGE_SITE_KEY, CHALLENGE_SECRET).',
    },
    ...socialProviders.flatMap((provider) => {
      const { enabled, client_id, client_secret } = authentication[provider]
      return [
        {
          if: enabled && client_id === '',
          path: `${provider}_client_id`,
          message: 'An enabled provider needs a client id.',
        },
        {
          if: enabled && client_secret === '',
          path: `${provider}_client_secret`,
          message: 'An enabled provider needs a client secret.',
        },
        {
          if: enabled && presetOf(config, provider) === undefined,
          path: `${provider}_enabled`,
          message: 'No address is set at deployment (COMMUNITY_AUTH_URL).',
        },
      ]
    }),
  ],
})
