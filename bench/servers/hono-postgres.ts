import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import pg from 'pg'
import { PostgresEngine } from '../../src/database/postgres/engine.ts'
import { tokenHash } from '../../src/rules/tokens.ts'
import { sessionBody } from './session-body.ts'
import { statementOfTheCheck } from './statement-of-the-check.ts'

// Bare Hono with one named statement on one pipelined connection: a row of one table, which is the least that
// reading can cost, or our own statement with our JSON.
const BIGINT = 20
pg.types.setTypeParser(BIGINT, Number)
const url = process.env.DATABASE_URL ?? ''
const client = new pg.Client({ connectionString: url, pipeline: true })
await client.connect()
const check = await statementOfTheCheck(new PostgresEngine('meta', { url, connections: 1 }))

const app = new Hono()
app.get('/', async (context) => {
  const { rows } = await client.query({
    name: 'session',
    text: 'select * from session where token_hash = $1',
    values: [context.req.header('x-hash') ?? ''],
  })
  return context.json({ session: rows[0] ?? null })
})
app.get('/session', async (context) => {
  const token = /(?:^|; )session=([^;]*)/.exec(context.req.header('cookie') ?? '')?.[1] ?? ''
  const { rows } = await client.query({ name: 'check', text: check, values: [tokenHash(token)] })
  return context.json(rows[0] ? sessionBody(rows[0]) : null)
})

serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' })
