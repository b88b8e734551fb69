import { serve } from '@hono/node-server'
import { Hono } from 'hono'

// The same framework with nothing around it: as its README begins, with a small JSON answer.
const app = new Hono()
app.get('/', (context) => context.json({ session: { id: 'x' }, user: { id: 'x' } }))
app.post('/', async (context) => {
  await context.req.json()
  return context.json({ items: [], total: 0 })
})

serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' })
