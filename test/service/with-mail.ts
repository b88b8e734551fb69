import { changeSettings } from './change-settings.ts'
import { type Options, type Service, startService } from './service.ts'

interface WithMail extends Options {
  readonly authentication?: Parameters<typeof changeSettings<'authentication'>>[2]
}

/** Used by the fixture `settings`. */
export const WITH_MAIL = { email: { provider: 'smtp' } } as const
export const NO_COOLDOWN = { email_user_action_cooldown_seconds: 0 } as const

export async function serviceWithMail({ authentication, ...options }: WithMail = {}): Promise<Service> {
  const service = await startService(options)
  await changeSettings(service, 'email', { provider: 'smtp' })
  if (authentication) await changeSettings(service, 'authentication', authentication)
  return service
}
