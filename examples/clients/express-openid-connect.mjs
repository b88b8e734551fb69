// npm install express express-openid-connect; the callback is /callback
import express from 'express'
import oidc from 'express-openid-connect'

const { GATEHOUSE: issuer, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, PORT = '8080' } = process.env
const origin = `http://localhost:${PORT}`
const secret = process.env.SESSION_SECRET
const app = express()

// Makes the routes /login, /logout and /callback.
app.use(
  oidc.auth({
    ...{ issuerBaseURL: issuer, baseURL: origin, clientID: clientId, clientSecret, secret },
    authorizationParams: { response_type: 'code', scope: 'openid profile email offline_access' },
    ...{ authRequired: false, idpLogout: true },
  }),
)

app.get('/', ({ oidc: { user } }, response) => {
  response.status(user ? 200 : 401).json(user)
})

app.get('/refresh', async (request, response) => {
  const { access_token } = await request.oidc.accessToken.refresh()
  response.json({ access_token })
})

app.listen(Number(PORT), () => console.log(`listening on ${origin}`))
