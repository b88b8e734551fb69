// npm install hono @hono/node-server gatehouse-0.3.0.tgz; node hono.mjs
import { serve } from '@hono/node-server'
import { callerOf, protect } from 'gatehouse/hono'
import { createVerifier } from 'gatehouse/server'
import { Hono } from 'hono'

const { GATEHOUSE = 'http://localhost:5173', CLIENT_ID, CLIENT_SECRET, PORT = '8080' } = process.env
const origin = `http://localhost:${PORT}`
// The id and secret of an application let the verifier remember sessions, and refuse them within a second of their end.
const verifier = createVerifier({ issuer: GATEHOUSE, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET })
const app = new Hono()

// `origin` sends a browser to sign in and then back here.
app.get('/', protect(verifier, { origin }), (context) => context.text(`Hello, ${callerOf(context).name}`))

// Look up your user by `userId`: an `email` may be unverified, and can change hands.
app.get('/api/me', protect(verifier), (context) => context.json(callerOf(context)))

// A user's session passes; a tool needs a grant with this scope.
app.get('/api/reports', protect(verifier, { scope: 'product:reports:read' }), (context) =>
  context.json({ reports: [] }),
)

serve({ fetch: app.fetch, port: Number(PORT), hostname: '127.0.0.1' }, () => {
  console.log(`listening on ${origin}`)
})
