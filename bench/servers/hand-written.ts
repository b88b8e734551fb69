import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { type Row, rowsOf } from './first-page.ts'

// What a good programmer would write for these three requests and nothing else: Hono, prepared statements, our
// own files with our own indexes. No log, metrics, origin checks, limits or bookmark, and one kind of caller.
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
const VISIBLE =
  'from notifications where archived_at is null and (target_user_id is null or target_user_id = ?)'
const page = meta.prepare(`select * ${VISIBLE} ${NEWEST}`)
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
  return context.json(row ? shown(row) : null)
})
app.post('/notifications', async (context) => {
  const row = find(context.req.header('authorization')?.slice('Bearer '.length) ?? '')
  if (!row) return context.json({}, 401)
  await context.req.json()
  const items = rowsOf(page.all(row.id ?? null))
  const read = new Set(
    marks
      ?.all(row.id ?? null, JSON.stringify(items.map(({ id }) => id)))
      .map(({ notification_id }) => notification_id),
  )
  const { total } = visible.get(row.id ?? null) ?? {}
  return context.json({ items: items.map((item) => ({ ...item, read: read.has(item.id) })), total })
})
app.post('/feedbacks', (context) => {
  const rows = newest.flatMap((statement) => rowsOf(statement.all()))
  const items = rows
    .toSorted((a: Row, b: Row) => b.created_at - a.created_at || (a.id < b.id ? 1 : -1))
    .slice(0, 20)
  const total = counts.map((statement) => Number(statement.get()?.total)).reduce((sum, each) => sum + each, 0)
  return context.json({ items, total })
})

serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' })

function find(token: string) {
  const row = caller.get(createHash('sha256').update(token).digest('base64url'))
  return row && Number(row.expires_at) > Date.now() ? row : undefined
}

function shown(row: NonNullable<ReturnType<typeof find>>) {
  const date = (value: unknown) => new Date(Number(value)).toISOString()
  return {
    session: {
      id: row.session_id,
      userId: row.id,
      expiresAt: date(row.expires_at),
      createdAt: date(row.session_created_at),
      updatedAt: date(row.refreshed_at),
      ipAddress: row.ip,
      userAgent: row.user_agent,
    },
    user: {
      id: row.id,
      name: row.name,
      email: row.email,
      emailVerified: row.email_verified === 1,
      image: row.image,
      createdAt: date(row.created_at),
      updatedAt: date(row.updated_at),
    },
  }
}
