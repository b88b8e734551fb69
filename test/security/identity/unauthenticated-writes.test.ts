import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { addUse, LIMITS } from '../../../src/features/ground/limits/limits.ts'
import { assertRefused } from '../../service/answers.ts'
import type { SecurityKey } from '../../service/devices/security-key.ts'
import { from } from '../../service/new-browser.ts'
import { type Answer, Person } from '../../service/people.ts'
import type { Options, Service } from '../../service/service.ts'
import { RESET, SEND, VERIFY } from '../support/codes.ts'
import { declared } from '../support/every-route.ts'
import { it as inHouse } from '../support/house.ts'

const ADDRESS = '203.0.113.7'
const HERE = from(ADDRESS)
const LINK = `ghl_${'x'.repeat(43)}`
const PASSWORD = 'a quieter walk in the snow'

interface World {
  readonly service: Service
  readonly administrator: Person
  /** The first step was right, and the second is still to come. */
  readonly waiting: Person
  /** Has no account yet. */
  readonly carl: Person
  readonly key: SecurityKey
}

type Answered = Promise<Answer<{ readonly code?: string }>>

const post =
  (path: string, body: object = {}) =>
  async ({ carl }: World) =>
  () =>
    carl.post(path, { email: carl.email, ...body }, HERE)

const code =
  (path: string, body: object) =>
  async ({ waiting }: World) =>
  () =>
    waiting.post(path, body, HERE)

/** Responds to the options that it got before. */
const passkey = (begin: (world: World) => Promise<object>, path: string) => async (world: World) => {
  const body = await begin(world)
  return () => world.carl.post(path, body, HERE)
}

async function signUpOptions({ carl, key }: World) {
  const options = await carl.post('/api/auth/passkey/generate-sign-up-options', { email: carl.email })
  return { response: key.make(options.body) }
}

async function signInOptions({ carl, key }: World) {
  const options = await carl.get('/api/auth/passkey/generate-authenticate-options')
  return { response: key.show(options.body) }
}

async function invitationOptions({ service, administrator, carl, key }: World) {
  const { email } = carl
  await administrator.post('/api/admin/invite_user', { email })
  const link = await service.mail.linkFor(email)
  const options = await carl.post('/api/auth/passkey/generate-invitation-options', { email, link })
  return { email, link, response: key.make(options.body) }
}

/** Cases that are prepared while the network has uses left, and tried when it has none. */
const LIMITED: Readonly<Record<string, (world: World) => Promise<() => Answered>>> = {
  '/api/auth/sign-up/email': post('/api/auth/sign-up/email', { password: PASSWORD, name: 'Carl' }),
  '/api/auth/sign-in/email': post('/api/auth/sign-in/email', { password: PASSWORD }),
  '/api/auth/email-otp/send-verification-otp': post(SEND, { type: 'email-verification' }),
  '/api/auth/email-otp/verify-email': post(VERIFY, { otp: '123456' }),
  '/api/auth/email-otp/request-password-reset': post('/api/auth/email-otp/request-password-reset'),
  '/api/auth/email-otp/reset-password': post(RESET, { otp: LINK, password: PASSWORD }),
  '/api/auth/show-invitation': post('/api/auth/show-invitation', { link: LINK }),
  '/api/auth/accept-invitation': post('/api/auth/accept-invitation', { link: LINK, password: PASSWORD }),
  '/api/auth/two-factor/verify-totp': code('/api/auth/two-factor/verify-totp', { code: '123456' }),
  '/api/auth/two-factor/verify-backup-code': code('/api/auth/two-factor/verify-backup-code', {
    code: 'abcde-fghij',
  }),
  '/api/auth/passkey/generate-sign-up-options': post('/api/auth/passkey/generate-sign-up-options'),
  '/api/auth/passkey/verify-sign-up': passkey(signUpOptions, '/api/auth/passkey/verify-sign-up'),
  '/api/auth/passkey/verify-authentication': passkey(signInOptions, '/api/auth/passkey/verify-authentication'),
  '/api/auth/passkey/generate-invitation-options': post('/api/auth/passkey/generate-invitation-options', {
    link: LINK,
  }),
  '/api/auth/passkey/accept-invitation': passkey(invitationOptions, '/api/auth/passkey/accept-invitation'),
  '/api/auth/sign-in/social': post('/api/auth/sign-in/social', { provider: 'community' }),
  '/api/auth/sign-in/oauth2': post('/api/auth/sign-in/oauth2', { providerId: 'community' }),
}

const WITHOUT_A_LIMIT: Readonly<Record<string, string>> = {
  '/api/auth/sign-out': 'ends the session of its caller, and does nothing without one',
  '/api/auth/admin/stop-impersonating': 'ends what the administrator began, and does nothing without that session',
  '/api/auth/multi-session/set-active': 'is refused without the sealed cookie of the browser',
  '/api/auth/multi-session/revoke': 'is refused without the sealed cookie of the browser',
  '/api/auth/secure-account': 'does nothing without the sealed token of a letter, and its letters have a limit',
}

const it = inHouse.extend<{ readonly more: Options; readonly carl: Person }>({
  more: { env: { TRUSTED_PROXIES: '127.0.0.0/8' } },
  carl: async ({ service }, use) => use(new Person(service, 'carl@example.com', PASSWORD)),
})

async function useUp({ platform }: Service): Promise<void> {
  for (const limit of Object.keys(LIMITS) as (keyof typeof LIMITS)[]) {
    const { most } = LIMITS[limit]
    if (most < Number.MAX_SAFE_INTEGER) for (let use = 0; use < most; use++) await addUse(platform, limit, ADDRESS)
  }
}

describe('checklist 79: a write of a caller who is not signed in', () => {
  it('has a limit, or needs none for a reason that is written down', () => {
    const writes = declared.filter(
      ({ access, method, path }) => access === 'public' && method === 'POST' && path.startsWith('/api/auth/'),
    )

    assert.deepEqual(
      writes.map(({ path }) => path).toSorted(),
      [...Object.keys(LIMITED), ...Object.keys(WITHOUT_A_LIMIT)].toSorted(),
    )
  })

  it.for(Object.entries(LIMITED))(
    'is refused once its network has used up the limit: %s',
    async ([, prepare], { service, administrator, waiting, carl, key }) => {
      const attempt = await prepare({ service, administrator, waiting, carl, key })
      await useUp(service)

      assertRefused(await attempt(), 'RATE_LIMITED')
    },
  )
})
