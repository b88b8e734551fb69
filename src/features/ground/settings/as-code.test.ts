import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'vitest'
import { z } from 'zod'
import { changeSettings } from '../../../../test/service/change-settings.ts'
import { it } from '../../../../test/service/it.ts'
import { temporaryFolder } from '../../../../test/service/temporary-folder.ts'
import { applySettings, parseSettingsFile, planSettings, SettingsFile, settingsAsFile } from './as-code.ts'

const parse = (file: object) => parseSettingsFile(JSON.stringify(file))

describe('settings as a file', () => {
  it('an export has no difference from the settings, and no secret', async ({ service, administrator }) => {
    const api_key = { action: 'replace', value: 'sk-very-secret' }
    await administrator.saveSettings('ai', {
      enabled: true,
      base_url: 'https://ai.example',
      model: 'm',
      api_key,
    })
    const text = JSON.stringify(await settingsAsFile(service.platform))

    // An editor on Windows saves it with a byte order mark.
    const differences = await planSettings(service.platform, await parseSettingsFile(`\ufeff${text}`), {})

    assert.deepEqual(differences, [])
    assert.doesNotMatch(text, /sk-very-secret/)
    const { $schema, ai, ...others } = JSON.parse(text)
    assert.equal($schema, './settings.schema.json')
    assert.deepEqual(ai, { enabled: true, base_url: 'https://ai.example', model: 'm', api_key: 'keep' })
    assert.deepEqual(Object.keys(others).toSorted(), ['assistants', 'authentication', 'brand', 'credits', 'email'])
  })

  it('plan names each difference by its path, and for a secret only that it differs', async ({ service }) => {
    const { platform } = service
    const key = join(temporaryFolder(), 'key')
    await writeFile(key, 'sk-one\n')
    const file = await parse({
      authentication: { registration_enabled: false, provider_a_client_secret: 'env:A_SECRET' },
      ai: { api_key: `file:${key}`, model: '' },
      email: { api_key: 'remove' },
    })

    const first = await planSettings(platform, file, { A_SECRET: 'hunter2' })
    await applySettings({ platform }, file, { A_SECRET: 'hunter2' })
    const again = await planSettings(platform, file, { A_SECRET: 'hunter2' })
    const rotated = await planSettings(platform, file, { A_SECRET: 'hunter3' })

    assert.deepEqual(first, [
      { path: 'authentication.registration_enabled', words: 'true -> false' },
      { path: 'authentication.provider_a_client_secret', words: 'is set from env:A_SECRET' },
      { path: 'ai.api_key', words: `is set from file:${key}` },
    ])
    assert.deepEqual(again, [])
    assert.deepEqual(rotated, [
      { path: 'authentication.provider_a_client_secret', words: 'is replaced from env:A_SECRET' },
    ])
  })

  it('apply is one save with one audit entry for each part that changed', async ({ service, administrator }) => {
    const { platform } = service
    const before = await platform.meta.selectFrom('settings').select('revision').executeTakeFirstOrThrow()
    const file = await parse({
      authentication: { email_verification_required: true },
      email: { provider: 'smtp' },
      credits: { signup_reward_enabled: false },
    })

    await applySettings({ platform }, file, {})

    const after = await platform.meta.selectFrom('settings').select('revision').executeTakeFirstOrThrow()
    assert.equal(after.revision, before.revision + 1)
    const { body } = await administrator.post('/api/admin/list_audit_entries', { action: 'settings.update' })
    assert.deepEqual(
      body.items.map(({ subject_id, details }: { subject_id: string; details: object }) => [subject_id, details]),
      [
        ['email', { fields: ['provider'], version: 2, from: 'host' }],
        ['authentication', { fields: ['email_verification_required'], version: 2, from: 'host' }],
      ],
    )
    const config = await administrator.post('/api/admin/get_authentication_config')
    assert.equal(config.body.email_verification_required, true)
  })

  it.for([
    ['{', /JSON/],
    [{ authentification: {} }, /^authentification: /],
    [{ credits: { signup_reward: 5 } }, /^credits\.signup_reward: /],
    [{ credits: { signup_reward_amount: 'many' } }, /^credits\.signup_reward_amount: /],
    [{ ai: { api_key: 'sk-plain' } }, /^ai\.api_key: Write "keep"/],
    [{ ai: { api_key: 'env:NOT_SET' } }, /^ai\.api_key: the variable NOT_SET is not set/],
    [{ ai: { api_key: 'env:constructor' } }, /^ai\.api_key: the variable constructor is not set/],
    ['{"brand": {\n"name": "A {", "languages": ["en"],\n"na\\u006de": "B"}}', /^line 3: "name" is there twice\.$/],
    ['{"ai": {"model": "\\"}"}, "brand": {},\n\n"ai" : {}}', /^line 3: "ai" is there twice\.$/],
    ['{"brand": {"name": "A\\ud800"}}', /^brand\.name: A lone surrogate/],
    [{ brand: { logo: 'file:/dev/null' } }, /^brand\.logo: \/dev\/null is empty/],
    [{ ai: { api_key: 'file:/nowhere/key' } }, /^ai\.api_key: \/nowhere\/key cannot be read/],
    [{ authentication: { email_verification_required: true } }, /^authentication\.email_verification_required: /],
  ] as const)('what cannot be saved is refused with its path: %o', async ([file, words], { service }) => {
    const text = typeof file === 'string' ? file : JSON.stringify(file)

    await assert.rejects(
      async () => planSettings(service.platform, await parseSettingsFile(text), {}),
      ({ name, message }: Error) => {
        assert.equal(name, 'OperatorError')
        assert.match(message, words)
        assert.doesNotMatch(message, /sk-plain/)
        return true
      },
    )
  })

  it('a secret that was sealed under another key is replaced', async ({ service }) => {
    await changeSettings(service, 'ai', { api_key: 'sealed elsewhere' })
    const file = await parse({ ai: { api_key: 'env:AI_KEY' } })

    const differences = await planSettings(service.platform, file, { AI_KEY: 'sk-one' })

    assert.deepEqual(differences, [{ path: 'ai.api_key', words: 'is replaced from env:AI_KEY' }])
  })

  it('deploy/settings.schema.json describes it', () => {
    const shipped = new URL('../../../../deploy/settings.schema.json', import.meta.url)

    assert.deepEqual(
      JSON.parse(readFileSync(shipped, 'utf8')),
      JSON.parse(JSON.stringify(z.toJSONSchema(SettingsFile, { io: 'input' }))),
    )
  })
})
