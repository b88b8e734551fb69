import assert from 'node:assert/strict'
import { PostgresEngine } from '../../../src/database/postgres/engine.ts'
import { Store, StoreUnavailable } from '../../../src/database/store.ts'
import { Fault } from '../../../src/platform/log/fault.ts'
import { command, withClient } from '../../postgres/databases.ts'
import { MemoryLog } from '../../service/fakes/memory-log.ts'
import { onCluster, type Tables, untilSo } from '../support/replicated.ts'

const it = onCluster({ replicas: 1 })

it('while none of several hosts accepts writes, the log names each with its own reason and gives no advice', async ({
  first: standby,
}) => {
  const { port } = standby
  const url = `postgres://postgres@127.0.0.1:1,127.0.0.1:${port}/postgres?target_session_attrs=read-write`
  const store = new Store<Tables>(new PostgresEngine('meta', { url }))
  const log = new MemoryLog()
  const fault = new Fault(store, log)

  await store.ping().catch((error: unknown) => error instanceof StoreUnavailable && fault.failed(error))

  assert.deepEqual(
    log.lines.map(({ message }) => message),
    [
      `meta at ${store.at} is not available: 127.0.0.1:1: nothing listens there; is the server running?; 127.0.0.1:${port}: it is a replica`,
    ],
  )
  await store.close()
})

it('an address with several hosts leads writes to the host that accepts them, also after a promotion', async ({
  primary,
  first: heir,
}) => {
  const hosts = [`127.0.0.1:1`, `127.0.0.1:${heir.port}`, `127.0.0.1:${primary.port}`]
  const url = `postgres://postgres@${hosts.join()}/postgres?target_session_attrs=read-write`
  const store = new Store<Tables>(new PostgresEngine('meta', { url }))
  const write = (id: number) => store.insertInto('counter').values({ id, value: 1 }).execute()
  assert.equal(store.at, hosts.join())

  await write(1)
  await untilSo('the replica has it', async () => {
    const found = await withClient(heir.url(), (client) => client.query('select id from counter where id = 1'))
    return found.rowCount === 1
  })
  await primary.kill()
  await assert.rejects(write(2), StoreUnavailable)
  await command(heir.url(), 'select pg_promote()')
  await untilSo('the promoted server takes writes', () =>
    write(3).then(
      () => true,
      () => false,
    ),
  )

  const rows = await store.selectFrom('counter').select('id').orderBy('id').execute()
  assert.deepEqual(rows, [{ id: 1 }, { id: 3 }])
  await store.close()
})
