import assert from 'node:assert/strict'
import { begin, beginLink, consent, land, linkVia, signInVia } from '../providers/journey.ts'
import { actAs, stopActing } from '../service/acting.ts'
import { CALLBACK, exchangedBy, queryFor, register, tokenRequest, tokensFor } from '../service/applications.ts'
import { AuthenticatorApp, verifyBackupCode, verifyTotp } from '../service/devices/factors.ts'
import {
  acceptWithPasskey,
  addPasskey,
  SecurityKey,
  showPasskey,
  signUpWithPasskey,
} from '../service/devices/security-key.ts'
import {
  authorizationQuery,
  decideDevice,
  grantFor,
  newVerifier,
  poll,
  postForm,
  revoke,
  startDevice,
} from '../service/grants.ts'
import { from } from '../service/new-browser.ts'
import { type Answer, Person } from '../service/people.ts'
import type { World } from './world.ts'

const PRODUCT_SCOPE = 'product:secrets:read'

/** Does all that people and programs do by themselves: everything but what an administrator's program does. */
export async function walkByEverybody(world: World): Promise<void> {
  await settle(world)
  const ann = await signUpAndProve(world)
  await recover(world, ann)
  await invite(world)
  await secondFactor(world)
  await passkeys(world)
  await providers(world, ann)
  await connect(world, ann)
  await inAnOrganization(world, ann)
  await signInToProducts(world, ann)
  await readInTheOpen(world, ann)
  await administer(world)
}

function person({ recorder }: World, name: string): Person {
  return new Person(recorder, `${name}@secrets.example`, `the "long" wälk of ${name}`)
}

