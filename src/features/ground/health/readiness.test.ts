import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it } from '../../../../test/service/it.ts'
import { stranger } from '../../../../test/service/people.ts'
import { StoreReadOnly } from '../../../database/store.ts'

describe('/readyz', () => {
  it('is 200 while the global store responds, and names what else is down; ?all is 503 then; the log has the failure', async ({
    service,
  }) => {
    const get = (path: string) => stranger(service).get(path)
    const [health, ready, all] = [await get('/healthz'), await get('/readyz'), await get('/readyz?all')]
    Object.assign(service.platform.keyValue, { ping: () => Promise.reject(new Error('gone')) })
    const [shard] = service.platform.shards.values()
    Object.assign(shard ?? {}, { ping: () => Promise.reject(new StoreReadOnly('apac-1')) })
    const [degraded, asked] = [await get('/readyz'), await get('/readyz?all')]
    Object.assign(service.platform.meta, { ping: () => Promise.reject(new Error('gone')) })
    const down = await get('/readyz')

    Object.assign(service.platform.meta, { ping: () => Promise.resolve() })
    await get('/readyz')

    const said = service.log.lines.filter(({ message }) => message.startsWith('this process is'))
    assert.deepEqual(
      said.map(({ level, message, fields }) => [level, message, fields.error ?? fields.failures]),
      [
        ['warn', 'this process is not ready', 'Not reachable: meta.'],
        ['info', 'this process is ready again', 1],
      ],
    )
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
  })
})
