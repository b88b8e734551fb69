import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import pg from 'pg'
import { firstPage, rowsOf } from './first-page.ts'

// The same plain way on PostgreSQL: all shards at once, one connection each, numbers as numbers.
const BIGINT = 20
pg.types.setTypeParser(BIGINT, Number)
const shards = (process.env.SHARD_URLS ?? '').split(',').map((url) => new pg.Client(url))
await Promise.all(shards.map((shard) => shard.connect()))

const app = new Hono()
app.get('/', (context) => context.json({}))
app.post('/feedbacks', async (context) => {
  const all = await Promise.all(shards.map((shard) => shard.query(EVERYTHING)))
  return context.json(firstPage(all.flatMap(({ rows }) => rowsOf(rows))))
})
const EVERYTHING = { name: 'feedbacks', text: 'select * from feedbacks' }

serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' })
