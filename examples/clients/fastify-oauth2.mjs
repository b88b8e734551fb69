// npm install fastify @fastify/oauth2; the callback is /callback
import { randomUUID } from 'node:crypto'
import oauth2 from '@fastify/oauth2'
import fastify from 'fastify'

const { GATEHOUSE: issuer, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, PORT = '8080' } = process.env
const origin = `http://localhost:${PORT}`
const app = fastify()
const sessions = new Map()

app.register(oauth2, {
  name: 'gatehouse',
  scope: ['openid', 'profile', 'email', 'offline_access'],
  credentials: { client: { id: clientId, secret: clientSecret } },
  ...{ startRedirectPath: '/login', callbackUri: `${origin}/callback`, pkce: 'S256', discovery: { issuer } },
})

app.get('/callback', async (request, reply) => {
  const { token } = await app.gatehouse.getAccessTokenFromAuthorizationCodeFlow(request, reply)
  const session = randomUUID()
  sessions.set(session, { token, user: await app.gatehouse.userinfo(token.access_token) })
  // On localhost, a cookie named "session" would overwrite the one of Gatehouse.
  return reply.setCookie('shop', session, { httpOnly: true, sameSite: 'lax', path: '/' }).redirect('/')
})

app.get('/', (request, reply) => {
  const session = sessions.get(request.cookies.shop)
  return session ? session.user : reply.code(401).send()
})

app.get('/refresh', async (request) => {
  const session = sessions.get(request.cookies.shop)
  session.token = (await app.gatehouse.getNewAccessTokenUsingRefreshToken(session.token)).token
  return { access_token: session.token.access_token }
})

app.get('/logout', (request, reply) => {
  const { token } = sessions.get(request.cookies.shop)
  sessions.delete(request.cookies.shop)
  const query = new URLSearchParams({ id_token_hint: token.id_token, post_logout_redirect_uri: `${origin}/` })
  return reply.redirect(`${issuer}/oauth/end-session?${query}`)
})

await app.listen({ port: Number(PORT) })
console.log(`listening on ${origin}`)
