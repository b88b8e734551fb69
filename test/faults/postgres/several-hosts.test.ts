import assert from 'node:assert/strict'
import { PostgresEngine } from '../../../src/database/postgres/engine.ts'
import { Store, StoreUnavailable } from '../../../src/database/store.ts'
import { command, withClient } from '../../postgres/databases.ts'
import { onCluster, type Tables, untilSo } from '../support/replicated.ts'

const it = onCluster({ replicas: 1 })

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
