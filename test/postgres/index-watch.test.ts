import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startCluster } from './cluster.ts'
import { withClient } from './databases.ts'
import { WATCHING_PLANS, wholeTableScans } from './index-watch.ts'

it('a statement that no index serves is named, others are not', async () => {
  const cluster = await startCluster({ replicas: 0, settings: WATCHING_PLANS })
  await withClient(cluster.primary.url(), async (client) => {
    await client.query('create table boat (id bigint primary key, name text)')
    await client.query('select name from boat where id = $1', [1])
    await client.query('select id from boat where name = $1', ['Ann'])
    await client.query('select count(*) from boat')
  })
  const scans = await wholeTableScans(cluster.primary.logLines())
  await cluster.stop()

  assert.deepEqual([...scans], [['select id from boat where name = $1', 'boat']])
})
