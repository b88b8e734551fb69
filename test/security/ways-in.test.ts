import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { enableProvider, linkVia, signInVia } from '../providers/journey.ts'
import { startOpenIdProvider } from '../providers/openid-provider.ts'
import { startPlainProvider } from '../providers/plain-provider.ts'
import { queryFor, register } from '../service/applications.ts'
import { addApp } from '../service/devices/factors.ts'
import { acceptWithPasskey, addPasskey } from '../service/devices/security-key.ts'
import { foreignHashes } from '../service/foreign-hashes.ts'
import { authorizationQuery, decideDevice, newVerifier, poll, redeem, startDevice } from '../service/grants.ts'
import { proveAddress } from '../service/mailed.ts'
import { type Person, stranger } from '../service/people.ts'
import type { Options } from '../service/service.ts'
import { declared, sourcesWith } from './support/every-route.ts'
import { GET_SESSION, it as inHouse, NEW_PASSWORD, type World } from './support/house.ts'

const GITHUB = { '/api/v3/user': { id: 7, login: 'ann' }, '/api/v3/user/emails': [] }

interface Fixtures {
  readonly more: Options
  readonly providers: {
    readonly openId: Awaited<ReturnType<typeof startOpenIdProvider>>
    readonly github: string
  }
  /** Ann has every account there is, and a second factor. */
  readonly all: undefined
}

const it = inHouse.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  providers: async ({}, use) => {
    const openId = await startOpenIdProvider()
    await using plain = await startPlainProvider('github', GITHUB)
    await use({ openId, github: plain.url })
    await openId.stop()
  },
  more: async ({ providers: { openId, github } }, use) =>
    use({ env: { PROVIDER_A: openId.preset, PROVIDER_B: `github:${github}` } }),
  all: async ({ service, ann, providers }, use) => {
    providers.openId.now = service.clock.now
    for (const slot of ['provider_a', 'provider_b'] as const) await enableProvider(service, slot)
    // A reset would otherwise remove what was added before the address was proven.
    await proveAddress(service, ann, ann)
    for (const slot of ['provider_a', 'provider_b', 'community'] as const) await linkVia(ann, slot)
    await addApp(service, ann)
    await use(undefined)
  },
})

/** Attempts with one of Ann's credentials but without her second factor. None may succeed. */
const FIRST_STEPS: Readonly<Record<string, (world: World, thief: Person) => Promise<unknown>>> = {
  '/api/auth/sign-up/email': (_, thief) => thief.signUp(),
  '/api/auth/sign-in/email': (_, thief) => thief.signIn(),
  '/api/auth/callback/provider_a': (_, thief) => signInVia(thief, 'provider_a'),
  '/api/auth/callback/provider_b': (_, thief) => signInVia(thief, 'provider_b'),
  '/api/auth/oauth2/callback/community': (_, thief) => signInVia(thief, 'community'),
  '/api/auth/accept-invitation': async (w, thief) => {
    const { email, link } = await invitationOfAnn(w)
    return thief.post('/api/auth/accept-invitation', { email, link, password: NEW_PASSWORD })
  },
  '/api/auth/passkey/accept-invitation': async (w, thief) =>
    acceptWithPasskey(thief, (await invitationOfAnn(w)).link, w.newKey()),
  '/api/auth/change-password': (_, thief) =>
    thief.post('/api/auth/change-password', { currentPassword: thief.password, newPassword: NEW_PASSWORD }),
  '/api/auth/two-factor/verify-totp': async (_, thief) => {
    await thief.signIn()
    return thief.post('/api/auth/two-factor/verify-totp', { code: '000000' })
  },
  '/api/auth/two-factor/verify-backup-code': async (_, thief) => {
    await thief.signIn()
    return thief.post('/api/auth/two-factor/verify-backup-code', { code: 'bcdfg-hjkmn' })
  },
  '/api/auth/admin/impersonate-user': ({ ann }, thief) =>
    thief.post('/api/auth/admin/impersonate-user', { userId: ann.id }),
  '/api/auth/admin/stop-impersonating': (_, thief) => {
    thief.cookies.set('session', 'ghi_made_up')
    return thief.post('/api/auth/admin/stop-impersonating')
  },
  '/api/auth/passkey/verify-authentication': async (_, thief) => {
    await thief.signIn()
    await thief.get('/api/auth/passkey/generate-authenticate-options')
    return thief.post('/api/auth/passkey/verify-authentication', { response: MADE_UP_ASSERTION })
  },
  '/api/auth/passkey/verify-sign-up': async ({ ann }, thief) => {
    await thief.post('/api/auth/passkey/generate-sign-up-options', { email: ann.email })
    return thief.post('/api/auth/passkey/verify-sign-up', { response: MADE_UP_ATTESTATION })
  },
}

