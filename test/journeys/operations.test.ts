import assert from 'node:assert/strict'
import { chmodSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'vitest'
import { freePort } from '../processes/free-port.ts'
import { it } from '../processes/it.ts'
import { it as ofService } from '../service/it.ts'
import { stranger } from '../service/people.ts'

ofService(
  '/healthz is 200 while the process runs, /readyz while every store responds, else 503 naming the one that is down',
  async ({ service }) => {
    const get = (path: string) => stranger(service).get(path)
    const [health, ready] = [await get('/healthz'), await get('/readyz')]
    Object.assign(service.platform.keyValue, { ping: () => Promise.reject(new Error('gone')) })
    const down = await get('/readyz')

    assert.deepEqual([health.status, ready.status], [200, 200])
    assert.deepEqual(new Set(Object.values(ready.body.stores)), new Set(['up']))
    assert.deepEqual([down.status, down.body.code], [503, 'STORE_UNAVAILABLE'])
    assert.match(down.body.message, /key-value/)
  },
)

describe('80. a data folder that was there with mode 0755', () => {
  it('checklist 80: is closed, and so is every file that the service makes in it', async ({ program }) => {
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
  it('counts requests by route, and shows the queues and the stores', async ({ program }) => {
    const port = await freePort()
    const { url } = await program.serve({ METRICS_PORT: String(port) })
    await fetch(`${url}/api/auth/get-session`)

    const text = await (await fetch(`http://localhost:${port}/metrics`)).text()

    for (const figure of [
      /gatehouse_request_seconds_count\{route="\/api\/auth\/get-session",method="GET",status="200"\} 1/,
      /gatehouse_hash_queue 0/,
      /gatehouse_mail_queue 0/,
      /gatehouse_store_seconds_count\{store="meta"\} \d+/,
      /process_resident_memory_bytes/,
    ])
      assert.match(text, figure)
  })
})
