import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused } from '../../../../../test/service/answers.ts'
import { changeSettings } from '../../../../../test/service/change-settings.ts'
import { it } from '../../../../../test/service/it.ts'
import type { Person } from '../../../../../test/service/people.ts'
import type { Part, Settings } from '../model.ts'

const EMERGENCY = { registration_enabled: false, beta_gate_enabled: true }
const PROVIDER = { enabled: true, client_id: 'id', client_secret: 'sealed' }

interface Broken {
  readonly what: string
  /** The settings as saved while the deployment had what they need. */
  readonly saved: { readonly [P in Part]?: Partial<Settings[P]> }
  readonly part: Part
  /** Fields that have nothing to do with the fault. */
  readonly other: object
  /** The faulty fields, sent again. */
  readonly again: readonly [fields: object, path: string]
  /** The fields that remove the fault. */
  readonly off: object
}

/** Every setting that a restart, a restore or an import can make wrong. */
const BROKEN: readonly Broken[] = [
  {
    what: 'the community is on and COMMUNITY_AUTH_URL is gone',
    saved: { authentication: { community: PROVIDER } },
    part: 'authentication',
    other: EMERGENCY,
    again: [{ community_enabled: true }, 'community_enabled'],
    off: { community_enabled: false },
  },
  {
    what: 'the challenge is on and its keys are gone',
    saved: { authentication: { challenge_enabled: true } },
    part: 'authentication',
    other: EMERGENCY,
    again: [{ challenge_enabled: true }, 'challenge_enabled'],
    off: { challenge_enabled: false },
  },
  {
    what: 'verification is required and the email provider is gone',
    saved: { authentication: { email_verification_required: true } },
    part: 'authentication',
    other: EMERGENCY,
    again: [{ email_verification_required: true }, 'email_verification_required'],
    off: { email_verification_required: false },
  },
  {
    what: 'a provider is on without its id and secret',
    saved: { authentication: { provider_a: { ...PROVIDER, client_id: '', client_secret: '' } } },
    part: 'authentication',
    other: { ...EMERGENCY, provider_a_client_secret: { action: 'keep' } },
    again: [{ provider_a_client_secret: { action: 'remove' } }, 'provider_a_client_secret'],
    off: { provider_a_enabled: false },
  },
  {
    what: 'the email API has lost its key',
    saved: { email: { provider: 'api', api_key: '' } },
    part: 'email',
    other: { api_key: { action: 'keep' } },
    again: [{ api_key: { action: 'remove' } }, 'api_key'],
    off: { provider: null },
  },
  {
    what: 'the email provider is SMTP and SMTP_URL is gone',
    saved: { email: { provider: 'smtp' } },
    part: 'email',
    other: { api_key: { action: 'replace', value: 'key' } },
    again: [{ smtp_host: '' }, 'smtp_host'],
    off: { provider: 'api', api_key: { action: 'replace', value: 'key' } },
  },
  {
    what: 'AI is on without an address',
    saved: { ai: { enabled: true, model: 'small', base_url: '' } },
    part: 'ai',
    other: { model: 'large' },
    again: [{ base_url: '' }, 'base_url'],
    off: { enabled: false },
  },
  {
    what: 'the signup reward is on without an amount',
    saved: { credits: { signup_reward_enabled: true, signup_reward_amount: 0 } },
    part: 'credits',
    other: {},
    again: [{ signup_reward_amount: 0 }, 'signup_reward_amount'],
    off: { signup_reward_enabled: false },
  },
]

describe('119. a save is refused only for what it makes wrong', () => {
  it.override('options', {
    platform: {
      mail: { providers: ['smtp', 'api'], send: () => Promise.reject(new Error('sends nothing')) },
    },
  })

  for (const { what, saved, part, other, again, off } of BROKEN) {
    it(`if ${what}`, async ({ service, administrator }) => {
      for (const [name, fields] of Object.entries(saved)) await changeSettings(service, name as Part, fields)

      const [fields, path] = again
      assert.equal((await save(administrator, part, other)).status, 200)
      assertRefused(await save(administrator, part, fields), 'INVALID_REQUEST', path)
      assert.equal((await save(administrator, part, off)).status, 200)
    })
  }

  it('a new fault is refused beside an old one', async ({ service, administrator }) => {
    await changeSettings(service, 'authentication', { community: PROVIDER, provider_b: PROVIDER })

    const removing = { provider_b_client_secret: { action: 'remove' } }
    const answer = await save(administrator, 'authentication', { ...EMERGENCY, ...removing })

    assertRefused(answer, 'INVALID_REQUEST', 'provider_b_client_secret')
    assert.equal(answer.body.issues.length, 1)
  })
})

async function save(administrator: Person, part: Part, fields: object) {
  const { body } = await administrator.post(`/api/admin/get_${part}_config`)
  return administrator.post(`/api/admin/update_${part}_config`, { expected_version: body.version, ...fields })
}
