import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused } from '../../../../test/service/answers.ts'
import { register } from '../../../../test/service/applications.ts'
import { changeSettings } from '../../../../test/service/change-settings.ts'
import { addApp, verifyTotp } from '../../../../test/service/devices/factors.ts'
import {
  addPasskey,
  SecurityKey,
  showPasskey,
  signUpWithPasskey,
} from '../../../../test/service/devices/security-key.ts'
import { it as withService } from '../../../../test/service/it.ts'
import { Person, stranger } from '../../../../test/service/people.ts'
import { type Restart, restarted } from '../../../../test/service/restarted.ts'
import type { Service } from '../../../../test/service/service.ts'
import type { Name } from '../../../config/listing.ts'
import { publicAddress } from '../../../config/public-address.ts'
import { newEndpointSecret } from '../../../platform/endpoints/signature.ts'
import { aesSecretBox } from '../../../platform/secrets/secret-box.ts'
import { configuredIssuer } from '../../people/account/providers/issuers.ts'
import { removeFormerPasskeys } from '../../people/second-factor/passkeys/former.ts'
import { removeFactorsFromHost } from '../../people/second-factor/removing.ts'
import type { Part, Settings } from '../settings/model.ts'
import { defaultSettings } from '../settings/model.ts'
import { switchOffChallenge } from '../settings/saving/from-host.ts'
import { sealSetting } from '../settings/secrets.ts'
import { recordFindings } from './troubles.ts'

const HERE = 'https://id.example.com'
const ELSEWHERE = 'https://login.other.example'
const OTHER_KEY = 'ab'.repeat(32)

const it = withService.extend('options', {
  env: {
    PUBLIC_URL: HERE,
    SMTP_URL: 'smtp://127.0.0.1:9',
    COMMUNITY_AUTH_URL: 'https://forum.example',
    CHALLENGE_SITE_KEY: '1x00000000000000000000AA',
    CHALLENGE_SECRET: '1x0000000000000000000000000000000AA',
    WEBHOOK_NETWORKS: '127.0.0.1/32',
    USER_LIMIT_FACTOR: '1000',
  },
})

type State = { readonly [P in Part]?: Partial<Settings[P]> }

const provider = (service: Service, name: 'provider_a' | 'community') => ({
  [name]: {
    enabled: true,
    client_id: 'id',
    client_secret: sealSetting(service.platform, `${name}_client_secret`, 'secret'),
  },
})
const HOOK = { enabled: true, url: 'http://127.0.0.1:9/hook', timeout_ms: 1_000, on_failure: 'refuse' } as const
const hookSecret = ({ platform }: Service, text = newEndpointSecret()) =>
  sealSetting(platform, 'hooks_before_sign_in_secret', text)
const VERIFIED = { email_verification_required: true }

type StateName =
  | 'as prepared'
  | 'the challenge is on'
  | 'mail by SMTP'
  | 'mail by the API'
  | 'mail by the API without a key'
  | 'mail by a server of the settings'
  | 'mail by a private server'
  | 'mail by the outbox'
  | 'verification by SMTP'
  | 'verification without mail'
  | 'the community is on'
  | 'provider A is on'
  | 'a hook is on'
  | 'everything is on'

