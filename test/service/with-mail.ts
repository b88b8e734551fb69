import { changeSettings } from './change-settings.ts'
import { type Service, startService } from './service.ts'

interface Options {
  readonly env?: Readonly<Record<string, string>>
  readonly authentication?: Parameters<typeof changeSettings<'authentication'>>[2]
}

/** For the fixture `settings`. */
export const WITH_MAIL = { email: { provider: 'smtp' } } as const
export const NO_COOLDOWN = { email_user_action_cooldown_seconds: 0 } as const

export async function serviceWithMail({ env = {}, authentication }: Options = {}): Promise<Service> {
  const service = await startService({ env })
  await changeSettings(service, 'email', { provider: 'smtp' })
  if (authentication) await changeSettings(service, 'authentication', authentication)
  return service
}
