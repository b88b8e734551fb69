// npm install @openid/appauth; a page of its own, for an application of kind `browser` whose callback is the page itself
import * as appauth from '@openid/appauth'

const { issuer, clientId } = document.body.dataset
const redirect_uri = `${location.origin}/`
const client = { client_id: clientId, redirect_uri }

const requestor = new appauth.FetchRequestor()
const server = await appauth.AuthorizationServiceConfiguration.fetchFromIssuer(issuer, requestor)
const tokens = new appauth.BaseTokenRequestHandler(requestor)
const utils = new appauth.BasicQueryStringUtils()
// AppAuth looks for the response behind a `#`; Gatehouse sends it as a query.
utils.parse = ({ search }) => utils.parseQueryString(search.slice(1))
const browser = new appauth.RedirectRequestHandler(undefined, utils)
const notifier = new appauth.AuthorizationNotifier()
browser.setAuthorizationNotifier(notifier)

notifier.setAuthorizationListener(async ({ internal }, response) => {
  if (response) await redeem({ grant_type: 'authorization_code', code: response.code, extras: internal })
})
await browser.completeAuthorizationRequestIfPossible()
history.replaceState(null, '', '/')

let current
async function redeem(fields) {
  const next = await tokens.performTokenRequest(server, new appauth.TokenRequest({ ...client, ...fields }))
  current = { ...current, ...JSON.parse(JSON.stringify(next.toJson())) }
  const user = await fetch(server.userInfoEndpoint, {
    headers: { authorization: `Bearer ${next.accessToken}` },
  })
  show({ ...(await user.json()), access_token: next.accessToken })
}

function show(user) {
  document.querySelector('output').textContent = JSON.stringify(user)
}

function on(id, act) {
  document.getElementById(id).addEventListener('click', act)
}

on('sign-in', () => {
  const asked = { ...client, scope: 'openid profile email offline_access', response_type: 'code' }
  browser.performAuthorizationRequest(server, new appauth.AuthorizationRequest(asked))
})
on('refresh', () => redeem({ grant_type: 'refresh_token', refresh_token: current.refresh_token }))
on('sign-out', () => {
  const query = { id_token_hint: current.id_token, post_logout_redirect_uri: redirect_uri }
  location.assign(`${server.endSessionEndpoint}?${new URLSearchParams(query)}`)
})
