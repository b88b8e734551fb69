import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { freePort } from '../../processes/free-port.ts'
import { Installation } from '../../processes/installation.ts'
import { findRedisServer, startRedis } from '../../processes/redis.ts'
import { describe, it } from '../../running/node-test.ts'

const redis = findRedisServer()

describe('a start that cannot make the administrator', {
  skip: redis ? false : 'no redis-server or valkey-server on the path',
}, () => {
  it('ends and says so, also with a key-value store', async () => {
    await using stack = new AsyncDisposableStack()
    const keyValue = stack.adopt(await startRedis(redis ?? ''), (started) => started.stop())
    const program = stack.use(new Installation())
    await program.run(['prepare'])
    takeAdministratorAndShards(program)

    const { code, stderr } = await program.run(['serve'], {
      PORT: String(await freePort()),
      KV_URL: keyValue.url,
    })

    assert.equal(code, 1)
    assert.match(stderr, /store shard is not available/)
  })
})

/** So that the next start has to make an administrator, and has no shard for one. */
function takeAdministratorAndShards({ dataDir }: Installation): void {
  const meta = new DatabaseSync(join(dataDir, 'meta.sqlite'))
  meta.exec(`delete from "user"; update shards set state = 'draining'`)
  meta.close()
}
