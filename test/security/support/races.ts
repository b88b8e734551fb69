import { openPatiently } from '../../postgres/held-user.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

/** Its stores wait as long for a lock as a busy machine needs. */
export async function world() {
  const service = await startService({ open: openPatiently })
  await changeSettings(service, 'email', { provider: 'smtp' })
  return { service, ...(await people(service)), [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}
