import assert from 'node:assert/strict'
import { chmodSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { decodeProtectedHeader } from 'jose'
import { describe } from 'vitest'
import { StoreReadOnly } from '../../src/database/store.ts'
import { freePort } from '../processes/free-port.ts'
import { it } from '../processes/it.ts'
import { it as ofService } from '../service/it.ts'
import { stranger } from '../service/people.ts'

describe('/readyz', () => {
  ofService(
    'is 200 while the global store responds, and names what else is down; with ?all it is 503 then',
    async ({ service }) => {
      const get = (path: string) => stranger(service).get(path)
      const [health, ready, all] = [await get('/healthz'), await get('/readyz'), await get('/readyz?all')]
      Object.assign(service.platform.keyValue, { ping: () => Promise.reject(new Error('gone')) })
      const [shard] = service.platform.shards.values()
      Object.assign(shard ?? {}, { ping: () => Promise.reject(new StoreReadOnly('apac-1')) })
      const [degraded, asked] = [await get('/readyz'), await get('/readyz?all')]
      Object.assign(service.platform.meta, { ping: () => Promise.reject(new Error('gone')) })
      const down = await get('/readyz')

      assert.deepEqual([health.status, ready.status, all.status], [200, 200, 200])
      const names = ['meta', ...service.platform.shards.keys(), 'key-value']
      assert.deepEqual(ready.body, {
        status: 'up',
        stores: Object.fromEntries(names.map((name) => [name, 'up'])),
      })
      assert.deepEqual([degraded.status, degraded.body.status], [200, 'degraded'])
      const { stores } = degraded.body
      assert.deepEqual([stores.meta, stores['apac-1'], stores['key-value']], ['up', 'degraded', 'down'])
      assert.deepEqual([asked.status, asked.body.code], [503, 'STORE_UNAVAILABLE'])
      assert.deepEqual([asked.body.status, asked.body.stores], ['degraded', stores])
      assert.equal(asked.body.message, 'Not reachable: key-value.')
      assert.deepEqual([down.status, down.body.message], [503, 'Not reachable: meta.'])
    },
  )
})

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

describe('113. `gatehouse admin rotate-signing-keys`', () => {
  it('checklist 113: beside a serving process publishes new keys, and with --now signs with them at once', async ({
    program,
  }) => {
    const credentials = await program.prepare()
    const life = await program.serve()
    const administrator = await life.signedIn(credentials)
    const keys = async () => {
      const { body: signed } = await administrator.get('/api/auth/token')
      const { body: published } = await administrator.get('/api/oauth/jwks')
      const { kid } = decodeProtectedHeader(signed.token)
      return { signing: kid, published: published.keys.map((key: { kid: string }) => key.kid) }
    }

    const before = await keys()
    const announced = await program.run(['admin', 'rotate-signing-keys'])
    const soon = await keys()
    const replaced = await program.run(['admin', 'rotate-signing-keys', '--now'])
    const after = await keys()

    assert.deepEqual([announced.code, replaced.code], [0, 0])
    assert.match(announced.stdout, /published, and sign in a day/)
    assert.equal(soon.signing, before.signing)
    assert.ok(soon.published.length > before.published.length)
    assert.match(replaced.stdout, /former ones are withdrawn/)
    assert.ok(after.published.includes(after.signing))
    for (const former of before.published) assert.ok(!after.published.includes(former))
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
      /gatehouse_mail_waiting 0/,
      /gatehouse_disk_free_bytes\{store="apac-1"\} [1-9]/,
      /gatehouse_store_seconds_count\{store="meta"\} \d+/,
      /process_resident_memory_bytes/,
    ])
      assert.match(text, figure)
  })
})
