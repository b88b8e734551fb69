import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { firstPage, rowsOf } from './first-page.ts'

// The specification's plain way of listing: load all, merge, sort, filter, slice. On the same files.
const folder = process.env.DATA_DIR ?? ''
const open = (file: string) => new DatabaseSync(join(folder, file), { readOnly: true })
const meta = open('meta.sqlite')
const shards = (process.env.SHARD_FILES ?? '').split(',').map(open)

const visible = meta.prepare(
  'select * from notifications where (target_user_id is null or target_user_id = ?) and archived_at is null',
)
const marks = shards[0]?.prepare('select notification_id from notification_reads where user_id = ?')
const feedbacks = shards.map((shard) => shard.prepare('select * from feedbacks'))

const app = new Hono()
app.get('/', (context) => context.json({}))
app.post('/notifications', async (context) => {
  const { user_id, read } = await context.req.json<{ user_id: string; read: boolean }>()
  const readIds = new Set(marks?.all(user_id).map(({ notification_id }) => notification_id))
  const rows = rowsOf(visible.all(user_id)).map((row) => ({ ...row, read: readIds.has(row.id) }))
  return context.json(firstPage(rows.filter((row) => row.read === read)))
})
app.post('/feedbacks', (context) => context.json(firstPage(feedbacks.flatMap((all) => rowsOf(all.all())))))

serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' })
