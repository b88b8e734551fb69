// npm install express express-session passport passport-oauth2; the callback is /callback
import express from 'express'
import session from 'express-session'
import passport from 'passport'
import OAuth2Strategy from 'passport-oauth2'

const { GATEHOUSE: issuer, CLIENT_ID: clientID, CLIENT_SECRET: clientSecret, PORT = '8080' } = process.env
const origin = `http://localhost:${PORT}`
const app = express()
app.use(session({ secret: process.env.SESSION_SECRET, resave: false, saveUninitialized: false }))
app.use(passport.session())
passport.serializeUser((user, done) => done(null, user))
passport.deserializeUser((user, done) => done(null, user))

const urls = { authorizationURL: `${issuer}/oauth/authorize`, tokenURL: `${issuer}/api/oauth/token` }
const scope = ['openid', 'profile', 'email']
const options = {
  ...urls,
  ...{ clientID, clientSecret, callbackURL: `${origin}/callback`, scope },
  ...{ state: true, pkce: true },
}
const strategy = new OAuth2Strategy(options, (_access, _refresh, { id_token }, profile, done) =>
  done(null, { ...profile, id_token }),
)
strategy.userProfile = (token, done) =>
  fetch(`${issuer}/api/oauth/userinfo`, { headers: { authorization: `Bearer ${token}` } })
    .then((response) => response.json())
    .then((profile) => done(null, profile), done)
passport.use('gatehouse', strategy)

app.get('/login', passport.authenticate('gatehouse'))
app.get('/callback', passport.authenticate('gatehouse', { successRedirect: '/' }))
app.get('/', ({ user }, response) => response.status(user ? 200 : 401).json(user))

app.get('/logout', (request, response) => {
  const query = { id_token_hint: request.user.id_token, post_logout_redirect_uri: `${origin}/` }
  request.logout(() => response.redirect(`${issuer}/oauth/end-session?${new URLSearchParams(query)}`))
})

app.listen(Number(PORT), () => console.log(`listening on ${origin}`))