/** To an organisation: the one link that signs somebody in, who has no account. */
async function invitationOfAnn({ service, administrator, ann: { email } }: World) {
  const { body } = await administrator.post('/api/admin/create_organization', { name: 'Rowers' })
  const sent = { organization_id: body.id, email, roles: ['member'] }
  assert.equal((await administrator.post('/api/admin/invite_member', sent)).status, 200)
  return { email, link: await service.mail.linkFor(email) }
}

const MADE_UP = { id: 'AAAA', rawId: 'AAAA', type: 'public-key' }
const MADE_UP_ASSERTION = {
  ...MADE_UP,
  response: { clientDataJSON: 'e30', authenticatorData: 'AAAA', signature: 'AAAA' },
}
const MADE_UP_ATTESTATION = { ...MADE_UP, response: { clientDataJSON: 'e30', attestationObject: 'oA' } }

async function reset(thief: Person, mailed: () => Promise<string>) {
  const { email } = thief
  await thief.post('/api/auth/email-otp/request-password-reset', { email })
  const sent = { email, otp: await mailed(), password: NEW_PASSWORD }
  assert.equal((await thief.post('/api/auth/email-otp/reset-password', sent)).status, 200)
  return thief.post('/api/auth/sign-in/email', { email, password: NEW_PASSWORD })
}

/** Ways that open no session by themselves, and must not become one. */
const OTHER_WAYS: Readonly<Record<string, (world: World, thief: Person) => Promise<unknown>>> = {
  'the code of a reset, and the new password': ({ service: { mail } }, thief) =>
    reset(thief, () => mail.codeFor(thief.email)),
  'the link of a reset, and the new password': ({ service: { mail } }, thief) =>
    reset(thief, () => mail.linkFor(thief.email)),
  'an invitation to the same address': async ({ service, ann, administrator, newKey }, thief) => {
    const { status } = await administrator.post('/api/admin/invite_user', { email: ann.email })
    assert.equal(status, 422)
    await thief.post('/api/auth/email-otp/request-password-reset', { email: ann.email })
    const link = await service.mail.linkFor(ann.email)
    const { email } = ann
    await thief.post('/api/auth/accept-invitation', { email, link, password: NEW_PASSWORD })
    await acceptWithPasskey(thief, link, newKey())
    return thief.post('/api/auth/sign-in/email', { email, password: NEW_PASSWORD })
  },
  'a half-finished sign-in and the redirect flow of the client': async (_, thief) => {
    await thief.signIn()
    const verifier = newVerifier()
    const query = authorizationQuery(['account:profile:read'], verifier)
    const { body } = await thief.post('/api/oauth/begin_authorization', query)
    const decision = { request_id: body.request_id ?? UNKNOWN_REQUEST, approve: true }
    const decided = await thief.post('/api/oauth/decide_authorization', decision)
    const redirect = URL.parse(decided.body.redirect_to ?? '')
    return redeem(thief, redirect?.searchParams.get('code') ?? 'none', verifier)
  },
  'a half-finished sign-in and the device flow of the client': async (_, thief) => {
    await thief.signIn()
    const { body } = await startDevice(thief, 'account:profile:read')
    await decideDevice(thief, body.user_code, true)
    return poll(thief, body.device_code)
  },
  'a half-finished sign-in and the flow of an application': async ({ administrator }, thief) => {
    const shop = await register(administrator, { skip_consent: true })
    await thief.signIn()
    const query = queryFor(shop, newVerifier())
    const begun = await thief.post('/api/oauth/begin_authorization', query)
    const quiet = await thief.get(`/oauth/authorize?${new URLSearchParams({ ...query, prompt: 'none' })}`)
    assert.equal(begun.body.redirect_to, undefined)
    assert.match(quiet.headers.get('location') ?? '', /error=login_required/)
  },
  ...Object.fromEntries(
    Object.entries(foreignHashes('a long walk in the rain')).map(([kind, password_hash]) => [
      `a password that was imported as ${kind}`,
      async ({ service, ann }: World, thief: Person) => {
        const { meta } = service.platform
        await meta.updateTable('account').set({ password_hash }).where('user_id', '=', ann.id).execute()
        const { body } = await thief.signIn()
        assert.deepEqual(body, { twoFactorRedirect: true, twoFactorMethods: ['totp'] })
      },
    ]),
  ),
}