const SETTINGS: Readonly<Record<StateName, (service: Service) => State>> = {
  'as prepared': () => ({}),
  'the challenge is on': () => ({ authentication: { challenge_enabled: true } }),
  'mail by SMTP': () => ({ email: { provider: 'smtp' } }),
  'mail by the API': ({ platform }) => ({
    email: { provider: 'api', api_key: sealSetting(platform, 'email_api_key', 'key') },
  }),
  'mail by the API without a key': () => ({ email: { provider: 'api' } }),
  'mail by a server of the settings': ({ platform }) => ({
    email: {
      provider: 'smtp',
      smtp_host: 'mail.example.com',
      smtp_port: 587,
      smtp_user: 'gate',
      smtp_password: sealSetting(platform, 'email_smtp_password', 'secret'),
    },
  }),
  'mail by a private server': () => ({ email: { provider: 'smtp', smtp_host: '127.0.0.1', smtp_port: 25 } }),
  'mail by the outbox': () => ({ email: { provider: 'outbox' } }),
  'verification by SMTP': () => ({ email: { provider: 'smtp' }, authentication: VERIFIED }),
  'verification without mail': () => ({ authentication: VERIFIED }),
  'the community is on': (service) => ({ authentication: provider(service, 'community') }),
  'provider A is on': (service) => ({ authentication: provider(service, 'provider_a') }),
  'a hook is on': (service) => ({ hooks: { before_sign_in: HOOK, before_sign_in_secret: hookSecret(service) } }),
  'everything is on': (service) => ({
    email: { provider: 'smtp' },
    authentication: {
      challenge_enabled: true,
      second_factor: 'required',
      beta_gate_enabled: true,
      ...VERIFIED,
      ...provider(service, 'community'),
      ...provider(service, 'provider_a'),
    },
    ai: { enabled: true, api_key: sealSetting(service.platform, 'ai_api_key', 'key') },
    hooks: {
      before_token: HOOK,
      before_sign_up_secret: sealSetting(service.platform, 'hooks_before_sign_up_secret', 'whsec_a'),
      before_sign_in_secret: sealSetting(service.platform, 'hooks_before_sign_in_secret', 'whsec_b'),
      before_token_secret: sealSetting(service.platform, 'hooks_before_token_secret', 'whsec_c'),
    },
  }),
}

/** The state in which each setting needs something, or why it needs nothing. A new setting must have one to compile. */
const NEEDS: { readonly [P in Part]: Readonly<Record<keyof Settings[P], StateName | Reason>> } = {
  authentication: {
    challenge_enabled: 'the challenge is on',
    email_verification_required: 'verification by SMTP',
    provider_a: 'provider A is on',
    provider_b: 'as provider A',
    community: 'the community is on',
    second_factor: 'everything is on',
    beta_gate_enabled: 'everything is on',
    registration_enabled: 'nothing of a deployment',
    email_signup_domain_allowlist: 'nothing of a deployment',
    email_user_action_cooldown_seconds: 'nothing of a deployment',
    impersonation: 'nothing of a deployment',
    passkey_sign_up_enabled: 'nothing of a deployment',
    email_changes: 'nothing of a deployment',
    sign_in_letters: 'nothing of a deployment',
    unverified_account_days: 'nothing of a deployment',
    accounts_per_browser: 'nothing of a deployment',
  },
  hooks: {
    before_sign_up: 'as before_sign_in',
    before_sign_in: 'a hook is on',
    before_token: 'everything is on',
    before_sign_up_secret: 'everything is on',
    before_sign_in_secret: 'everything is on',
    before_token_secret: 'everything is on',
    claims: 'nothing of a deployment',
    own_data_shown: 'nothing of a deployment',
  },
  email: {
    provider: 'mail by SMTP',
    api_key: 'mail by the API',
    smtp_host: 'mail by a server of the settings',
    smtp_port: 'mail by a server of the settings',
    smtp_user: 'mail by a server of the settings',
    smtp_password: 'mail by a server of the settings',
  },
  credits: {
    signup_reward_enabled: 'nothing of a deployment',
    signup_reward_amount: 'nothing of a deployment',
  },
  ai: {
    enabled: 'everything is on',
    api_key: 'everything is on',
    base_url: 'nothing of a deployment',
    model: 'nothing of a deployment',
  },
  brand: {
    name: 'nothing of a deployment',
    accent: 'nothing of a deployment',
    home_url: 'nothing of a deployment',
    terms_url: 'nothing of a deployment',
    privacy_url: 'nothing of a deployment',
    return_origins: 'nothing of a deployment',
    languages: 'nothing of a deployment',
    logo: 'nothing of a deployment',
    logo_dark: 'nothing of a deployment',
    favicon: 'nothing of a deployment',
    accent_dark: 'nothing of a deployment',
    background: 'nothing of a deployment',
    radius: 'nothing of a deployment',
    font: 'nothing of a deployment',
    css: 'nothing of a deployment',
  },
  assistants: {
    client_documents: 'nothing of a deployment',
    registration: 'nothing of a deployment',
  },
  organizations: {
    creation: 'nothing of a deployment',
    owned_limit: 'nothing of a deployment',
    seats: 'nothing of a deployment',
    permissions: 'nothing of a deployment',
    roles: 'nothing of a deployment',
  },
}

