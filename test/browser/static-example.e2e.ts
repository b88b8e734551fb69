import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { expect } from '@playwright/test'
import { build } from 'esbuild'
import { freePort } from '../processes/free-port.ts'
import { listening } from '../processes/listening.ts'
import { people } from '../service/people.ts'
import { startService } from '../service/service.ts'
import { test } from './support/test.ts'

const EXAMPLE = fileURLToPath(new URL('../../examples/static', import.meta.url))

test('examples/static signs in and out from a page at another address of the same site', async ({ page }) => {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  await using service = await startService({ env: { TRUSTED_ORIGINS: origin } })
  await using gatehouse = await listening(service)
  const { ann } = await people({ ...service, request: gatehouse.request })
  await using _server = await serving(port, await bundled(gatehouse.url))
  const greeting = (name: string) => page.getByRole('heading', { name: `Hello, ${name}` })
  const refusal = page.getByRole('alert').filter({ hasText: /\S/ })

  await page.goto(origin)
  await expect(greeting('stranger')).toBeVisible()
  await page.getByLabel('Email').fill(ann.email)
  await page.getByLabel('Password').fill('not the password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(refusal).toBeVisible()
  await page.getByLabel('Password').fill(ann.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(greeting(ann.email)).toBeVisible()
  await expect(refusal).toHaveCount(0)
  await page.reload()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(greeting('stranger')).toBeVisible()
  expect(await page.context().cookies()).not.toContainEqual(expect.objectContaining({ name: 'session' }))
})

/** Serves as any server of files does. */
async function serving(port: number, script: string) {
  const server = createServer(({ url }, response) => {
    const isScript = url === '/bundle.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? script : readFileSync(`${EXAMPLE}/index.html`))
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Runs the command that the example names, with the address of this service. */
async function bundled(gatehouse: string): Promise<string> {
  const contents = readFileSync(`${EXAMPLE}/page.mjs`, 'utf8').replace('http://localhost:5173', gatehouse)
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: EXAMPLE },
    bundle: true,
    format: 'esm',
    write: false,
  })
  return outputFiles[0]?.text ?? ''
}
