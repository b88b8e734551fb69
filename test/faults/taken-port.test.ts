import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { command, freshDatabase, schemaUrl, testServer } from '../postgres/databases.ts'
import { freePort } from '../processes/free-port.ts'
import { Installation } from '../processes/installation.ts'

let server: Awaited<ReturnType<typeof testServer>>
let database: Awaited<ReturnType<typeof freshDatabase>>

before(async () => {
  server = await testServer()
  database = await freshDatabase(server.url)
  await command(database.url, 'create schema "apac-1"')
})

after(async () => {
  await database.drop()
  await server.stop()
})

const STORES: Readonly<Record<string, () => Record<string, string>>> = {
  'embedded stores': () => ({}),
  PostgreSQL: () => ({
    DATABASE_URL: database.url,
    SHARDS: `apac-1:apac=${schemaUrl(database.url, 'apac-1')}`,
  }),
}

describe('a start on a port that another program has', () => {
  for (const [name, stores] of Object.entries(STORES))
    for (const taken of ['PORT', 'METRICS_PORT'])
      it(`on ${name}: with ${taken} taken, the process ends and says so`, async () => {
        await using program = new Installation()
        const port = await freePort()
        const other = createServer().listen(port, '127.0.0.1')
        await once(other, 'listening')
        const env = { ...stores(), PORT: String(await freePort()), [taken]: String(port) }

        const { code, stderr } = await program.run(['serve'], env)

        other.close()
        assert.equal(code, 1)
        assert.match(stderr, new RegExp(`^gatehouse: port ${port} is in use by another program; .*\n$`, 'm'))
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
