import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'iovalkey'
import { describe, it } from 'vitest'
import { openRedisKeyValue } from '../../src/platform/key-value/redis.ts'
import { shipped } from '../journeys/proxies/started-proxy.ts'
import { freePort } from '../processes/free-port.ts'
import { lineWith } from '../processes/line-with.ts'
import { findRedisServer } from '../processes/redis.ts'
import { untilSo } from './support/replicated.ts'

const server = findRedisServer()
/** The one that both shipped files have. */
const PASSWORD = 'change-me'
const READY = 'Ready to accept connections'

describe.skipIf(!server)('Redis with Sentinel, by the files of deploy/ha (needs redis-server or valkey-server)', () => {
  it('the primary is found through the sentinels, and its successor when it is gone', async () => {
    await using opened = new AsyncDisposableStack()
    const primary = await startRedis(opened)
    const replica = await startRedis(opened, `replicaof 127.0.0.1 ${primary.port}`)
    const follower = new Redis(replica.port, '127.0.0.1', { password: PASSWORD })
    opened.defer(() => follower.disconnect())
    await untilSo('the replica follows', async () => (await follower.info('replication')).includes('link_status:up'))
    const sentinel = await startSentinel(opened, primary.port)
    const keyValue = await openRedisKeyValue(
      `redis-sentinel://:${PASSWORD}@127.0.0.1:1,127.0.0.1:${sentinel.port}/gatehouse?sentinel_password=${PASSWORD}`,
    )
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

  it('servers and sentinels answer nobody without the password', async () => {
    await using opened = new AsyncDisposableStack()
    const primary = await startRedis(opened)
    const sentinel = await startSentinel(opened, primary.port, 'Sentinel ID is')

    for (const { port } of [primary, sentinel]) {
      const stranger = new Redis(port, '127.0.0.1', { enableReadyCheck: false })
      opened.defer(() => stranger.disconnect())
      await assert.rejects(stranger.ping(), /NOAUTH/)
    }
  })
})

async function startRedis(opened: AsyncDisposableStack, further = '') {
  const text = (await shipped('ha/redis.conf')).replace(/^bind .*/m, 'bind 127.0.0.1')
  return start(opened, (port, folder) => `${text}\nport ${port}\ndir ${folder}\n${further}\n`, READY)
}

/** It knows the replica from "+slave" on. */
async function startSentinel(opened: AsyncDisposableStack, primaryPort: number, words = '+slave') {
  const text = (await shipped('ha/sentinel.conf'))
    .replace(/^bind .*/m, 'bind 127.0.0.1')
    .replace('10.0.2.1 6379 2', `127.0.0.1 ${primaryPort} 1`)
  const onThisMachine = (port: number, folder: string) =>
    text.replace('port 26379', `port ${port}`).replace(/^dir .*/m, `dir ${folder}`)
  return start(opened, onThisMachine, words, ['--sentinel'])
}

async function start(
  opened: AsyncDisposableStack,
  configuration: (port: number, folder: string) => string,
  words: string,
  args: readonly string[] = [],
) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-sentinel-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const port = await freePort()
  const file = join(folder, 'redis.conf')
  writeFileSync(file, configuration(port, folder))
  const child = spawn(server ?? '', [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  opened.defer(kill)
  await lineWith(words, child.stdout)
  return { port, kill }
}