type Reason = 'nothing of a deployment' | 'as provider A' | 'as before_sign_in'

const at = (publicUrl: string) => ({ config: publicAddress({ publicUrl, appDomain: undefined, port: 5173 }) })

/** How a restart can change each value, or why nothing stored depends on it. A new value must have one to compile. */
const CHANGES: Readonly<Record<Name, Readonly<Record<string, Restart>> | string>> = {
  CHALLENGE_SITE_KEY: {
    'without the challenge': { config: { challengeSiteKey: undefined, challengeSecret: undefined } },
  },
  CHALLENGE_SECRET: 'goes with its site key, or the start refuses',
  CHALLENGE_VERIFY_URL: 'another server of the same challenge',
  SMTP_URL: { 'without SMTP_URL': { config: { smtpUrl: undefined } } },
  EMAIL_API_URL: 'another server of the same provider',
  COMMUNITY_AUTH_URL: {
    'without COMMUNITY_AUTH_URL': { config: { communityAuthUrl: undefined } },
    'with another community': { config: { communityAuthUrl: 'https://other.example' } },
  },
  COMMUNITY_NAME: 'is shown',
  PROVIDER_A: { 'with another PROVIDER_A': { config: { providerA: 'oidc:https://other.example' } } },
  PROVIDER_B: { 'with another PROVIDER_B': { config: { providerB: 'oidc:https://other.example' } } },
  CONFIG_ENCRYPTION_KEY: { 'with another CONFIG_ENCRYPTION_KEY': { configEncryptionKey: OTHER_KEY } },
  AUTH_SECRET: { 'with another AUTH_SECRET': { authSecret: 'another secret that is long enough' } },
  PUBLIC_URL: { 'at another domain': at(ELSEWHERE), 'at another port': at(`${HERE}:8443`) },
  APP_DOMAIN: 'is the domain of PUBLIC_URL',
  PORT: 'is in PUBLIC_URL',
  APP_NAME: 'is shown',
  SYSTEM_EMAIL: { 'with another SYSTEM_EMAIL': { config: { systemEmail: 'other@example.com' } } },
  WEBHOOK_NETWORKS: { 'without WEBHOOK_NETWORKS': { config: { webhookNetworks: [] } } },
  DATA_DIR: 'another one is another installation',
  BREACH_LIST: 'nothing stored depends on it',
  DATABASE_URL: 'another one is another installation',
  DATABASE_REPLICA_URLS: 'without them the primary reads',
  SHARDS: 'left-out.test.ts',
  SHARDS_WITHOUT: 'left-out.test.ts',
  KV_URL: 'keeps nothing that lasts',
  HOST: 'where it listens',
  METRICS_PORT: 'where it listens',
  DRAIN_SECONDS: 'how it ends',
  CONTINENT_HEADER: 'of each request',
  TRUSTED_PROXIES: 'of each request',
  TRUSTED_ORIGINS: 'of each request',
  AUDIT_RETENTION_DAYS: 'how long rows are kept',
  EVENT_RETENTION_DAYS: 'how long rows are kept',
  USER_LIMIT_FACTOR: 'of each request',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'what is said elsewhere',
  OTEL_EXPORTER_OTLP_HEADERS: 'what is said elsewhere',
  DOCS: 'what is said elsewhere',
  LOG_LEVEL: 'what is said elsewhere',
  LOG_FORMAT: 'what is said elsewhere',
}

type Deployment = readonly [name: string, restart: Restart]

