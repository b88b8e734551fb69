import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { routes } from '../../src/app.ts'
import type { Route } from '../../src/http/route.ts'
import { enableProvider, linkVia, signInVia } from '../providers/journey.ts'
import { startOpenIdProvider } from '../providers/openid-provider.ts'
import { startPlainProvider } from '../providers/plain-provider.ts'
import { describe, it } from '../running/node-test.ts'
import { queryFor, register } from '../service/applications.ts'
import { changeSettings } from '../service/change-settings.ts'
import { addApp } from '../service/devices/factors.ts'
import { acceptWithPasskey, addPasskey, SecurityKey } from '../service/devices/security-key.ts'
import { foreignHashes } from '../service/foreign-hashes.ts'
import {
  authorizationQuery,
  decideDevice,
  newVerifier,
  poll,
  redeem,
  startDevice,
} from '../service/grants.ts'
import { Person, people, stranger } from '../service/people.ts'
import { type Service, startService } from '../service/service.ts'

const declared: readonly Route[] = routes
const src = `${import.meta.dirname}/../../src`

/** Ann has every account there is, and a second factor. */
async function world() {
  const stack = new AsyncDisposableStack()
  const forum = stack.use(await startPlainProvider('community', { '/api/user': { id: 7, username: 'ann' } }))
  const openId = await startOpenIdProvider()
  stack.defer(() => openId.stop())
  const plain = stack.use(await startPlainProvider('github', GITHUB))
  const service = stack.use(
    await startService({
      env: {
        COMMUNITY_AUTH_URL: forum.url,
        PROVIDER_A: openId.preset,
        PROVIDER_B: `github:${plain.url}`,
      },
    }),
  )
  openId.now = service.clock.now
  for (const slot of ['provider_a', 'provider_b', 'community'] as const) await enableProvider(service, slot)
  await changeSettings(service, 'email', { provider: 'smtp' })
  const { ann, ben, administrator } = await people(service)
  await verifyAddress(service, ann)
  for (const slot of ['provider_a', 'provider_b', 'community'] as const) await linkVia(ann, slot)
  await addApp(service, ann)
  return { service, ann, ben, administrator, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** Otherwise a reset would remove what was added before the address was proven. */
async function verifyAddress(service: Service, person: Person): Promise<void> {
  const { email } = person
  const type = 'email-verification'
  await person.post('/api/auth/email-otp/send-verification-otp', { email, type })
  await person.post('/api/auth/email-otp/verify-email', { email, otp: await service.mail.codeFor(email) })
}

const GITHUB = { '/api/v3/user': { id: 7, login: 'ann' }, '/api/v3/user/emails': [] }

type World = Awaited<ReturnType<typeof world>>

/** What someone can do with one of Ann's credentials but without her second factor. None of it may succeed. */
const FIRST_STEPS: Readonly<Record<string, (world: World, thief: Person) => Promise<unknown>>> = {
  '/api/auth/sign-up/email': (_, thief) => thief.signUp(),
  '/api/auth/sign-in/email': (_, thief) => thief.signIn(),
  '/api/auth/callback/provider_a': (_, thief) => signInVia(thief, 'provider_a'),
  '/api/auth/callback/provider_b': (_, thief) => signInVia(thief, 'provider_b'),
  '/api/auth/oauth2/callback/community': (_, thief) => signInVia(thief, 'community'),
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

const MADE_UP = { id: 'AAAA', rawId: 'AAAA', type: 'public-key' }
const MADE_UP_ASSERTION = {
  ...MADE_UP,
  response: { clientDataJSON: 'e30', authenticatorData: 'AAAA', signature: 'AAAA' },
}
const MADE_UP_ATTESTATION = { ...MADE_UP, response: { clientDataJSON: 'e30', attestationObject: 'oA' } }

/** Ways that open no session by themselves, and must not become one. */
const OTHER_WAYS: Readonly<Record<string, (world: World, thief: Person) => Promise<unknown>>> = {
  'the code of a reset, and the new password': async ({ service, ann }, thief) => {
    await thief.post('/api/auth/email-otp/request-password-reset', { email: ann.email })
    const otp = await service.mail.codeFor(ann.email)
    const reset = { email: ann.email, otp, password: NEW_PASSWORD }
    assert.equal((await thief.post('/api/auth/email-otp/reset-password', reset)).status, 200)
    return thief.post('/api/auth/sign-in/email', { email: ann.email, password: NEW_PASSWORD })
  },
  'the link of a reset, and the new password': async ({ service, ann }, thief) => {
    await thief.post('/api/auth/email-otp/request-password-reset', { email: ann.email })
    const otp = await service.mail.linkFor(ann.email)
    await thief.post('/api/auth/email-otp/reset-password', { email: ann.email, otp, password: NEW_PASSWORD })
    return thief.post('/api/auth/sign-in/email', { email: ann.email, password: NEW_PASSWORD })
  },
  'an invitation to the same address': async ({ service, ann, administrator }, thief) => {
    const { status } = await administrator.post('/api/admin/invite_user', { email: ann.email })
    assert.equal(status, 422)
    await thief.post('/api/auth/email-otp/request-password-reset', { email: ann.email })
    const link = await service.mail.linkFor(ann.email)
    const { email } = ann
    await thief.post('/api/auth/accept-invitation', { email, link, password: NEW_PASSWORD })
    await acceptWithPasskey(thief, link, new SecurityKey(service.config.baseUrl))
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

const NEW_PASSWORD = 'a quieter walk in the snow'

describe('a route that can open a session', () => {
  it('is declared as such, and is tested below', () => {
    const paths = declared.filter(({ session }) => session === 'can be opened').map(({ path }) => path)

    assert.deepEqual(paths.toSorted(), Object.keys(FIRST_STEPS).toSorted())
  })

  it('creates it only through the one decision about factors, for a new user, or as a renewal', () => {
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
      (file) => /(?<!test)\.ts$/.test(file) && /\bnewSession\b/.test(readFileSync(`${src}/${file}`, 'utf8')),
    )

    assert.deepEqual(files.toSorted(), [
      'features/identity/account/account.ts',
      'features/sessions/opening.ts',
      'features/sessions/second-step/second-step.ts',
      'features/sessions/sessions.ts',
    ])
  })
})

describe('a second factor', () => {
  for (const [way, attempt] of Object.entries({ ...FIRST_STEPS, ...OTHER_WAYS })) {
    it(`checklist 85: is not bypassed by ${way}`, async () => {
      await using w = await world()
      const thief = new Person(w.service, w.ann.email, w.ann.password)

      await attempt(w, thief)

      const tokens = [...thief.cookies.values()].filter((value) => value.startsWith('ghs_'))
      assert.deepEqual(tokens, [])
      assert.equal((await thief.get('/api/auth/get-session')).body, null)
      const grants = await w.service.platform.meta.selectFrom('api_grant').selectAll().execute()
      assert.deepEqual(grants, [])
    })
  }

  it('is asked for with a message, and with a cookie for ten minutes', async () => {
    await using w = await world()
    const browser = new Person(w.service, w.ann.email, w.ann.password)

    const { status, body, headers } = await browser.signIn()
    const landed = await signInVia(browser, 'community', { callbackURL: '/settings' })

    assert.deepEqual([status, body], [200, { twoFactorRedirect: true, twoFactorMethods: ['totp'] }])
    const cookie = headers.getSetCookie().find((line) => line.startsWith('two_factor='))
    assert.match(cookie ?? '', /^two_factor=gh2_[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/)
    assert.equal(landed, '/sign-in/second-step?method=totp')
  })

  it('leads from a provider to the passkey if the user has no app', async () => {
    await using w = await world()
    await w.ann.post('/api/auth/two-factor/disable', { password: w.ann.password })
    await addPasskey(w.ann, new SecurityKey(w.service.config.baseUrl))

    const landed = await signInVia(stranger(w.service), 'community')

    assert.equal(landed, '/sign-in/second-step?method=passkey')
  })

  it('leads from a provider to the choice if the user has both', async () => {
    await using w = await world()
    await addPasskey(w.ann, new SecurityKey(w.service.config.baseUrl))

    const landed = await signInVia(stranger(w.service), 'community')

    assert.equal(landed, '/sign-in/second-step')
  })

  it('concerns nobody else', async () => {
    await using w = await world()

    assert.equal((await w.ben.signIn()).status, 200)
    assert.equal((await w.ben.get('/api/auth/get-session')).body.user.twoFactorEnabled, false)
  })
})
