import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'

// One durable commit for each write, and nothing else: no caller, no counters, no audit.
const database = new DatabaseSync(process.env.FILE ?? '')
database.exec(`pragma journal_mode = wal; pragma synchronous = full;
  create table feedbacks (id text primary key, type text, content text, created_at integer)`)
const insert = database.prepare('insert into feedbacks values (?, ?, ?, ?)')

const app = new Hono()
app.get('/', (context) => context.json({}))
app.post('/', async (context) => {
  const { type, content } = await context.req.json<{ type: string; content: string }>()
  const id = randomUUID()
  insert.run(id, type, content, Date.now())
  return context.json({ id })
})

serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' })