/** No change, each change alone, each pair of changes of two values, and all of them. */
const DEPLOYMENTS: readonly Deployment[] = (() => {
  const values = Object.values(CHANGES).flatMap((changes) =>
    typeof changes === 'string' ? [] : [Object.entries(changes)],
  )
  const pairs = values.flatMap((of, i) =>
    values.slice(i + 1).flatMap((others) => of.flatMap((one) => others.map((other) => both(one, other)))),
  )
  const all = values.flatMap((of): readonly Deployment[] => of.slice(0, 1)).reduce(both)
  return [['as before', {}], ...values.flat(), ...pairs, all]
})()

function both([name, one]: Deployment, [otherName, other]: Deployment): Deployment {
  return [`${name}, ${otherName}`, { ...one, ...other, config: { ...one.config, ...other.config } }]
}

/** The troubles that each change of the deployment causes in each state. */
const ALONE: readonly (readonly [settings: RegExp, deployment: RegExp, about: string])[] = [
  [/challenge|everything/, /without the challenge/, 'challenge'],
  [/SMTP|everything/, /without SMTP_URL/, 'mail'],
  [/private server/, /without SMTP_URL.* without WEBHOOK_NETWORKS/, 'mail'],
  [/without a key|outbox|without mail/, /./, 'mail'],
  [/community|everything/, /without COMMUNITY/, 'community'],
  [/by the API$|of the settings|community is|provider A|a hook|everything/, /ENCRYPTION/, 'settings'],
  [/./, /ENCRYPTION/, 'authenticator apps'],
  [/./, /ENCRYPTION|WEBHOOK_NETWORKS/, 'webhooks'],
  [/a hook|everything/, /WEBHOOK_NETWORKS/, 'hooks'],
  [/./, /another community|PROVIDER_/, 'providers'],
  [/./, /another domain/, 'passkeys'],
  [/./, /another domain|another port/, 'address'],
  [/./, /SYSTEM_EMAIL/, 'administrator'],
]

const WAYS_OUT =
  /`gatehouse admin [a-z-]+( \[EMAIL\]| \S+@\S+)?`|; set (both|it),|in the console|; put \w+ (or \w+ )?back|PUBLIC_URL or APP_DOMAIN back/

describe('119. whatever the settings were, a start with other deployment values', () => {
  it('has a state for each setting that needs something of the deployment', ({ service }) => {
    const missing = Object.entries(NEEDS).flatMap(([part, fields]) =>
      Object.entries(fields).filter(([field, state]) => {
        const made = Object.entries(SETTINGS).find(([name]) => name === state)?.[1](service)
        return made && !(field in (made[part as Part] ?? {}))
      }),
    )

    assert.deepEqual(missing, [])
  })

  for (const [state, settingsOf] of Object.entries(SETTINGS)) {
    it(`says each trouble with its way out, and lets the administrator in: ${state}`, async ({
      service,
      administrator,
      ann,
      ben,
    }) => {
      await everythingThatDepends(service, administrator, ann, ben)
      for (const [part, fields] of Object.entries(settingsOf(service)))
        await changeSettings(service, part as Part, { ...defaultSettings()[part as Part], ...fields })

      for (const [deployment, restart] of DEPLOYMENTS) {
        await restarted(service)
        const started = await restarted(service, restart)

        const expected = ALONE.filter(([of, by]) => of.test(state) && by.test(deployment))
        const abouts = new Set(started.said.map(({ about }) => about))
        assert.deepEqual(abouts, new Set(expected.map(([, , about]) => about)), deployment)
        for (const { words } of started.said) assert.match(words, WAYS_OUT)
        if (abouts.has('challenge')) assert.equal(await switchOffChallenge(started.platform), true)
        const shown = await troublesShown(started, administrator)
        const left = started.said.filter(({ about }) => about !== 'challenge')
        assert.deepEqual(shown, left, deployment)
        await changeSettings(service, 'authentication', settingsOf(service).authentication ?? {})
        service.clock.advance({ minutes: 1 })
      }
    })
  }
})

