import assert from 'node:assert/strict'
import { it } from 'vitest'
import { startCluster } from './cluster.ts'
import { withClient } from './databases.ts'
import { costlyPlans, WATCHING_PLANS } from './index-watch.ts'

const JOINS_FIRST = 'select boat.id, other.name from boat left join boat as other using (id) order by id limit 20'
const JOINS_LAST =
  'select id, other.name from (select id from boat order by id limit 20) as one left join boat as other using (id)'

it('a statement is named that no index serves, or that joins before it takes its page; others are not', async () => {
  const cluster = await startCluster({ replicas: 0, settings: WATCHING_PLANS })
  await withClient(cluster.primary.url(), async (client) => {
    await client.query('create table boat (id bigint primary key, name text)')
    await client.query('select name from boat where id = $1', [1])
    await client.query('select id from boat where name = $1', ['Ann'])
    await client.query('select count(*) from boat')
    await client.query('update boat set name = (select min(other.name) from boat as other where other.id = boat.id)')
    await client.query(JOINS_FIRST)
    await client.query(JOINS_LAST)
  })
  const { wholeTables, joinsBeforeLimit } = await costlyPlans(cluster.primary.logLines())
  await cluster.stop()

  assert.deepEqual([...wholeTables], [['select id from boat where name = $1', 'boat']])
  assert.deepEqual([...joinsBeforeLimit], [JOINS_FIRST])
})
