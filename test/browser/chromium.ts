import { existsSync } from 'node:fs'
import packed from '@sparticuz/chromium'

const installed = '/usr/bin/chromium'

/** The browser of the machine where there is one, else the one from the package. */
export async function chromiumPath(): Promise<string> {
  if (process.env.CHROMIUM_PATH) return process.env.CHROMIUM_PATH
  return existsSync(installed) ? installed : packed.executablePath()
}