describe('an address for users to return to', () => {
  const PORT = 'https://id.example.com:8443'
  const OTHERS = ['https://app.example.com', 'https://shop.example']

  it('to which the cookie is not sent is a hint at the start and in doctor, and not a trouble', async ({
    service,
    administrator,
  }) => {
    const saidWith = async (...return_origins: string[]) => {
      await changeSettings(service, 'brand', { return_origins })
      const { lines, said, platform } = await restarted(service)
      const about = (findings: readonly { readonly about: unknown }[]) =>
        findings.filter((finding) => finding.about === 'products')
      const hints = lines.filter(({ fields, level }) => fields.about === 'products' && level === 'info')
      return [hints.map(({ message }) => message), about(said), about(await recordFindings(platform))] as const
    }

    const [silent, hinted] = [await saidWith(PORT), await saidWith(PORT, ...OTHERS)]

    assert.deepEqual(silent, [[], [], []])
    const words = `users may return to ${OTHERS.join(' and ')}, where the cookie of id.example.com is not sent; a product there signs them in by OpenID Connect`
    assert.deepEqual(hinted, [[words], [], [{ about: 'products', verdict: 'note', words }]])
    assert.deepEqual((await administrator.post('/api/admin/get_overview')).body.troubles, [])
  })
})

describe('119. when the challenge is on and its keys are gone', () => {
  it('the host switches it off beside every process, at once and audited', async ({ service }) => {
    await changeSettings(service, 'authentication', { challenge_enabled: true })
    const [serving, command] = [await restarted(service, WITHOUT), await restarted(service, WITHOUT)]
    const { email, password } = service.administrator
    const browser = new Person(serving, email, password)

    const before = await browser.signIn()
    const isDone = [await switchOffChallenge(command.platform), await switchOffChallenge(command.platform)]
    const after = await browser.signIn()

    assert.deepEqual([before.status, isDone, after.status], [400, [true, false], 200])
    const { body } = await browser.post('/api/admin/list_audit_entries', { action: 'settings.update' })
    assert.equal(body.total, 1)
    const { actor_id, details } = body.items[0]
    assert.deepEqual([actor_id, details.from, details.fields], [null, 'host', ['challenge_enabled']])
  })
})

const WITHOUT = new Map(DEPLOYMENTS).get('without the challenge') ?? {}

describe('119. after a change of the domain', () => {
  it('a user who has only a passkey sets a password by mail, once the host has removed the passkey', async ({
    service,
    ann,
  }) => {
    await restarted(service)
    await changeSettings(service, 'email', { provider: 'smtp' })
    const carl = stranger(service)
    const [carls, anns] = [new SecurityKey(HERE), new SecurityKey(HERE)]
    assert.equal((await signUpWithPasskey(carl, carls)).status, 200)
    assert.equal((await addPasskey(ann, anns)).status, 200)

    const moved = await restarted(service, { ...at(ELSEWHERE), platform: { mail: service.mail } })
    const [carlThere, annThere] = [carl, ann].map(({ email, password }) => new Person(moved, email, password))
    assert.ok(carlThere && annThere)
    assert.notEqual((await showPasskey(carlThere, carls)).status, 200)
    assert.equal(await removeFormerPasskeys(moved.platform), 2)

    assert.equal((await annThere.signIn()).status, 200)
    await carlThere.post('/api/auth/email-otp/request-password-reset', { email: carl.email })
    const otp = await service.mail.linkFor(carl.email)
    const { email, password } = carlThere
    await carlThere.post('/api/auth/email-otp/reset-password', { email, otp, password })
    assert.equal((await carlThere.signIn()).status, 200)
    assert.deepEqual(await aboutsAt(service, at(ELSEWHERE)), ['address'])
    const there = new SecurityKey(ELSEWHERE)
    assert.equal((await addPasskey(annThere, there)).status, 200)
    assert.equal(await removeFormerPasskeys(moved.platform), 0)
    assert.equal((await showPasskey(new Person(moved, '', ''), there)).status, 200)
  })

  it('the former address is mentioned for a week, unless it is back', async ({ service }) => {
    await restarted(service)
    const moved = await aboutsAt(service, at(ELSEWHERE))
    service.clock.advance({ days: 7, milliseconds: -1 })
    const last = await aboutsAt(service, at(ELSEWHERE))
    service.clock.advance({ milliseconds: 1 })
    const later = await aboutsAt(service, at(ELSEWHERE))
    const movedAgain = await aboutsAt(service, at(`${HERE}:8443`))
    const back = await aboutsAt(service, at(ELSEWHERE))

    assert.deepEqual([moved, last, later], [['address'], ['address'], []])
    assert.deepEqual([movedAgain, back], [['address'], []])
  })
})

