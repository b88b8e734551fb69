// npm install express express-session passport passport-openidconnect; the callback is /callback
import express from 'express'
import session from 'express-session'
import passport from 'passport'
import OpenIDConnectStrategy from 'passport-openidconnect'

const { GATEHOUSE: issuer, CLIENT_ID: clientID, CLIENT_SECRET: clientSecret, PORT = '8080' } = process.env
const origin = `http://localhost:${PORT}`
const app = express()
app.use(session({ secret: process.env.SESSION_SECRET, resave: false, saveUninitialized: false }))
app.use(passport.session())
passport.serializeUser((user, done) => done(null, user))
passport.deserializeUser((user, done) => done(null, user))

const options = {
  ...{ issuer, authorizationURL: `${issuer}/oauth/authorize`, tokenURL: `${issuer}/api/oauth/token` },
  ...{ userInfoURL: `${issuer}/api/oauth/userinfo`, clientID, clientSecret },
  ...{ callbackURL: `${origin}/callback`, scope: ['profile', 'email'] },
}
const signedIn = (_issuer, { id, emails }, _context, idToken, done) =>
  done(null, { sub: id, email: emails?.[0]?.value, idToken })
passport.use('gatehouse', new OpenIDConnectStrategy(options, signedIn))

app.get('/login', passport.authenticate('gatehouse'))
app.get('/callback', passport.authenticate('gatehouse', { successRedirect: '/' }))
app.get('/', ({ user }, response) => response.status(user ? 200 : 401).json(user))

app.get('/logout', (request, response) => {
  const query = { id_token_hint: request.user.idToken, post_logout_redirect_uri: `${origin}/` }
  request.logout(() => response.redirect(`${issuer}/oauth/end-session?${new URLSearchParams(query)}`))
})

app.listen(Number(PORT), () => console.log(`listening on ${origin}`))
