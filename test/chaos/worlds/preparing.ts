import { defaultSettings } from '../../../src/features/ground/settings/model.ts'
import type { Env, Installation } from '../../processes/installation.ts'

/** Everybody's first balance. */
export const REWARD = 7

/** Every browser says which network it comes from, and limits of a user are wide. */
export const MANY_NETWORKS = { TRUSTED_PROXIES: '127.0.0.1,::1', USER_LIMIT_FACTOR: '1000' }

/** Cheap passwords, a reward for signing up, letters, no cooldown, acting as users; returns the administrator's credentials. */
export async function prepareWorld(installation: Installation, env: Env) {
  const { authentication, email } = defaultSettings()
  const administrator = await installation.prepare(env, {
    authentication: { ...authentication, email_user_action_cooldown_seconds: 0, impersonation: 'read_only' },
    email: { ...email, provider: 'smtp' },
    credits: { signup_reward_enabled: true, signup_reward_amount: REWARD },
  })
  return { config: installation.config(env), administrator }
}
