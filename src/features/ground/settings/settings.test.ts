import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused } from '../../../../test/service/answers.ts'
import { it } from '../../../../test/service/it.ts'
import { Person, stranger } from '../../../../test/service/people.ts'
import { VersionedCache } from '../../../platform/caches/versioned-cache.ts'
import { currentSettings } from './current-settings.ts'

const replace = (value: string) => ({ action: 'replace', value })

const REWARD_OF_5 = { signup_reward_enabled: true, signup_reward_amount: 5 }

describe('settings', () => {
  it.override('options', { env: { COMMUNITY_AUTH_URL: 'https://forum.example.com', APP_NAME: 'Harbour' } })

  it('a new installation has the documented defaults, and shows only whether a secret is configured', async ({
    administrator,
  }) => {
    const { status, body } = await administrator.post('/api/admin/get_authentication_config')

    assert.equal(status, 200)
    assert.deepEqual(body, {
      version: 1,
      registration_enabled: true,
      email_signup_domain_allowlist: [],
      email_user_action_cooldown_seconds: 60,
      beta_gate_enabled: false,
      email_verification_required: false,
      challenge_enabled: false,
      second_factor: 'optional',
      passkey_sign_up_enabled: true,
      unverified_account_days: 0,
      accounts_per_browser: 1,
      email_changes: 'off',
      impersonation: 'off',
      sign_in_letters: true,
      provider_a_enabled: false,
      provider_a_client_id: '',
      provider_a_client_secret_configured: false,
      provider_a_callback_url: 'http://localhost:5173/api/auth/callback/provider_a',
      provider_a_name: 'Google',
      provider_b_enabled: false,
      provider_b_client_id: '',
      provider_b_client_secret_configured: false,
      provider_b_callback_url: 'http://localhost:5173/api/auth/callback/provider_b',
      provider_b_name: 'GitHub',
      community_enabled: false,
      community_client_id: '',
      community_client_secret_configured: false,
      community_callback_url: 'http://localhost:5173/api/auth/oauth2/callback/community',
      community_name: 'Community',
    })
  })

  it('a save changes what it sends, and raises the version of its part only', async ({ administrator }) => {
    const saved = await administrator.post('/api/admin/update_authentication_config', {
      expected_version: 1,
      email_signup_domain_allowlist: [' Example.COM ', 'example.com', 'example.org'],
    })
    const email = await administrator.post('/api/admin/get_email_config')

    assert.deepEqual([saved.status, saved.body.version, email.body.version], [200, 2, 1])
    assert.deepEqual(saved.body.email_signup_domain_allowlist, ['example.com', 'example.org'])
    assert.equal(saved.body.email_user_action_cooldown_seconds, 60)
  })

  it('a save is seen by the very next request', async ({ service, administrator, ann }) => {
    const closed = { registration_enabled: false, beta_gate_enabled: true }
    await administrator.saveSettings('authentication', closed)

    assertRefused(await stranger(service).signUp(), 'REGISTRATION_DISABLED')
    assertRefused(await ann.post('/api/list_notifications'), 'BETA_CODE_REQUIRED')
  })

  it('a stale expected_version is 409 CONFIG_CONFLICT; of ten saves at once one wins', async ({ administrator }) => {
    const save = (_: unknown, signup_reward_amount: number) =>
      administrator.post('/api/admin/update_credits_config', { expected_version: 1, signup_reward_amount })

    const answers = await Promise.all(Array.from({ length: 10 }, save))

    const winners = answers.filter(({ status }) => status === 200)
    for (const answer of answers) if (answer !== winners[0]) assertRefused(answer, 'CONFIG_CONFLICT')
    const { body } = await administrator.post('/api/admin/get_credits_config')
    assert.deepEqual(body, winners[0]?.body)
  })

  it('after a failover, a version that was lost is not used again', async ({ service, administrator }) => {
    const save = (expected_version: number, signup_reward_amount: number) =>
      administrator.post('/api/admin/update_credits_config', { expected_version, signup_reward_amount })
    await save(1, 5)
    const lost = (await save(2, 6)).body.version
    // Like a replica that had the first save, and became the primary before the second one reached it.
    const replica = { credits_version: lost - 1, token: 'of the first save', history: 'of the old primary' }
    await service.platform.meta.updateTable('settings').set(replica).execute()

    const saved = await save(lost - 1, 7)
    const stale = await save(lost, 8)
    const next = await save(saved.body.version, 9)

    assertRefused(stale, 'CONFIG_CONFLICT')
    assert.equal(saved.status, 200)
    assert.deepEqual([next.status, next.body.version], [200, saved.body.version + 1])
  })

  it('saves of different parts at once do not disturb each other', async ({ administrator }) => {
    await Promise.all([
      administrator.saveSettings('credits', { signup_reward_amount: 7 }),
      administrator.saveSettings('ai', { model: 'small' }),
    ])

    assert.equal((await administrator.post('/api/admin/get_ai_config', {})).body.model, 'small')
    assert.equal((await administrator.post('/api/admin/get_credits_config')).body.signup_reward_amount, 7)
  })

  it('send_test_email sends at once, shows the provider’s own words, and needs a provider', async ({
    service,
    administrator,
  }) => {
    const send = () => administrator.post('/api/admin/send_test_email', { to: 'ops@example.com' })

    const none = await send()
    await administrator.saveSettings('email', { provider: 'smtp' })
    const sent = await send()
    service.mail.refuse('554 sender not welcome')
    const refused = await send()

    assertRefused(none, 'EMAIL_PROVIDER_UNAVAILABLE')
    assert.deepEqual([sent.status, sent.body], [200, {}])
    assert.deepEqual(refused.body, { code: 'MAIL_NOT_SENT', message: '554 sender not welcome' })
    const [mail] = await service.mail.sentTo('ops@example.com')
    assert.equal(mail?.from.address, administrator.email)
  })

  it('client_config has what a sign-in page needs, and no secret', async ({ service, administrator }) => {
    const carl = stranger(service)

    const before = await carl.get('/api/client_config')
    await administrator.saveSettings('email', { provider: 'smtp' })
    await administrator.saveSettings('authentication', {
      provider_b_enabled: true,
      provider_b_client_id: 'client-id-of-b',
      provider_b_client_secret: replace('secret-of-b'),
      email_user_action_cooldown_seconds: 30,
    })
    const after = await carl.get('/api/client_config')

    assert.deepEqual(before.body, {
      app_name: 'Harbour',
      public_url: 'http://localhost:5173',
      brand: {
        ...{ logo_url: null, logo_dark_url: null, favicon_url: null, style_url: null },
        ...{ palette: null, ground: null, languages: ['en', 'zh'] },
        ...{ home_url: '', terms_url: '', privacy_url: '' },
      },
      support_email: 'admin@example.com',
      registration_enabled: true,
      passkey_sign_up_enabled: true,
      email_changes_enabled: false,
      email_verification_required: false,
      forgot_password_shown: false,
      cooldown_seconds: 60,
      providers: [],
      challenge_site_key: null,
      beta_gate_enabled: false,
      accounts_per_browser: 1,
      return_origins: [],
      own_data_shown: false,
      organizations_open: false,
      docs_enabled: true,
    })
    assert.deepEqual(after.body.providers, [{ id: 'provider_b', name: 'GitHub', preset: 'github' }])
    assert.deepEqual([after.body.forgot_password_shown, after.body.cooldown_seconds], [true, 30])
  })
})

