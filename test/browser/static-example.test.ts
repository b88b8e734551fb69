import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'
import { freePort } from '../processes/free-port.ts'
import { listening } from '../processes/listening.ts'
import { people } from '../service/people.ts'
import { startService } from '../service/service.ts'
import { findChromium } from './support/chromium.ts'

const EXAMPLE = fileURLToPath(new URL('../../examples/static', import.meta.url))
const PATIENCE_MILLISECONDS = 90_000

describe('examples/static', () => {
  it('signs in and out from a page at another address of the same site', async () => {
    const port = await freePort()
    const origin = `http://127.0.0.1:${port}`
    await using service = await startService({ env: { TRUSTED_ORIGINS: origin } })
    await using gatehouse = await listening(service)
    const { ann } = await people({ ...service, request: gatehouse.request })
    await using _server = await serving(port, await bundled(gatehouse.url))
    await using browser = await launched()
    const page = await browser.newPage()
    page.setDefaultTimeout(PATIENCE_MILLISECONDS)
    await page.goto(`${origin}/`)
    await page.getByRole('heading', { name: 'Hello, stranger' }).waitFor()
    await page.getByLabel('Email').fill(ann.email)
    await page.getByLabel('Password').fill('not the password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    const refusal = page.getByRole('alert').filter({ hasText: /\S/ })
    await refusal.waitFor()
    await page.getByLabel('Password').fill(ann.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: `Hello, ${ann.email}` }).waitFor()
    const left = await refusal.count()
    await page.reload()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Hello, stranger' }).waitFor()
    const cookies = await page.context().cookies()

    assert.equal(left, 0)
    assert.ok(!cookies.some(({ name }) => name === 'session'))
  })
})

async function launched() {
  const { executablePath, env } = await findChromium()
  const args = ['--no-sandbox', '--no-zygote', '--disable-gpu']
  const browser = await chromium.launch({ executablePath, env: { ...process.env, ...env }, args })
  return Object.assign(browser, { [Symbol.asyncDispose]: () => browser.close() })
}

/** As any server of files does it. */
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

/** By the command that the example names, with the address of this service. */
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
