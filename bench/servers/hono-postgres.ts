import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import pg from 'pg'

// Bare Hono with one named statement on one pipelined connection: the least that reading a row can cost.
const client = new pg.Client({ connectionString: process.env.DATABASE_URL, pipeline: true })
await client.connect()

const app = new Hono()
app.get('/', async (context) => {
  const { rows } = await client.query({
    name: 'session',
    text: 'select * from session where token_hash = $1',
    values: [context.req.header('x-hash') ?? ''],
  })
  return context.json({ session: rows[0] ?? null })
})

serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' })
