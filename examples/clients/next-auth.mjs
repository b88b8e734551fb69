// npm install next-auth@4 express cookie-parser; the callback is /api/auth/callback/gatehouse. In Next.js, pages/api/auth/
// [...nextauth].js exports NextAuth(config), and a page calls signIn('gatehouse').
import cookieParser from 'cookie-parser'
import express from 'express'
import library from 'next-auth'

// Node gives a CommonJS module one export, which has all of its own.
const { default: nextAuth, getServerSession } = library
const { GATEHOUSE: issuer, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, PORT = '8080' } = process.env
const origin = `http://localhost:${PORT}`
process.env.NEXTAUTH_URL = origin
const app = express()

const gatehouse = {
  ...{ id: 'gatehouse', name: 'Gatehouse', type: 'oauth', issuer, clientId, clientSecret },
  ...{ wellKnown: `${issuer}/.well-known/openid-configuration`, idToken: true, checks: ['pkce', 'state', 'nonce'] },
  authorization: { params: { scope: 'openid profile email' } },
  profile: ({ sub, name, email, picture }) => ({ id: sub, name, email, image: picture }),
}
const config = {
  ...{ providers: [gatehouse], secret: process.env.SESSION_SECRET },
  callbacks: {
    jwt: ({ token, account }) => (account ? { ...token, id_token: account.id_token } : token),
    session: ({ session, token }) => ({ ...session, sub: token.sub, id_token: token.id_token }),
  },
}

app.use(cookieParser())
app.use('/api/auth', express.urlencoded(), ({ method, headers, body, cookies, path, query }, response) => {
  const nextauth = path.slice(1).split('/')
  return nextAuth({ ...{ method, headers, body, cookies }, query: { ...query, nextauth } }, response, config)
})

// Does what signIn and signOut of next-auth/react do in a page.
async function posted(path, kept = '') {
  const page = await fetch(`${origin}/api/auth/csrf`, { headers: { cookie: kept } })
  const { csrfToken } = await page.json()
  const cookie = [kept, ...page.headers.getSetCookie().map((one) => one.split(';')[0])].join('; ')
  const body = new URLSearchParams({ csrfToken, callbackUrl: `${origin}/` })
  return fetch(`${origin}/api/auth${path}`, { method: 'POST', headers: { cookie }, body, redirect: 'manual' })
}

app.get('/login', async (request, response) => {
  const { headers } = await posted('/signin/gatehouse', request.headers.cookie)
  response.setHeader('set-cookie', headers.getSetCookie()).redirect(headers.get('location'))
})

app.get('/', async (request, response) => {
  const session = await getServerSession(request, response, config)
  response.status(session ? 200 : 401).json(session && { sub: session.sub, email: session.user.email })
})

app.get('/logout', async (request, response) => {
  const { id_token } = await getServerSession(request, response, config)
  const { headers } = await posted('/signout', request.headers.cookie)
  const query = new URLSearchParams({ id_token_hint: id_token, post_logout_redirect_uri: `${origin}/` })
  response.setHeader('set-cookie', headers.getSetCookie()).redirect(`${issuer}/oauth/end-session?${query}`)
})

app.listen(Number(PORT), () => console.log(`listening on ${origin}`))
