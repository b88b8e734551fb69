// npm install express express-session openid-client; the callback is /callback
import express from 'express'
import session from 'express-session'
import * as oidc from 'openid-client'

const { GATEHOUSE: issuer, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, PORT = '8080' } = process.env
const origin = `http://localhost:${PORT}`
const app = express()
app.use(session({ secret: process.env.SESSION_SECRET, resave: false, saveUninitialized: false }))

const overHttp = issuer.startsWith('http:') ? { execute: [oidc.allowInsecureRequests] } : {}
const config = await oidc.discovery(new URL(issuer), clientId, clientSecret, undefined, overHttp)

app.get('/login', async (request, response) => {
  const [verifier, state] = [oidc.randomPKCECodeVerifier(), oidc.randomState()]
  request.session.asked = { verifier, state }
  const address = oidc.buildAuthorizationUrl(config, {
    ...{ redirect_uri: `${origin}/callback`, scope: 'openid profile email offline_access', state },
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  response.redirect(address.href)
})

app.get('/callback', async (request, response) => {
  const { verifier, state } = request.session.asked
  const checks = { pkceCodeVerifier: verifier, expectedState: state, idTokenExpected: true }
  const tokens = await oidc.authorizationCodeGrant(config, new URL(request.url, origin), checks)
  request.session.signedIn = { ...tokens, user: tokens.claims() }
  response.redirect('/')
})

app.get('/', (request, response) => {
  const { user } = request.session.signedIn ?? {}
  response.status(user ? 200 : 401).json(user)
})

app.get('/refresh', async (request, response) => {
  const tokens = await oidc.refreshTokenGrant(config, request.session.signedIn.refresh_token)
  Object.assign(request.session.signedIn, tokens)
  response.json({ access_token: tokens.access_token })
})

app.get('/logout', (request, response) => {
  const query = { id_token_hint: request.session.signedIn.id_token, post_logout_redirect_uri: `${origin}/` }
  request.session.destroy(() => response.redirect(oidc.buildEndSessionUrl(config, query).href))
})

app.listen(Number(PORT), () => console.log(`listening on ${origin}`))
