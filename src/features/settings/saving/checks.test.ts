import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it } from '../../../../test/service/it.ts'

const replace = (value: string) => ({ action: 'replace', value })

describe('a secret', () => {
  it('is kept when left out, kept, replaced and removed on demand, and never shown', async ({
    service,
    administrator,
  }) => {
    const save = async (fields: object) => {
      const answer = await administrator.saveSettings('ai', { ...fields })
      return answer.body as { api_key_configured: boolean }
    }

    const replaced = await save({ api_key: replace('sk-very-secret') })
    const untouched = await save({ model: 'large' })
    const kept = await save({ api_key: { action: 'keep' } })
    const removed = await save({ api_key: { action: 'remove' } })

    assert.deepEqual(
      [replaced, untouched, kept, removed].map((config) => config.api_key_configured),
      [true, true, true, false],
    )
    const seen = JSON.stringify([replaced, untouched, kept, removed, service.log.lines])
    assert.doesNotMatch(seen, /sk-very-secret/)
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
    const answers = await Promise.all(
      [{ action: 'show' }, { action: 'replace' }, replace(''), 'sk-plain'].map((api_key) =>
        administrator.post('/api/admin/update_ai_config', { expected_version: 1, api_key }),
      ),
    )

    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.code]),
      answers.map(() => [400, 'INVALID_REQUEST']),
    )
    assert.doesNotMatch(JSON.stringify(answers), /sk-plain/)
  })
})

describe('the whole part is checked', () => {
  const cases = [
    ['authentication', { provider_a_enabled: true, provider_a_client_id: 'id' }, 'provider_a_client_secret'],
    [
      'authentication',
      { provider_b_enabled: true, provider_b_client_secret: replace('s') },
      'provider_b_client_id',
    ],
    [
      'authentication',
      { community_enabled: true, community_client_id: 'id', community_client_secret: replace('s') },
      'community_enabled',
    ],
    ['authentication', { email_verification_required: true }, 'email_verification_required'],
    ['authentication', { challenge_enabled: true }, 'challenge_enabled'],
    [
      'authentication',
      { email_signup_domain_allowlist: ['not a domain'] },
      'email_signup_domain_allowlist.0',
    ],
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
      const answer = await administrator.post(`/api/admin/update_${part}_config`, {
        expected_version: 1,
        ...fields,
      })
      const after = await administrator.post(`/api/admin/get_${part}_config`)

      assert.deepEqual([answer.status, answer.body.code], [400, 'INVALID_REQUEST'])
      assert.equal(answer.body.issues[0].path, path)
      assert.equal(after.body.version, 1)
    })
  }

  it('together with the parts that it depends on: verification needs an email provider', async ({
    administrator,
  }) => {
    await administrator.saveSettings('email', { provider: 'smtp' })
    await administrator.saveSettings('authentication', { email_verification_required: true })

    const { status, body } = await administrator.post('/api/admin/update_email_config', {
      expected_version: 2,
      provider: null,
    })

    assert.deepEqual([status, body.issues[0].path], [400, 'provider'])
  })
})
