// npm install better-auth express; the callback is /api/auth/oauth2/callback/gatehouse, with 1.7 /api/auth/callback/gatehouse
import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { fromNodeHeaders, toNodeHandler } from 'better-auth/node'
import { genericOAuth } from 'better-auth/plugins'
import express from 'express'

const { GATEHOUSE: issuer, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, PORT = '8080', VERSION } = process.env
const origin = `http://localhost:${PORT}`
const app = express()

const gatehouse = {
  ...{ providerId: 'gatehouse', discoveryUrl: `${issuer}/.well-known/openid-configuration` },
  ...{ clientId, clientSecret, scopes: ['openid', 'profile', 'email', 'offline_access'], pkce: true },
  mapProfileToUser: ({ name, preferred_username }) => ({ name: name ?? preferred_username }),
}
const auth = betterAuth({
  database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
  ...{ baseURL: origin, secret: process.env.SESSION_SECRET },
  plugins: [genericOAuth({ config: [gatehouse] })],
})
app.all('/api/auth/*rest', toNodeHandler(auth))

app.get('/login', async (request, response) => {
  const body = { provider: 'gatehouse', callbackURL: '/' }
  const begun = await auth.api.signInSocial({
    body,
    headers: fromNodeHeaders(request.headers),
    returnHeaders: true,
  })
  response.setHeader('set-cookie', begun.headers.getSetCookie()).redirect(begun.response.url)
})

app.get('/', async (request, response) => {
  const session = await auth.api.getSession({ headers: fromNodeHeaders(request.headers) })
  if (!session) return response.status(401).end()
  const accounts = await auth.api.listUserAccounts({ headers: fromNodeHeaders(request.headers) })
  return response.json({ sub: accounts[0].accountId, email: session.user.email })
})

// Version 1.7 takes the account's own id, version 1.6 the provider's.
async function account(headers) {
  const [{ id, providerId }] = await auth.api.listUserAccounts({ headers })
  return VERSION === '1.7' ? { accountId: id } : { providerId }
}

app.get('/refresh', async (request, response) => {
  const headers = fromNodeHeaders(request.headers)
  const { accessToken } = await auth.api.refreshToken({ body: await account(headers), headers })
  response.json({ access_token: accessToken })
})

app.get('/logout', async (request, response) => {
  const headers = fromNodeHeaders(request.headers)
  const { idToken } = await auth.api.getAccessToken({ body: await account(headers), headers })
  const left = await auth.api.signOut({ headers, returnHeaders: true })
  const query = new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: `${origin}/` })
  response.setHeader('set-cookie', left.headers.getSetCookie()).redirect(`${issuer}/oauth/end-session?${query}`)
})

app.listen(Number(PORT), () => console.log(`listening on ${origin}`))
