// npm install express express-session grant; the callback is /connect/gatehouse/callback
import express from 'express'
import session from 'express-session'
import grant from 'grant'

const { GATEHOUSE: issuer, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, PORT = '8080' } = process.env
const origin = `http://localhost:${PORT}`
const app = express()
app.use(session({ secret: process.env.SESSION_SECRET, resave: false, saveUninitialized: false }))

app.use(
  grant.express({
    defaults: { origin, transport: 'session', state: true, nonce: true, pkce: true },
    gatehouse: {
      ...{ oauth: 2, authorize_url: `${issuer}/oauth/authorize`, access_url: `${issuer}/api/oauth/token` },
      ...{ profile_url: `${issuer}/api/oauth/userinfo`, key: clientId, secret: clientSecret },
      ...{ scope: 'openid profile email', response: ['tokens', 'jwt', 'profile'] },
      callback: '/',
    },
  }),
)

app.get('/login', (_request, response) => response.redirect('/connect/gatehouse'))

app.get('/', (request, response) => {
  const { profile } = request.session.grant?.response ?? {}
  response.status(profile ? 200 : 401).json(profile)
})

app.get('/logout', (request, response) => {
  const query = {
    id_token_hint: request.session.grant.response.id_token,
    post_logout_redirect_uri: `${origin}/`,
  }
  request.session.destroy(() => response.redirect(`${issuer}/oauth/end-session?${new URLSearchParams(query)}`))
})

app.listen(Number(PORT), () => console.log(`listening on ${origin}`))
