import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'iovalkey'
import { describe, it } from 'vitest'
import { openRedisKeyValue } from '../../src/platform/key-value/redis.ts'
import { freePort } from '../processes/free-port.ts'
import { lineWith } from '../processes/line-with.ts'
import { findRedisServer, startRedis } from '../processes/redis.ts'
import { untilSo } from './support/replicated.ts'

const server = findRedisServer()

describe.skipIf(!server)('Redis with Sentinel (needs redis-server or valkey-server)', () => {
  it('the primary is found through the sentinels, and its successor when it is gone', async () => {
    await using opened = new AsyncDisposableStack()
    const [primary, replica] = [await startRedis(server ?? ''), await startRedis(server ?? '')]
    opened.defer(() => replica.stop())
    opened.defer(() => primary.stop())
    const follower = new Redis(replica.url)
    opened.defer(() => follower.disconnect())
    await follower.replicaof('127.0.0.1', new URL(primary.url).port)
    await untilSo('the replica follows', async () => (await follower.info('replication')).includes('link_status:up'))
    const sentinel = await startSentinel(opened, new URL(primary.url).port)
    const keyValue = await openRedisKeyValue(`redis-sentinel://127.0.0.1:1,127.0.0.1:${sentinel}/store`)
    opened.defer(() => keyValue.close())

    assert.equal(await keyValue.setIfAbsent('before', 'x', 60), true)
    await untilSo('the replica has it', async () => (await follower.exists('before')) === 1)
    await primary.kill()
    await untilSo('the successor takes writes', () =>
      keyValue.setIfAbsent('after', 'x', 60).then(
        () => true,
        () => false,
      ),
    )

    assert.equal((await keyValue.get('before'))?.value, 'x')
    assert.equal(await follower.exists('after'), 1)
  })
})

async function startSentinel(opened: AsyncDisposableStack, primaryPort: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-sentinel-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const port = await freePort()
  const file = join(folder, 'sentinel.conf')
  writeFileSync(
    file,
    `port ${port}
bind 127.0.0.1
dir ${folder}
sentinel monitor store 127.0.0.1 ${primaryPort} 1
sentinel down-after-milliseconds store 500
sentinel failover-timeout store 2000
`,
  )
  const child = spawn(server ?? '', [file, '--sentinel'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  opened.defer(async () => {
    child.kill('SIGKILL')
    await ended
  })
  // It knows the replica from then on.
  await lineWith('+slave', child.stdout)
  return port
}