describe('119. with another CONFIG_ENCRYPTION_KEY', () => {
  it('an administrator with an authenticator app gets in when the host has removed it', async ({
    service,
    administrator,
  }) => {
    const app = await addApp(service, administrator)
    const { platform, request } = await restarted(service, { configEncryptionKey: OTHER_KEY })
    const browser = new Person({ request }, administrator.email, administrator.password)
    await browser.signIn()
    assertRefused(await verifyTotp(browser, app.code()), 'INVALID_CODE')

    await removeFactorsFromHost(platform, undefined)

    assert.equal((await browser.signIn()).status, 200)
    assert.equal((await browser.post('/api/admin/get_overview')).status, 200)
  })

  it('a sign-in with a provider is refused with the reason', async ({ service }) => {
    await changeSettings(service, 'authentication', provider(service, 'community'))
    const started = await restarted(service, { configEncryptionKey: OTHER_KEY })

    const sent = { providerId: 'community' }
    const answer = await new Person(started, '', '').post('/api/auth/sign-in/oauth2', sent)

    assertRefused(answer, 'PROVIDER_MISCONFIGURED')
  })

  it('does not list a secret that was saved again under the new key', async ({ service }) => {
    const secretBox = aesSecretBox(OTHER_KEY)
    const api_key = sealSetting({ secretBox }, 'email_api_key', 'key')
    await changeSettings(service, 'email', { provider: 'api', api_key })

    assert.deepEqual(await aboutsAt(service, { configEncryptionKey: OTHER_KEY }), [])
    assert.deepEqual(await aboutsAt(service, {}), ['settings'])
  })
})

describe('134. a hook that is on', () => {
  const url = 'https://shop.example.com/hook'
  const before_sign_in = { ...HOOK, url }

  it('and can ask nobody is a trouble that says what to do', async ({ service }) => {
    const said = async (hooks: Partial<Settings['hooks']>) => {
      await changeSettings(service, 'hooks', hooks)
      return (await restarted(service)).said.map(({ about, words }) => [about, words])
    }

    assert.deepEqual(await said({ before_sign_in: { ...HOOK, url: '' }, before_sign_in_secret: hookSecret(service) }), [
      [
        'hooks',
        'before_sign_in asks nobody, because it has no address, so everyone it would ask about is refused; save an address, or switch it off in the console',
      ],
    ])
    assert.deepEqual(
      await said({ before_sign_in: { ...before_sign_in, on_failure: 'allow' }, before_sign_in_secret: '' }),
      [
        [
          'hooks',
          'before_sign_in asks nobody, because it has no secret to sign with, so everyone is let in unasked; give it a new secret in the console',
        ],
      ],
    )
    assert.deepEqual(await said({ before_sign_in_secret: hookSecret(service) }), [])
  })

  it('and signs with a secret that nobody has seen is named until somebody has', async ({ service, administrator }) => {
    const said = async () => (await restarted(service)).said
    const rotate = () => administrator.post('/api/admin/rotate_hook_secret', { hook: 'before_sign_in' })
    await administrator.saveSettings('hooks', { before_sign_in })

    const unseen = await said()
    await administrator.saveSettings('hooks', { before_sign_in: { timeout_ms: 500 } })
    const later = await said()
    await rotate()

    assert.deepEqual(unseen, [
      {
        about: 'hooks',
        words:
          'before_sign_in signs with a secret that Gatehouse made and nobody has seen, so your back end cannot check it; give the hook a new secret in the console',
      },
    ])
    assert.deepEqual([later, await said()], [unseen, []])
  })
})

