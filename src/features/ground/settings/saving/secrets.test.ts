import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused } from '../../../../../test/service/answers.ts'
import { it } from '../../../../../test/service/it.ts'

const replace = (value: string) => ({ action: 'replace', value })

describe('a secret', () => {
  it('is kept when left out, changed as requested, and never shown', async ({ service, administrator }) => {
    for (const [fields, api_key_configured] of [
      [{ api_key: replace('sk-very-secret') }, true],
      [{ model: 'large' }, true],
      [{ api_key: { action: 'keep' } }, true],
      [{ api_key: { action: 'remove' } }, false],
    ] as const) {
      const { body } = await administrator.saveSettings('ai', fields)
      assert.partialDeepStrictEqual(body, { api_key_configured })
      assert.doesNotMatch(JSON.stringify([body, service.log.lines]), /sk-very-secret/)
    }
  })

  it('is sealed in the store, and opens only under its own name', async ({ service, administrator }) => {
    await administrator.saveSettings('ai', { api_key: replace('sk-very-secret') })

    const row = await service.platform.meta.selectFrom('settings').selectAll().executeTakeFirstOrThrow()
    const { secretBox } = service.platform
    const sealed = JSON.parse(row.ai).api_key
    const audit = await service.platform.meta.selectFrom('event').selectAll().execute()
    assert.doesNotMatch(JSON.stringify([row, audit]), /sk-very-secret/)
    assert.equal(secretBox.open('settings:ai_api_key', sealed), 'sk-very-secret')
    assert.throws(() => secretBox.open('settings:email_api_key', sealed))
  })

  it('with an unknown action or without a value is refused', async ({ administrator }) => {
    for (const api_key of [{ action: 'show' }, { action: 'replace' }, replace(''), 'sk-plain']) {
      const answer = await administrator.post('/api/admin/update_ai_config', { expected_version: 1, api_key })
      assertRefused(answer, 'INVALID_REQUEST')
      assert.doesNotMatch(JSON.stringify(answer), /sk-plain/)
    }
  })
})

describe('the whole part is checked', () => {
  const SECRET = replace('s')
  const COMMUNITY = { community_enabled: true, community_client_id: 'id' }
  const cases = [
    ['authentication', { provider_a_enabled: true, provider_a_client_id: 'id' }, 'provider_a_client_secret'],
    ['authentication', { provider_b_enabled: true, provider_b_client_secret: SECRET }, 'provider_b_client_id'],
    ['authentication', { ...COMMUNITY, community_client_secret: SECRET }, 'community_enabled'],
    ['authentication', { email_verification_required: true }, 'email_verification_required'],
    ['authentication', { challenge_enabled: true }, 'challenge_enabled'],
    ['authentication', { email_signup_domain_allowlist: ['no domain'] }, 'email_signup_domain_allowlist.0'],
    ['authentication', { email_user_action_cooldown_seconds: -1 }, 'email_user_action_cooldown_seconds'],
    ['email', { provider: 'api' }, 'api_key'],
    ['email', { provider: 'pigeon' }, 'provider'],
    ['credits', { signup_reward_enabled: true }, 'signup_reward_amount'],
    ['credits', { signup_reward_amount: 1.5 }, 'signup_reward_amount'],
    ['ai', { enabled: true, model: 'small' }, 'base_url'],
    ['ai', { base_url: 'ftp://example.com' }, 'base_url'],
  ] as const

  for (const [part, fields, path] of cases) {
    it(`${part} with ${JSON.stringify(fields)} is refused for ${path}`, async ({ administrator }) => {
      const sent = { expected_version: 1, ...fields }
      const answer = await administrator.post(`/api/admin/update_${part}_config`, sent)

      assertRefused(answer, 'INVALID_REQUEST', path)
      assert.equal((await administrator.post(`/api/admin/get_${part}_config`)).body.version, 1)
    })
  }

  it('together with the parts that it depends on: verification needs an email provider', async ({ administrator }) => {
    await administrator.saveSettings('email', { provider: 'smtp' })
    await administrator.saveSettings('authentication', { email_verification_required: true })

    const without = { expected_version: 2, provider: null }
    const answer = await administrator.post('/api/admin/update_email_config', without)

    assertRefused(answer, 'INVALID_REQUEST', 'provider')
  })
})
