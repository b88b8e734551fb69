import { configFromEnvironment } from '../../config/config.ts'
import type { Platform } from '../../platform/platform.ts'
import { readSecrets } from '../../platform/secrets/secrets.ts'
import { type Prepared, prepareExisting } from '../../serve.ts'
import { printCredentialsIfPossible } from './prepare.ts'

/**
 * Opens the stores of an installation and brings them up to date, even while another process serves. In a wrong
 * data folder or database it fails instead of making an installation there.
 */
export async function openInstallation(): Promise<Prepared> {
  const config = configFromEnvironment()
  await readSecrets(config)
  return prepareExisting(config)
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
