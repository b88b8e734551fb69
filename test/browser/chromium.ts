import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import packed from '@sparticuz/chromium'

const installed = '/usr/bin/chromium'

/** The browser of the machine where there is one, else the one from the package, with its fonts. */
export async function chromiumPath(): Promise<string> {
  if (process.env.CHROMIUM_PATH) return process.env.CHROMIUM_PATH
  if (existsSync(installed)) return installed
  const path = await packed.executablePath()
  process.env.FONTCONFIG_PATH ??= join(tmpdir(), 'fonts')
  return path
}
