import assert from 'node:assert/strict'
import { chmodSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'vitest'
import { freePort } from '../processes/free-port.ts'
import { Installation } from '../processes/installation.ts'
import { it } from '../service/it.ts'
import { stranger } from '../service/people.ts'
import { startService } from '../service/service.ts'

describe('/readyz', () => {
  it('is 200 while every store responds', async ({ service }) => {
    const { status, body } = await stranger(service).get('/readyz')

    assert.equal(status, 200)
    assert.deepEqual(new Set(Object.values(body.stores)), new Set(['up']))
  })

  it('is 503 naming the store that is down', async () => {
    const gone = { ping: () => Promise.reject(new Error('gone')) }
    await using service = await startService()
    Object.assign(service.platform.keyValue, gone)

    const { status, body } = await stranger(service).get('/readyz')

    assert.deepEqual([status, body.code], [503, 'STORE_UNAVAILABLE'])
    assert.match(body.message, /key-value/)
  })
})

describe('80. a data folder that was there with mode 0755', () => {
  it('checklist 80: is closed, and so is every file that the service makes in it', async () => {
    await using program = new Installation()
    chmodSync(program.dataDir, 0o755)

    await program.serve()

    const entries = readdirSync(program.dataDir, { withFileTypes: true })
    assert.ok(entries.some(({ name }) => name === 'meta.sqlite'))
    assert.equal(statSync(program.dataDir).mode & 0o777, 0o700)
    for (const entry of entries) {
      const { mode } = statSync(join(program.dataDir, entry.name))
      assert.equal(mode & 0o077, 0, entry.name)
    }
  })
})

describe('/metrics', () => {
  it('counts requests by route, and shows the queues and the stores', async () => {
    await using program = new Installation()
    const port = await freePort()
    const { url } = await program.serve({ METRICS_PORT: String(port) })
    await fetch(`${url}/api/auth/get-session`)

    const text = await (await fetch(`http://localhost:${port}/metrics`)).text()

    assert.match(
      text,
      /gatehouse_request_seconds_count\{route="\/api\/auth\/get-session",method="GET",status="200"\} 1/,
    )
    assert.match(text, /gatehouse_hash_queue 0/)
    assert.match(text, /gatehouse_mail_queue 0/)
    assert.match(text, /gatehouse_store_seconds_count\{store="meta"\} \d+/)
    assert.match(text, /process_resident_memory_bytes/)
  })
})

describe('/healthz', () => {
  it('is 200 while the process runs', async ({ service }) => {
    assert.equal((await stranger(service).get('/healthz')).status, 200)
  })
})
