// npm install express express-session arctic; the callback is /callback
import * as arctic from 'arctic'
import express from 'express'
import session from 'express-session'

const { GATEHOUSE: issuer, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, PORT = '8080' } = process.env
const origin = `http://localhost:${PORT}`
const app = express()
app.use(session({ secret: process.env.SESSION_SECRET, resave: false, saveUninitialized: false }))

const client = new arctic.OAuth2Client(clientId, clientSecret, `${origin}/callback`)
const scopes = ['openid', 'profile', 'email', 'offline_access']
const endpoint = `${issuer}/api/oauth/token`

app.get('/login', (request, response) => {
  const [state, verifier] = [arctic.generateState(), arctic.generateCodeVerifier()]
  request.session.asked = { state, verifier }
  const { S256 } = arctic.CodeChallengeMethod
  const page = `${issuer}/oauth/authorize`
  response.redirect(client.createAuthorizationURLWithPKCE(page, state, S256, verifier, scopes).href)
})

app.get('/callback', async (request, response) => {
  const { state, verifier } = request.session.asked
  if (request.query.state !== state) return response.status(400).end()
  const tokens = await client.validateAuthorizationCode(endpoint, request.query.code, verifier)
  request.session.signedIn = { ...tokens.data, user: arctic.decodeIdToken(tokens.idToken()) }
  return response.redirect('/')
})

app.get('/', (request, response) => {
  const { user } = request.session.signedIn ?? {}
  response.status(user ? 200 : 401).json(user)
})

app.get('/refresh', async (request, response) => {
  const tokens = await client.refreshAccessToken(endpoint, request.session.signedIn.refresh_token, scopes)
  Object.assign(request.session.signedIn, tokens.data)
  response.json({ access_token: tokens.accessToken() })
})

app.get('/logout', (request, response) => {
  const query = { id_token_hint: request.session.signedIn.id_token, post_logout_redirect_uri: `${origin}/` }
  request.session.destroy(() => response.redirect(`${issuer}/oauth/end-session?${new URLSearchParams(query)}`))
})

app.listen(Number(PORT), () => console.log(`listening on ${origin}`))