const UNKNOWN_REQUEST = '01980000-0000-7000-8000-000000000000'

describe('a route that can open a session', () => {
  it('is declared as such, and is tested below', () => {
    const paths = declared.filter(({ session }) => session === 'can be opened').map(({ path }) => path)

    assert.deepEqual(paths.toSorted(), Object.keys(FIRST_STEPS).toSorted())
  })

  it('creates it only through the one decision about factors, for a new user, or as a renewal', () => {
    assert.deepEqual(sourcesWith(/\b(new|first)Session\b/), [
      'features/people/account/joining.ts',
      'features/people/account/password.ts',
      'features/people/account/sign-up.ts',
      'features/people/second-factor/second-step.ts',
      'features/people/sessions/opening.ts',
      'features/people/sessions/sessions.ts',
    ])
  })
})

describe('a second factor', () => {
  it.for(Object.entries({ ...FIRST_STEPS, ...OTHER_WAYS }))(
    'checklist 85: is not bypassed by %s',
    async ([, attempt], { world, service, all: _, browser }) => {
      const thief = browser()

      await attempt(world, thief)

      const tokens = [...thief.cookies.values()].filter((value) => value.startsWith('ghs_'))
      assert.deepEqual(tokens, [])
      assert.equal((await thief.get(GET_SESSION)).body, null)
      assert.deepEqual(await service.platform.meta.selectFrom('api_grant').selectAll().execute(), [])
    },
  )

  it('is asked for, with a cookie for ten minutes, of nobody else', async ({ ben, all: _, browser }) => {
    const laptop = browser()

    const { status, body, headers } = await laptop.signIn()
    const landed = await signInVia(laptop, 'community', { callbackURL: '/settings' })
    const ofBen = await ben.signIn()

    assert.deepEqual([status, body], [200, { twoFactorRedirect: true, twoFactorMethods: ['totp'] }])
    const cookie = headers.getSetCookie().find((line) => line.startsWith('two_factor='))
    assert.match(cookie ?? '', /^two_factor=gh2_[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/)
    assert.equal(landed, '/sign-in/second-step?method=totp')
    assert.equal(ofBen.status, 200)
    assert.equal((await ben.get(GET_SESSION)).body.user.twoFactorEnabled, false)
  })

  it('leads from a provider to the choice, or to the only one', async ({ service, ann, all: _, key }) => {
    await addPasskey(ann, key)

    const both = await signInVia(stranger(service), 'community')
    await ann.post('/api/auth/two-factor/disable', { password: ann.password })
    const one = await signInVia(stranger(service), 'community')

    assert.deepEqual([both, one], ['/sign-in/second-step', '/sign-in/second-step?method=passkey'])
  })
})
