import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const FRAMEWORKS = fileURLToPath(new URL('.', import.meta.url))
const INSTALLED = `${FRAMEWORKS}node_modules/.package-lock.json`

/** Next.js, Vue, Svelte and an older React have their own lock file: the product depends on none of them. */
export function areFrameworksInstalled(): boolean {
  if (existsSync(INSTALLED)) return true
  spawnSync('npm', ['ci', '--ignore-scripts', '--loglevel=error', '--no-audit', '--no-fund'], {
    cwd: FRAMEWORKS,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return existsSync(INSTALLED)
}
