import { configFromEnvironment } from '../../config/config.ts'
import type { Platform } from '../../platform/platform.ts'
import { prepare } from '../../serve.ts'
import { printCredentialsAside } from './prepare.ts'

/** Opens and prepares the stores, also beside a process that serves. */
export async function withPlatform<T>(work: (platform: Platform) => Promise<T>): Promise<T> {
  const { platform, credentials } = await prepare(configFromEnvironment())
  try {
    if (credentials) printCredentialsAside(credentials)
    return await work(platform)
  } finally {
    await platform.close()
  }
}
