import { changeSettings } from './change-settings.ts'
import { type Service, startService } from './service.ts'

export async function serviceWithMail(): Promise<Service> {
  const service = await startService()
  await changeSettings(service, 'email', { provider: 'smtp' })
  return service
}
