// npm install express gatehouse-0.3.0.tgz; node express.mjs
import express from 'express'
import { callerOf, protect } from 'gatehouse/express'
import { createVerifier } from 'gatehouse/server'

const { GATEHOUSE = 'http://localhost:5173', CLIENT_ID, CLIENT_SECRET, PORT = '8080' } = process.env
const origin = `http://localhost:${PORT}`
// The id and secret of an application let the verifier remember sessions, and refuse them within a second of their end.
const verifier = createVerifier({ issuer: GATEHOUSE, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET })
const app = express()

// `origin` sends a browser to sign in and then back here.
app.get('/', protect(verifier, { origin }), (request, response) => {
  response.type('text').send(`Hello, ${callerOf(request).name}`)
})

// Look up your user by `userId`: an `email` may be unverified, and can change hands.
app.get('/api/me', protect(verifier), (request, response) => {
  response.json(callerOf(request))
})

// A user's session passes; a tool needs a grant with this scope.
app.get('/api/reports', protect(verifier, { scope: 'product:reports:read' }), (_request, response) => {
  response.json({ reports: [] })
})

// A member of an organisation passes whose roles in the active one allow it.
app.post('/api/projects', protect(verifier, { permission: 'project:create' }), (request, response) => {
  const { organization, actor } = callerOf(request)
  // An administrator who only looks at the product as this user changes nothing.
  if (actor?.readOnly) response.status(403).json({ code: 'READ_ONLY' })
  else response.status(201).json({ organization: organization.slug })
})

app.listen(Number(PORT), () => console.log(`listening on ${origin}`))
