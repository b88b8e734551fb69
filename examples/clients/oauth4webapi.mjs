// npm install express express-session oauth4webapi; the callback is /callback
import express from 'express'
import session from 'express-session'
import * as oauth from 'oauth4webapi'

const { GATEHOUSE, CLIENT_ID: client_id, CLIENT_SECRET: clientSecret, PORT = '8080' } = process.env
const origin = `http://localhost:${PORT}`
const app = express()
app.use(session({ secret: process.env.SESSION_SECRET, resave: false, saveUninitialized: false }))

const issuer = new URL(GATEHOUSE)
const options = { [oauth.allowInsecureRequests]: issuer.protocol === 'http:' }
const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options))
const [client, auth] = [{ client_id }, oauth.ClientSecretBasic(clientSecret)]
const redirect_uri = `${origin}/callback`

app.get('/login', async (request, response) => {
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()]
  request.session.asked = { verifier, state }
  const query = new URLSearchParams({
    ...{
      client_id,
      redirect_uri,
      response_type: 'code',
      scope: 'openid profile email offline_access',
      state,
    },
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  response.redirect(`${server.authorization_endpoint}?${query}`)
})

app.get('/callback', async (request, response) => {
  const { verifier, state } = request.session.asked
  const sound = oauth.validateAuthResponse(server, client, new URL(request.url, origin), state)
  const asked = [server, client, auth, sound, redirect_uri, verifier, options]
  const answer = await oauth.authorizationCodeGrantRequest(...asked)
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, {
    requireIdToken: true,
  })
  request.session.signedIn = { ...tokens, user: oauth.getValidatedIdTokenClaims(tokens) }
  response.redirect('/')
})

app.get('/', (request, response) => {
  const { user } = request.session.signedIn ?? {}
  response.status(user ? 200 : 401).json(user)
})

app.get('/refresh', async (request, response) => {
  const { refresh_token } = request.session.signedIn
  const answer = await oauth.refreshTokenGrantRequest(server, client, auth, refresh_token, options)
  const tokens = await oauth.processRefreshTokenResponse(server, client, answer)
  Object.assign(request.session.signedIn, tokens)
  response.json({ access_token: tokens.access_token })
})

app.get('/logout', (request, response) => {
  const query = { id_token_hint: request.session.signedIn.id_token, post_logout_redirect_uri: `${origin}/` }
  request.session.destroy(() => response.redirect(`${server.end_session_endpoint}?${new URLSearchParams(query)}`))
})

app.listen(Number(PORT), () => console.log(`listening on ${origin}`))
