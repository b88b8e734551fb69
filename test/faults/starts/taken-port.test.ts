import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { freePort } from '../../processes/free-port.ts'
import { Installation } from '../../processes/installation.ts'
import { plainOf } from '../../processes/terminal/plain-text.ts'
import { storesOfEngines } from '../support/both-engines.ts'

describe('a start on a port that another program has', () => {
  for (const [name, stores] of storesOfEngines())
    for (const taken of ['PORT', 'METRICS_PORT'])
      it(`on ${name}: with ${taken} taken, the process ends and says so`, async () => {
        await using program = new Installation()
        const port = await freePort()
        await using other = createServer().listen(port, '127.0.0.1')
        await once(other, 'listening')
        const env = { ...stores(), PORT: String(await freePort()), [taken]: String(port) }

        const { code, stderr } = await program.run(['serve'], env)

        assert.equal(code, 1)
        assert.equal(
          plainOf(stderr),
          `gatehouse: port ${port} is in use by another program; stop it, or set another PORT or METRICS_PORT\n`,
        )
      })
})

describe('a start with a folder where the socket for orders would be', () => {
  it('serves, and says that it takes no orders', { timeout: 60_000 }, async () => {
    await using program = new Installation()
    mkdirSync(join(program.dataDir, 'orders.sock', 'folder'), { recursive: true })
    const metricsPort = String(await freePort())

    const { child, url, output } = await program.serve({ METRICS_PORT: metricsPort })
    const { status } = await fetch(`${url}/readyz`)
    child.kill('SIGTERM')
    const { code, stderr } = await output

    assert.deepEqual([status, code], [200, 0])
    assert.match(stderr, /cannot take orders to move users/)
  })
})
