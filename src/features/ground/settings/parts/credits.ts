import { z } from 'zod'
import { partFields, plain } from './fields.ts'
import { settingsPart } from './part.ts'

export const creditsFields = partFields({
  signup_reward_enabled: plain(z.boolean().default(false)),
  signup_reward_amount: { stored: z.number().default(0), sent: z.int().min(0).max(1_000_000_000) },
})

export const credits = settingsPart('credits', creditsFields, {
  faults: (_platform, { credits }) => [
    {
      if: credits.signup_reward_enabled && credits.signup_reward_amount === 0,
      path: 'signup_reward_amount',
      message: 'An enabled reward needs an amount.',
    },
  ],
})
