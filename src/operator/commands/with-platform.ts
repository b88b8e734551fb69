import { configFromEnvironment } from '../../config/config.ts'
import type { Platform } from '../../platform/platform.ts'
import { readSecrets } from '../../platform/secrets/secrets.ts'
import { type Prepared, prepare } from '../../serve.ts'
import { printCredentialsIfPossible } from './prepare.ts'

/**
 * Opens the stores of an installation and brings them up to date, even while another process serves. With a
 * wrong data folder it fails instead of creating a new installation there.
 */
export async function openInstallation(): Promise<Prepared> {
  const config = configFromEnvironment()
  await readSecrets(config)
  return prepare(config)
}

export async function withPlatform<T>(work: (platform: Platform) => Promise<T>): Promise<T> {
  const { platform, credentials } = await openInstallation()
  try {
    if (credentials) printCredentialsIfPossible(credentials)
    return await work(platform)
  } finally {
    await platform.close()
  }
}