function done<Body>(answer: Answer<Body>, what: string): Body {
  assert.ok(answer.status < 400, `${what}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

const replaced = (value: string) => ({ action: 'replace', value })

/** Switches on everything that a walk goes through. */
async function settle({ administrator }: World): Promise<void> {
  const secret = replaced('the-secret')
  const provider = (slot: string) => ({
    [`${slot}_enabled`]: true,
    [`${slot}_client_id`]: 'the-client',
    [`${slot}_client_secret`]: secret,
  })
  await administrator.saveSettings('email', { provider: 'smtp' })
  await administrator.saveSettings('authentication', {
    email_user_action_cooldown_seconds: 0,
    passkey_sign_up_enabled: true,
    email_changes: 'verified',
    ...provider('provider_a'),
    ...provider('provider_b'),
    ...provider('community'),
  })
  await administrator.saveSettings('assistants', { registration: true })
}

async function signUpAndProve(world: World): Promise<Person> {
  const ann = person(world, 'ann')
  const { email } = ann
  done(await ann.signUp(), 'sign-up')
  done(
    await ann.post('/api/auth/email-otp/send-verification-otp', { email, type: 'email-verification' }),
    'a code is sent',
  )
  done(
    await ann.post('/api/auth/email-otp/verify-email', { email, otp: await world.codeFor(email) }),
    'the code is right',
  )
  const mistyped = await new Person(world.recorder, email, 'a mistyped password').signIn()
  assert.equal(mistyped.status, 401)
  for (const scopes of [['admin:users:read'], []])
    done(await world.administrator.post('/api/admin/update_staff', { user_id: ann.id, scopes }), 'a colleague')
  done(await world.administrator.post('/api/admin/list_staff'), 'the staff')
  const { administrator } = world
  await administrator.saveSettings('authentication', { impersonation: 'read_and_write' })
  done(await actAs(administrator, ann, { reason: 'Ticket 7', write: true }), 'the administrator acts as Ann')
  done(await ann.post('/api/list_impersonations'), 'Ann sees it')
  done(await stopActing(administrator), 'the administrator stops')
  return ann
}

async function recover(world: World, ann: Person): Promise<void> {
  const { email, password: newPassword } = ann
  done(await ann.post('/api/auth/email-otp/request-password-reset', { email }), 'a reset is sent')
  const otp = await world.codeFor(email)
  const password = 'another "long" wälk'
  done(await ann.post('/api/auth/email-otp/reset-password', { email, otp, password }), 'a reset')
  for (const address of ['192.0.2.1', '198.51.100.9'])
    done(await new Person(world.recorder, email, password).signIn(from(address)), 'sign-in from elsewhere')
  const token = await world.ownersTokenFor(email)
  done(await ann.post('/api/auth/secure-account', { token }), 'the account is secured')
  const code = await world.codeFor(email)
  done(await ann.post('/api/auth/email-otp/reset-password', { email, otp: code, password }), 'another reset')
  const again = new Person(world.recorder, email, password)
  done(await again.signIn(), 'sign-in')
  done(
    await again.post('/api/auth/change-password', { currentPassword: password, newPassword }),
    'a change of password',
  )
  done(await ann.signIn(), 'sign-in')
  done(await ann.post('/api/auth/confirm', { password: newPassword }), 'a confirmation')
  const other = new Person(world.recorder, email, newPassword)
  await other.signIn()
  const { body: sessions } = await ann.get('/api/auth/list-sessions')
  done(await ann.post('/api/auth/revoke-session', { token: sessions[0].token }), 'an end of a session')
  await other.signIn()
  done(await other.post('/api/auth/revoke-other-sessions'), 'the end of others')
  done(await other.post('/api/auth/revoke-sessions'), 'the end of all')
  await other.signIn()
  const { body: here } = await other.get('/api/auth/multi-session/list-device-sessions')
  const held = { sessionToken: here[0].session.token }
  done(await other.post('/api/auth/multi-session/set-active', held), 'a switch of the account')
  done(await other.post('/api/auth/multi-session/revoke', held), 'the end of one account here')
  done(await other.post('/api/auth/sign-out'), 'sign-out')
  await ann.signIn()
  const leaving = person(world, 'leaving')
  await leaving.signUp()
  const newEmail = 'left@secrets.example'
  done(await leaving.post('/api/auth/change-email', { newEmail }), 'another address is asked for')
  const proof = { email: newEmail, otp: await world.codeFor(newEmail) }
  done(await leaving.post('/api/auth/email-otp/verify-email', proof), 'another address')
  done(await leaving.post('/api/export_account'), 'an export')
  done(await leaving.post('/api/auth/delete-user', { password: leaving.password }), 'a deletion')
}

async function invite(world: World): Promise<void> {
  const { administrator, origin } = world
  const [typed, keyed] = [person(world, 'invited'), person(world, 'invited-with-key')]
  for (const { email } of [typed, keyed])
    done(await administrator.post('/api/admin/invite_user', { email, name: email }), 'an invitation')
  const { email, password } = typed
  const link = await world.linkFor(email)
  done(await typed.post('/api/auth/accept-invitation', { email, link, password }), 'accepting it')
  done(
    await acceptWithPasskey(keyed, await world.linkFor(keyed.email), new SecurityKey(origin)),
    'accepting it with a passkey',
  )
}

const TWO_FACTOR = '/api/auth/two-factor'

async function secondFactor(world: World): Promise<void> {
  const carl = person(world, 'carl')
  const { password } = carl
  await carl.signUp()
  const enabled = done(await carl.post(`${TWO_FACTOR}/enable`, { password }), 'an app')
  const app = new AuthenticatorApp({ clock: world }, enabled)
  done(await verifyTotp(carl, app.code()), 'its first code')
  done(await carl.post(`${TWO_FACTOR}/get-totp-uri`, { password }), 'its key again')
  const { backupCodes } = done(
    await carl.post<{ backupCodes: string[] }>(`${TWO_FACTOR}/generate-backup-codes`, { password }),
    'backup codes',
  )
  await carl.signIn()
  done(await verifyBackupCode(carl, backupCodes[0] ?? ''), 'a backup code')
  const trusting = new Person(world.recorder, carl.email, password)
  await trusting.signIn()
  done(await verifyTotp(trusting, app.code(30), true), 'a code on a browser that is trusted')
  const { trustedDevices } = done(await trusting.get('/api/auth/security-overview'), 'the overview')
  done(await trusting.post(`${TWO_FACTOR}/revoke-trusted-device`, { id: trustedDevices[0].id }), 'the end of trust')
  done(await trusting.post(`${TWO_FACTOR}/disable`, { password }), 'no app')
}

async function passkeys(world: World): Promise<void> {
  const { origin } = world
  const [dora, eve] = [person(world, 'dora'), person(world, 'eve')]
  await dora.signUp()
  const key = new SecurityKey(origin)
  done(await addPasskey(dora, key), 'a passkey')
  const listed = done(await dora.get('/api/auth/passkey/list-user-passkeys'), 'its list')
  const { id } = listed[0]
  done(await dora.post('/api/auth/passkey/update-passkey', { id, name: 'Mine' }), 'its name')
  done(await showPasskey(new Person(world.recorder, dora.email, ''), key), 'a sign-in with it')
  done(await dora.post('/api/auth/passkey/delete-passkey', { id }), 'its end')
  done(await signUpWithPasskey(eve, new SecurityKey(origin)), 'a sign-up with a passkey')
}

async function providers(world: World, ann: Person): Promise<void> {
  const visitor = () => new Person(world.recorder, 'visitor@secrets.example', '')
  for (const slot of ['provider_a', 'community'] as const) assert.equal(await signInVia(visitor(), slot), '/')
  const linking = await ann.post('/api/auth/oauth2/link', { providerId: 'community' })
  world.secrets.keep('state of a link', new URL(done(linking, 'a link').url).searchParams.get('state'))
  const page = await beginLink(ann, 'provider_a')
  world.secrets.keep('state of another link', page.searchParams.get('state'))
  await land(ann, await consent(page))
  const left = await begin(visitor(), 'community')
  world.secrets.keep('state of a flow that stays open', left.searchParams.get('state'))
  done(await ann.get('/api/auth/list-accounts'), 'the accounts')
  const fay = person(world, 'fay')
  await fay.signUp()
  await linkVia(fay, 'provider_b')
  done(await fay.post('/api/auth/unlink-account', { providerId: 'provider_b' }), 'the end of a link')
}

async function connect({ recorder }: World, ann: Person): Promise<void> {
  const tool = await grantFor(ann, 'account:profile:read')
  done(await tool.refresh(), 'a refresh')
  const device = done(await startDevice(ann, 'account:profile:read'), 'a device')
  await decideDevice(ann, device.user_code, true)
  const { refresh_token } = done(await poll(ann, device.device_code), 'its tokens')
  done(await revoke(ann, refresh_token), 'their end')
  const waiting = done(await startDevice(ann, 'account:profile:read'), 'a device that waits')
  assert.ok(waiting.device_code)
  const { items } = done(await ann.post('/api/list_grants'), 'the connections')
  const { id } = items.at(-1)
  done(await ann.post('/api/update_grant', { id, daily_limit: 1_000 }), 'a limit')
  done(await ann.post('/api/list_grant_acts', { id }), 'what it did')
  done(await ann.post('/api/revoke_grant', { id }), 'its end')
  const wanted = { name: 'Script', scopes: ['account:profile:read'], expires_in_days: 1 }
  const personal = done(await ann.post('/api/create_personal_token', wanted), 'a personal token')
  done(await ann.post('/api/list_personal_tokens'), 'the tokens')
  const bearer = { authorization: `Bearer ${personal.token}` }
  const stranger = new Person(recorder, 'program@secrets.example', '')
  done(await stranger.get('/api/auth/get-session', bearer), 'who it is')
  done(await ann.post('/api/revoke_personal_token', { id: personal.id }), 'the end of a token')
}

async function inAnOrganization(world: World, ann: Person): Promise<void> {
  const { administrator } = world
  await administrator.saveSettings('organizations', { creation: 'everyone' })
  const post = async (name: string, body: object = {}) =>
    done(await ann.post(`/api/auth/organization/${name}`, body), name)
  const get = async (name: string, query = '') => done(await ann.get(`/api/auth/organization/${name}${query}`), name)
  await post('check-slug', { slug: 'rowers' })
  const { id: organizationId, members } = await post('create', { name: 'Rowers', slug: 'rowers' })
  const [{ id: memberId, userId }] = members
  await post('update', { data: { metadata: { tier: 'gold' } } })
  await post('create-role', { role: 'cox', permission: {} })
  await post('update-role', { roleName: 'cox', data: { permission: { ac: ['read'] } } })
  await post('update-member-role', { memberId, role: 'owner,cox' })
  await post('has-permission', { permissions: { ac: ['read'] } })
  const { id: teamId } = await post('create-team', { name: 'Eight' })
  await post('update-team', { teamId, data: { name: 'Four' } })
  await post('add-team-member', { teamId, userId })
  await post('set-active-team', { teamId })
  for (const name of ['list', 'get-organization', 'get-full-organization', 'list-members', 'get-active-member'])
    await get(name)
  for (const name of ['get-active-member-role', 'list-roles', 'list-teams', 'list-user-teams', 'list-team-members'])
    await get(name)
  await get('get-role', '?roleName=cox')
  await post('remove-team-member', { teamId, userId })
  await post('remove-team', { teamId })
  await post('update-member-role', { memberId, role: 'owner' })
  await post('delete-role', { roleName: 'cox' })
  await post('set-active', { organizationId })
  await joinByLetters(world, organizationId)
  await post('delete', { organizationId })
}

/** Somebody with an account, one without, and one with a passkey; the administrator invites them. */
async function joinByLetters(world: World, organization_id: string): Promise<void> {
  const { administrator, origin } = world
  const [known, typed, keyed] = [person(world, 'member'), person(world, 'joining'), person(world, 'joining-with-key')]
  await known.signUp()
  for (const { email } of [known, typed, keyed])
    done(
      await administrator.post('/api/admin/invite_member', { organization_id, email, roles: ['member'] }),
      'a letter',
    )
  const accepting = { invitationId: await world.linkFor(known.email) }
  done(await known.post('/api/auth/organization/accept-invitation', accepting), 'joining')
  const { email, password } = typed
  const link = await world.linkFor(email)
  done(await typed.post('/api/auth/show-invitation', { email, link }), 'what the link leads to')
  done(await typed.post('/api/auth/accept-invitation', { email, link, password }), 'joining without an account')
  const key = new SecurityKey(origin)
  done(await acceptWithPasskey(keyed, await world.linkFor(keyed.email), key), 'joining with a passkey')
}

async function signInToProducts(world: World, ann: Person): Promise<void> {
  const { administrator } = world
  const resource = 'https://mcp.secrets.example/mcp'
  const declaring = { scope: PRODUCT_SCOPE, description: 'Read what is secret' }
  done(await administrator.post('/api/admin/declare_product_scope', declaring), 'a permission')
  const scopes = ['openid', 'offline_access', 'profile', PRODUCT_SCOPE]
  const shop = await register(administrator, { scopes, post_logout_redirect_uris: ['https://shop.example/'] })
  const server = await register(administrator, { kind: 'service', name: 'Shop server', resource })
  const tokens = await tokensFor(ann, shop, { scope: scopes.join(' ') })
  const { access_token, refresh_token, id_token = '' } = tokens
  const bearer = { authorization: `Bearer ${access_token}` }
  done(await ann.get('/api/oauth/userinfo', bearer), 'who the user is')
  done(await postForm(ann, '/api/oauth/userinfo', { access_token }), 'who the user is, by a form')
  done(await ann.get('/api/verify', bearer), 'a check for a proxy')
  const { client_id, client_secret = '' } = shop
  const itself = { client_id, client_secret }
  done(await postForm(ann, '/api/oauth/introspect', { token: access_token, ...itself }), 'an introspection')
  done(await ann.post('/api/oauth/revocations', { wait_seconds: 0, ...itself }), 'what has ended')
  done(await ann.post('/api/oauth/describe_sign_out', { id_token_hint: id_token }), 'a sign-out')
  done(await ann.post('/api/oauth/describe_client', { client_id, redirect_uri: CALLBACK }), 'a client')
  done(await tokenRequest(ann, shop, { grant_type: 'refresh_token', refresh_token }), 'a refresh')
  const own = { grant_type: 'client_credentials' }
  const worker = await register(administrator, { kind: 'service', scopes: ['admin:users:read'] })
  done(await tokenRequest(ann, worker, own), 'a token of its own')
  const forServer = await tokensFor(ann, shop, { scope: 'openid', resource })
  done(await exchangedBy(ann, server, forServer.access_token), 'an exchange')
  const form = { ...queryFor(shop, newVerifier()), response_mode: 'form_post' }
  const { redirect_to } = done(await ann.post('/api/oauth/begin_authorization', form), 'a form')
  const { pathname, search } = new URL(redirect_to)
  done(await ann.get(pathname + search), 'its page')
  const asked = authorizationQuery(['account:profile:read'])
  const { request_id } = done(await ann.post('/api/oauth/begin_authorization', asked), 'a request')
  done(await ann.post('/api/oauth/get_authorization', { request_id }), 'what it asks')
  const known = { client_name: 'Assistant', redirect_uris: ['http://127.0.0.1/callback'] }
  for (const path of ['/api/oauth/register', '/register']) done(await ann.post(path, known), path)
}

/** Reads what is open to anybody, and what a user can read. */
async function readInTheOpen(world: World, ann: Person): Promise<void> {
  const open = ['/api/health', '/healthz', '/readyz', '/api/client_config', '/api/auth/jwks']
  const known = ['oauth-authorization-server', 'openid-configuration', 'oauth-protected-resource']
  const metadata = [...known, 'oauth-protected-resource/mcp'].map((name) => `/.well-known/${name}`)
  for (const path of [...open, ...metadata, '/api/oauth/jwks', '/api/auth/token']) done(await ann.get(path), path)
  for (const path of ['/api/list_product_scopes', '/api/list_approvals']) done(await ann.post(path), path)
  const live = await world.recorder.request('/api/live', {
    headers: { authorization: `Bearer ${ann.token}` },
  })
  await live.body?.cancel()
  assert.equal(live.status, 200)
  const told = { title: 'News', content: 'One', target_user_id: ann.id, also_email: true, type: 'news' }
  done(await world.administrator.post('/api/admin/create_notification', told), 'a letter')
  const path = await world.unsubscriptionFor(ann.email)
  done(await ann.get(path), 'the page of a letter’s link')
  done(await ann.post(path), 'no more letters')
}

/** Calls the routes for the administrator's own session alone. */
async function administer(world: World): Promise<void> {
  const { administrator } = world
  const gus = person(world, 'gus')
  await gus.signUp()
  const { id } = gus
  done(await administrator.post('/api/admin/mark_verified', { id }), 'a proof')
  done(await administrator.post('/api/admin/remove_factors', { id }), 'no factors')
  const made = await administrator.post('/api/admin/generate_beta_codes', { count: 1 })
  done(await gus.post('/api/bind_beta_code', { beta_code: done(made, 'a code').codes[0] }), 'a bound code')
  const view = { list: 'users', name: 'Some', filters: {} }
  const saved = done(await administrator.post('/api/admin/save_view', view), 'a view')
  done(await administrator.post('/api/admin/list_views'), 'the views')
  done(await administrator.post('/api/admin/delete_view', { id: saved.id }), 'no view')
}
