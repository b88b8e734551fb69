import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from '@playwright/test'
import { createServer } from 'vite'

const configFile = fileURLToPath(new URL('../../../web/vite.config.ts', import.meta.url))

/** The page of all parts, which is in no release, as Vite serves it to those who work on the pages. */
export async function shootComponents(page: Page, look: string, folder: string): Promise<void> {
  const server = await createServer({ configFile, logLevel: 'error', server: { host: '127.0.0.1' } })
  await using _ = { [Symbol.asyncDispose]: () => server.close() }
  await server.listen()
  const [address] = server.resolvedUrls?.local ?? []
  await page.goto(new URL('components/', address).href)
  await page.getByRole('table', { name: 'People' }).waitFor()
  await page.screenshot({ path: join(folder, `components-${look}.png`), fullPage: true })
}
