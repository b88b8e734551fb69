import { readConfig } from '../../../src/config/config.ts'
import { closeStores, openStores } from '../../../src/database/stores.ts'
import { defaultSettings } from '../../../src/features/settings/defaults.ts'
import { prepareStores } from '../../../src/prepare.ts'
import type { Installation } from '../../processes/installation.ts'

/** What everybody's balance begins with. */
export const REWARD = 7

/** Every browser says which network it comes from, and limits of a user are wide. */
export const MANY_NETWORKS = { TRUSTED_PROXIES: '127.0.0.1,::1', USER_LIMIT_FACTOR: '1000' }

type Env = Readonly<Record<string, string>>

/** Cheap passwords, a reward for signing up, letters, no cooldown; returns the administrator's credentials. */
export async function prepareWorld(installation: Installation, env: Env) {
  const config = readConfig({ DATA_DIR: installation.dataDir, ...env })
  const stores = await openStores(config)
  await prepareStores(config, stores, Date.now, 1)
  const { authentication, email } = defaultSettings
  await stores.meta
    .updateTable('settings')
    .set({
      authentication: JSON.stringify({ ...authentication, email_user_action_cooldown_seconds: 0 }),
      email: JSON.stringify({ ...email, provider: 'smtp' }),
      credits: JSON.stringify({ signup_reward_enabled: true, signup_reward_amount: REWARD }),
    })
    .execute()
  await closeStores(stores)
  const { stdout, stderr } = await installation.run(['prepare'], env)
  const [, address = '', password = ''] = /^Administrator: (.*)\nPassword: (.*)$/m.exec(stdout) ?? []
  if (password === '') throw new Error(`preparation printed no password: ${stderr}`)
  return { config, administrator: { email: address, password } }
}
