// npm install oidc-client-ts; a page of its own, for an application of kind `browser` whose callback is the page itself
import { UserManager } from 'oidc-client-ts'

const { issuer, clientId } = document.body.dataset
const origin = location.origin

const manager = new UserManager({
  authority: issuer,
  client_id: clientId,
  redirect_uri: `${origin}/`,
  post_logout_redirect_uri: `${origin}/`,
  scope: 'openid profile email offline_access',
})
if (location.search.includes('code=')) await manager.signinCallback()
else if (location.search.includes('state=')) await manager.signoutCallback()
history.replaceState(null, '', '/')

show(await manager.getUser())
on('sign-in', () => manager.signinRedirect())
on('refresh', async () => show(await manager.signinSilent()))
on('sign-out', () => manager.signoutRedirect())

function show(user) {
  document.querySelector('output').textContent = JSON.stringify(
    user && { ...user.profile, access_token: user.access_token },
  )
}

function on(id, act) {
  document.getElementById(id).addEventListener('click', act)
}