describe('119. without WEBHOOK_NETWORKS', () => {
  const WITHOUT_NETWORKS = { config: { webhookNetworks: [] } }

  it('the addresses in use that are known to be refused are counted', async ({ service, administrator }) => {
    const urls = [
      'http://127.0.0.1:9/a',
      'https://127.0.0.1:9/b',
      'http://shop.example.com/',
      'https://shop.example.com/',
    ]
    for (const url of urls) await administrator.post('/api/admin/create_webhook', { url, types: [] })
    const off = { url: 'http://127.0.0.1:9/c', types: [], enabled: false }
    assert.equal((await administrator.post('/api/admin/create_webhook', off)).status, 200)
    await register(administrator, { backchannel_logout_uri: 'https://127.0.0.1:9/logout' })

    const { said } = await restarted(service, WITHOUT_NETWORKS)

    assert.equal(said.length, 1)
    assert.match(said[0]?.words ?? '', /^nothing is sent to 4 addresses of webhooks and applications, because /)
    assert.deepEqual(await aboutsAt(service, {}), [])
  })

  for (const smtp_host of ['10.0.0.25', '::1', 'localhost'])
    it(`a mail server of the settings at ${smtp_host} is named`, async ({ service }) => {
      await changeSettings(service, 'email', { provider: 'smtp', smtp_host, smtp_port: 25 })

      const { said } = await restarted(service, {
        config: { ...WITHOUT_NETWORKS.config, smtpUrl: undefined },
      })

      assert.equal(said.length, 1)
      assert.ok(said[0]?.words.startsWith(`WEBHOOK_NETWORKS does not name the network of ${smtp_host}, `))
    })
})

/** An authenticator app, a passkey, a webhook, and accounts at two providers. */
async function everythingThatDepends(service: Service, administrator: Person, ann: Person, ben: Person) {
  await restarted(service)
  await addApp(service, ann)
  assert.equal((await addPasskey(ben, new SecurityKey(HERE))).status, 200)
  const hook = { url: 'http://127.0.0.1:9/hook', types: ['user.created'] }
  assert.equal((await administrator.post('/api/admin/create_webhook', hook)).status, 200)
  const row = (name: 'provider_a' | 'provider_b' | 'community', issuer: string) => ({
    id: name,
    user_id: ben.id,
    provider: name,
    issuer,
    provider_account_id: '7',
    password_hash: null,
    password_is_initial: 0 as const,
    created_at: 0,
    updated_at: 0,
  })
  const rows = [
    row('provider_a', 'https://accounts.google.com'),
    row('provider_b', configuredIssuer(service.config, 'provider_b')),
    row('community', 'https://forum.example'),
  ]
  await service.platform.meta.insertInto('account').values(rows).execute()
}

type Started = Awaited<ReturnType<typeof restarted>>

/** As the administrator sees them after signing in; a factor that is required can still be added. */
async function troublesShown(started: Started, { email, password }: Person) {
  const browser = new Person(started, email, password)
  const solved = { 'x-captcha-response': 'XXXX.DUMMY.TOKEN.XXXX' }
  assert.equal((await browser.signIn(solved)).status, 200)
  const { body } = await browser.post('/api/admin/get_overview')
  if (body.code !== 'SECOND_FACTOR_REQUIRED') return body.troubles
  const key = new SecurityKey(started.platform.config.baseUrl)
  assert.equal((await addPasskey(browser, key)).status, 200)
  const seen = await browser.post('/api/admin/get_overview')
  await removeFactorsFromHost(started.platform, undefined)
  return seen.body.troubles
}

async function aboutsAt(service: Service, restart: Restart) {
  const { said } = await restarted(service, restart)
  return said.map(({ about }) => about)
}
