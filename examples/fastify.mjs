// npm install fastify gatehouse-0.3.0.tgz; node fastify.mjs
import Fastify from 'fastify'
import { callerOf, protect } from 'gatehouse/fastify'
import { createVerifier } from 'gatehouse/server'

const { GATEHOUSE = 'http://localhost:5173', CLIENT_ID, CLIENT_SECRET, PORT = '8080' } = process.env
const origin = `http://localhost:${PORT}`
// The id and secret of an application let the verifier remember sessions, and refuse them within a second of their end.
const verifier = createVerifier({ issuer: GATEHOUSE, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET })
const app = Fastify()

// `origin` sends a browser to sign in and then back here.
app.get('/', { onRequest: protect(verifier, { origin }) }, (request, reply) => {
  reply.type('text/plain').send(`Hello, ${callerOf(request).name}`)
})

// Look up your user by `userId`: an `email` may be unverified, and can change hands.
app.get('/api/me', { onRequest: protect(verifier) }, async (request) => callerOf(request))

// A user's session passes; a tool needs a grant with this scope.
app.get('/api/reports', { onRequest: protect(verifier, { scope: 'product:reports:read' }) }, async () => ({
  reports: [],
}))

app.addHook('onClose', async () => verifier.close())
await app.listen({ port: Number(PORT), host: '127.0.0.1' })
console.log(`listening on ${origin}`)
