// npm install express @auth/core; the callback is /auth/callback/gatehouse. @auth/express and next-auth 5 take the same.
import { Auth, skipCSRFCheck } from '@auth/core'
import express from 'express'

const { GATEHOUSE: issuer, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, PORT = '8080' } = process.env
const origin = `http://localhost:${PORT}`
const app = express()

const config = {
  providers: [{ id: 'gatehouse', name: 'Gatehouse', type: 'oidc', issuer, clientId, clientSecret }],
  ...{ basePath: '/auth', secret: process.env.SESSION_SECRET, trustHost: true, skipCSRFCheck },
  callbacks: {
    // Otherwise `sub` is an id of the library's own.
    jwt: ({ token, account }) =>
      account ? { ...token, sub: account.providerAccountId, id_token: account.id_token } : token,
    session: ({ session, token }) => ({ ...session, sub: token.sub, id_token: token.id_token }),
  },
}

async function answer(request, response, path, init) {
  const cookie = request.headers.cookie ?? ''
  const answered = await Auth(new Request(origin + path, { headers: { cookie }, ...init }), config)
  response.setHeader('set-cookie', answered.headers.getSetCookie())
  return answered
}

const sessionOf = async (request, response) => (await answer(request, response, '/auth/session')).json()

app.get('/auth/*rest', async (request, response) => {
  const answered = await answer(request, response, request.url)
  response.redirect(answered.headers.get('location'))
})

app.get('/login', async (request, response) => {
  const body = new URLSearchParams({ callbackUrl: `${origin}/` })
  const answered = await answer(request, response, '/auth/signin/gatehouse', { method: 'POST', body })
  response.redirect(answered.headers.get('location'))
})

app.get('/', async (request, response) => {
  const session = await sessionOf(request, response)
  response.status(session ? 200 : 401).json(session && { sub: session.sub, email: session.user.email })
})

app.get('/logout', async (request, response) => {
  const { id_token } = await sessionOf(request, response)
  await answer(request, response, '/auth/signout', { method: 'POST', body: new URLSearchParams() })
  const query = new URLSearchParams({ id_token_hint: id_token, post_logout_redirect_uri: `${origin}/` })
  response.redirect(`${issuer}/oauth/end-session?${query}`)
})

app.listen(Number(PORT), () => console.log(`listening on ${origin}`))
