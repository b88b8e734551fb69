import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { type Row, rowsOf } from './first-page.ts'
import { sessionBody } from './session-body.ts'

// What a good programmer would write for these three requests and nothing else: Hono, prepared statements, our
// own files with our own indexes. The bodies are ours; there are no metrics, origin checks, limits, bookmark or
// headers of ours, and one kind of caller.
const folder = process.env.DATA_DIR ?? ''
const open = (file: string) => new DatabaseSync(join(folder, file), { readOnly: true })
const meta = open('meta.sqlite')
const shards = (process.env.SHARD_FILES ?? '').split(',').map(open)

const caller = meta.prepare(
  `select s.id as session_id, s.created_at as session_created_at, s.refreshed_at, s.expires_at, s.last_used_at,
     s.ip, s.user_agent, u.*
   from session s join "user" u on u.id = s.user_id where s.token_hash = ?`,
)
const NEWEST = 'order by created_at desc, id desc limit 20'
const VISIBLE = 'from notifications where archived_at is null and (target_user_id is null or target_user_id = ?)'
const page = meta.prepare(`select id, type, title, content, link, level, created_at ${VISIBLE} ${NEWEST}`)
const visible = meta.prepare(`select count(*) as total ${VISIBLE}`)
const marks = shards[0]?.prepare(
  `select notification_id from notification_reads
   where user_id = ? and notification_id in (select value from json_each(?))`,
)
const newest = shards.map((shard) => shard.prepare(`select * from feedbacks ${NEWEST}`))
const counts = shards.map((shard) =>
  shard.prepare("select sum(feedbacks) as total from feedback_counts where kind = 'all'"),
)

const app = new Hono()
app.get('/', (context) => context.json({}))
app.get('/session', (context) => {
  const token = /(?:^|; )session=([^;]*)/.exec(context.req.header('cookie') ?? '')?.[1]
  const row = token === undefined ? undefined : find(token)
  return context.json(row ? sessionBody(row) : null)
})
app.post('/notifications', async (context) => {
  const row = find(context.req.header('authorization')?.slice('Bearer '.length) ?? '')
  if (!row) return context.json({}, 401)
  await context.req.json()
  const items = rowsOf(page.all(row.id ?? null))
  const read = new Set(
    marks?.all(row.id ?? null, JSON.stringify(items.map(({ id }) => id))).map(({ notification_id }) => notification_id),
  )
  const { total } = visible.get(row.id ?? null) ?? {}
  return context.json({ items: items.map((item) => ({ ...item, read: read.has(item.id) })), total })
})
app.post('/feedbacks', async (context) => {
  const row = find(context.req.header('authorization')?.slice('Bearer '.length) ?? '')
  if (row?.role !== 'administrator') return context.json({}, 403)
  await context.req.json()
  const rows = newest.flatMap((statement) => rowsOf(statement.all()))
  const items = rows.toSorted((a: Row, b: Row) => b.created_at - a.created_at || (a.id < b.id ? 1 : -1)).slice(0, 20)
  const total = counts.map((statement) => Number(statement.get()?.total)).reduce((sum, each) => sum + each, 0)
  return context.json({ items, total })
})

serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' })

function find(token: string) {
  const row = caller.get(createHash('sha256').update(token).digest('base64url'))
  return row && Number(row.expires_at) > Date.now() ? row : undefined
}