describe('checklist 83: after a failover that lost the last saves', () => {
  it('no process uses what was lost, even after as many new saves', async ({ service, administrator }) => {
    const { email, password } = administrator
    const there = new Person({ request: service.requestElsewhere }, email, password)
    await there.signIn()
    const kept = await service.platform.meta.selectFrom('settings').selectAll().executeTakeFirstOrThrow()
    await administrator.saveSettings('credits', REWARD_OF_5)
    const lost = await rewardsSeenBy(administrator, there)

    await service.platform.meta.updateTable('settings').set(kept).execute()
    await there.saveSettings('credits', { ...REWARD_OF_5, signup_reward_amount: 7 })
    const seen = await rewardsSeenBy(administrator, there)

    assert.deepEqual([...lost, ...seen], [5, 5, 7, 7])
  })

  it('a process does not use them, although they were saved while it read the earlier ones', async ({
    service,
    administrator,
  }) => {
    const { meta } = service.platform
    const kept = await meta.selectFrom('settings').selectAll().executeTakeFirstOrThrow()
    const platform = { ...service.platform, versioned: new VersionedCache() }
    const { revision } = await currentSettings(platform)
    platform.versioned = new VersionedCache()
    await administrator.saveSettings('credits', REWARD_OF_5)
    const during = await currentSettings(platform, revision)

    await meta.updateTable('settings').set(kept).execute()
    const after = await currentSettings(platform, revision)

    assert.deepEqual([during.credits.signup_reward_amount, after.credits.signup_reward_amount], [5, 0])
  })
})

async function rewardsSeenBy(...administrators: readonly Person[]): Promise<readonly number[]> {
  const seen = administrators.map((one) => one.post('/api/admin/get_credits_config'))
  return (await Promise.all(seen)).map(({ body }) => body.signup_reward_amount)
}
