import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'vitest'
import { z } from 'zod'
import { assertRefused, statuses } from '../../../test/service/answers.ts'
import { register } from '../../../test/service/applications.ts'
import { changeSettings } from '../../../test/service/change-settings.ts'
import { grantFor, postForm } from '../../../test/service/grants.ts'
import { it } from '../../../test/service/it.ts'
import { pngOf } from '../../../test/service/pictures.ts'
import { temporaryFolder } from '../../../test/service/temporary-folder.ts'
import { recordFindings } from '../../features/ground/troubles/troubles.ts'
import { applySettings, planSettings, settingsAsFile } from './as-code.ts'
import { parseSettingsFile, SettingsFile } from './file.ts'

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
    const text = JSON.stringify((await settingsAsFile(service.platform)).file)

    // An editor on Windows saves it with a byte order mark.
    const differences = await planSettings(service.platform, await parseSettingsFile(`\ufeff${text}`))

    assert.deepEqual(differences, [])
    assert.doesNotMatch(text, /sk-very-secret/)
    const { $schema, ai, ...others } = JSON.parse(text)
    assert.equal($schema, './settings.schema.json')
    assert.deepEqual(ai, { enabled: true, base_url: 'https://ai.example', model: 'm', api_key: 'keep' })
    assert.deepEqual(Object.keys(others).toSorted(), [
      ...['applications', 'assistants', 'authentication', 'brand', 'credits', 'email'],
      ...['hooks', 'organizations', 'product_scopes', 'webhooks'],
    ])
  })

  it('the brand of an application is planned by field, and its pictures are files', async ({
    service,
    administrator,
  }) => {
    const { platform } = service
    const logo = join(temporaryFolder(), 'logo.png')
    await writeFile(logo, pngOf(2, 2))
    await register(administrator, { key: 'shop', brand: { accent: '#aa0000' } })
    const file = await parse({
      applications: [{ key: 'shop', brand: { accent: null, radius: 4, css: '.gh-card{}', logo: `file:${logo}` } }],
    })

    const planned = await planSettings(platform, file)
    await applySettings({ platform }, file)
    const again = await planSettings(platform, file)

    assert.deepEqual(
      planned.map(({ path }) => path),
      ['accent', 'radius', 'css', 'logo'].map((name) => `applications.shop.brand.${name}`),
    )
    assert.deepEqual(again, [])
    const { file: exported } = await settingsAsFile(platform)
    assert.deepEqual(exported.applications?.[0]?.brand, { radius: 4, css: '.gh-card{}', logo: 'keep' })
    const wrong = await parse({ applications: [{ key: 'shop', brand: { logo: 'file:/dev/null' } }] })
    await assert.rejects(planSettings(platform, wrong), /applications\.shop\.brand\.logo: \/dev\/null is empty/)
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

    const first = await planSettings(platform, file, { environment: { A_SECRET: 'hunter2' } })
    await applySettings({ platform }, file, { environment: { A_SECRET: 'hunter2' } })
    const again = await planSettings(platform, file, { environment: { A_SECRET: 'hunter2' } })
    const rotated = await planSettings(platform, file, { environment: { A_SECRET: 'hunter3' } })

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

    await applySettings({ platform }, file)

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
    [`{"applications":\n${'['.repeat(100_000)}${']'.repeat(100_000)}}`, /^line 2: is nested deeper than 32 levels\.$/],
    ['{"brand": {"name": "A\\ud800"}}', /^brand\.name: A lone surrogate/],
    [{ brand: { logo: 'file:/dev/null' } }, /^brand\.logo: \/dev\/null is empty/],
    [{ ai: { api_key: 'file:/nowhere/key' } }, /^ai\.api_key: \/nowhere\/key does not exist$/],
    [{ authentication: { email_verification_required: true } }, /^authentication\.email_verification_required: /],
  ] as const)('what cannot be saved is refused with its path: %o', async ([file, words], { service }) => {
    const text = typeof file === 'string' ? file : JSON.stringify(file)

    await assert.rejects(
      async () => planSettings(service.platform, await parseSettingsFile(text)),
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

    const differences = await planSettings(service.platform, file, { environment: { AI_KEY: 'sk-one' } })

    assert.deepEqual(differences, [{ path: 'ai.api_key', words: 'is replaced from env:AI_KEY' }])
  })

  it('deploy/settings.schema.json describes it', () => {
    const shipped = new URL('../../../deploy/settings.schema.json', import.meta.url)

    assert.deepEqual(
      JSON.parse(readFileSync(shipped, 'utf8')),
      JSON.parse(JSON.stringify(z.toJSONSchema(SettingsFile, { io: 'input' }))),
    )
  })
})

describe('the secret of a hook in the file', () => {
  const before_sign_up = { enabled: true, url: 'https://shop.example/hook', on_failure: 'refuse' }
  const hooked = (before_sign_up_secret?: string) => parse({ hooks: { before_sign_up, before_sign_up_secret } })

  it.for(['keep', undefined])(
    'is made if there is none, and is in the file for secrets: %s',
    async (word, { service }) => {
      const { platform } = service
      const file = await hooked(word)
      const secretsOut = newFile()

      const [, planned, ...others] = await planSettings(platform, file)
      await assert.rejects(applySettings({ platform }, file), /hooks\.before_sign_up_secret: .*--secrets-out/)
      await applySettings({ platform }, file, { secretsOut })
      const secrets = JSON.parse(readFileSync(secretsOut, 'utf8'))
      const environment = { HOOK_SECRET: secrets.hooks.before_sign_up_secret }
      const again = await planSettings(platform, await hooked('env:HOOK_SECRET'), { environment })

      assert.deepEqual(planned, {
        path: 'hooks.before_sign_up_secret',
        words: 'is made; or write "env:NAME" or "file:PATH" for a secret that your back end has',
      })
      assert.deepEqual([others, again], [[], []])
      assert.match(secrets.hooks.before_sign_up_secret, /^whsec_/)
      assert.deepEqual(
        (await recordFindings(platform)).filter(({ about }) => about === 'hooks'),
        [],
      )
    },
  )

  it('is the same after a rotation, while the former one signs too', async ({ service, administrator }) => {
    const { platform } = service
    await administrator.saveSettings('hooks', { before_sign_up })
    await administrator.post('/api/admin/rotate_hook_secret', { hook: 'before_sign_up' })
    const { body } = await administrator.post('/api/admin/rotate_hook_secret', { hook: 'before_sign_up' })

    const environment = { HOOK_SECRET: body.secret }

    assert.deepEqual(await planSettings(platform, await hooked('env:HOOK_SECRET'), { environment }), [])
  })

  it.for([
    [
      { before_sign_up: { ...before_sign_up, url: '' } },
      /^hooks\.before_sign_up\.url: An enabled hook needs an address/,
    ],
    [{ before_sign_up: { enabled: true, url: 'https://shop.example/' } }, /^hooks\.before_sign_up\.on_failure: Choose/],
    [
      { before_sign_up: { ...before_sign_up, url: 'http://127.0.0.1/' } },
      /^hooks\.before_sign_up\.url: .*WEBHOOK_NETWORKS/,
    ],
    [
      { before_sign_up: { ...before_sign_up, url: 'https://10.0.0.1/' } },
      /^hooks\.before_sign_up\.url: .*WEBHOOK_NETWORKS/,
    ],
    [
      { before_sign_up, before_sign_up_secret: 'env:NOWHERE' },
      /^hooks\.before_sign_up_secret: the variable NOWHERE is not/,
    ],
    [
      { before_sign_up, before_sign_up_secret: 'env:SHORT' },
      /^hooks\.before_sign_up_secret\.value: A secret is whsec_/,
    ],
  ] as const)(
    'and what else keeps a hook from asking is refused with its path: %o',
    async ([hooks, words], { service }) => {
      const planned = async () =>
        planSettings(service.platform, await parse({ hooks }), { environment: { SHORT: 'whsec_short' } })

      await assert.rejects(planned, ({ message }: Error) => {
        assert.match(message, words)
        return true
      })
    },
  )
})

const SHOP = {
  key: 'shop',
  name: 'Shop',
  kind: 'web',
  redirect_uris: ['https://shop.example/callback'],
  scopes: ['openid', 'product:orders:read'],
}
const FILE = {
  applications: [SHOP, { key: 'page', name: 'Page', kind: 'browser', redirect_uris: ['https://page.example/'] }],
  product_scopes: [{ scope: 'product:orders:read', description: 'Read your orders' }],
  webhooks: [{ key: 'crm', url: 'https://crm.example/hooks?token=1', types: ['user.created'] }],
}
const newFile = () => join(temporaryFolder(), 'secrets.json')

describe('applications, product scopes and webhooks in the file', () => {
  it('plan shows what apply does; applied twice, nothing changes, and the export is taken back', async ({
    service,
  }) => {
    const { platform } = service
    const file = await parse(FILE)
    const secretsOut = newFile()

    const before = await planSettings(platform, file)
    const applied = await applySettings({ platform }, file, { secretsOut })
    const twice = await applySettings({ platform }, file)
    const exported = await settingsAsFile(platform)
    const again = await planSettings(platform, await parse(exported.file))

    assert.deepEqual(before, [
      { path: 'product_scopes.product:orders:read', words: 'is declared: "Read your orders"' },
      { path: 'applications.shop', words: 'is registered, and gets a secret' },
      { path: 'applications.page', words: 'is registered' },
      { path: 'webhooks.crm', words: 'is added, and gets a secret' },
    ])
    assert.deepEqual([applied, twice, again], [before, [], []])
    assert.partialDeepStrictEqual(exported.file, { ...FILE, applications: FILE.applications.toReversed() })
  })

  it('the secrets that apply makes work, and are in the file of mode 0600 and nowhere else', async ({
    service,
    ann,
  }) => {
    const { platform } = service
    const secretsOut = newFile()

    await applySettings({ platform }, await parse(FILE), { secretsOut })

    const secrets = JSON.parse(readFileSync(secretsOut, 'utf8'))
    const { client_id, client_secret } = secrets.applications.shop
    const { status } = await postForm(ann, '/api/oauth/introspect', { token: 'x', client_id, client_secret })
    assert.deepEqual(Object.keys(secrets), ['applications', 'webhooks'])
    assert.deepEqual([Object.keys(secrets.applications), Object.keys(secrets.webhooks)], [['shop'], ['crm']])
    assert.match(secrets.webhooks.crm, /^whsec_/)
    assert.deepEqual([status, statSync(secretsOut).mode & 0o777], [200, 0o600])
  })

  it('without a file for its secrets, an apply that makes one changes nothing at all', async ({ service }) => {
    const { platform } = service
    const file = await parse({ ...FILE, credits: { signup_reward_amount: 7 } })
    const before = await planSettings(platform, file)
    const taken = newFile()
    await writeFile(taken, 'former')

    await assert.rejects(applySettings({ platform }, file), /applications\.shop, webhooks\.crm: .*--secrets-out/)
    await assert.rejects(applySettings({ platform }, file, { secretsOut: taken }), /already exists/)

    assert.deepEqual(await planSettings(platform, file), before)
    assert.equal(readFileSync(taken, 'utf8'), 'former')
  })

  it('changes only the fields that differ, each named in the plan, with one audit entry for each thing', async ({
    service,
    administrator,
  }) => {
    const { platform } = service
    await applySettings({ platform }, await parse(FILE), { secretsOut: newFile() })
    const file = await parse({
      applications: [{ key: 'shop', name: 'Market', resource: 'https://api.shop.example' }],
      product_scopes: [{ scope: 'product:orders:read', description: 'See your orders' }],
      webhooks: [{ key: 'crm', url: 'https://crm.example/other', types: [] }],
    })

    const differences = await applySettings({ platform }, file)

    assert.deepEqual(differences, [
      { path: 'product_scopes.product:orders:read.description', words: '"Read your orders" -> "See your orders"' },
      { path: 'applications.shop.name', words: '"Shop" -> "Market"' },
      { path: 'applications.shop.resource', words: 'null -> "https://api.shop.example"' },
      { path: 'webhooks.crm.url', words: '"https://crm.example/…" -> "https://crm.example/…"' },
      { path: 'webhooks.crm.types', words: '["user.created"] -> []' },
    ])
    const { body } = await administrator.post('/api/admin/list_audit_entries', { page_size: 3 })
    assert.deepEqual(body.items.map(({ action }: { action: string }) => action).toSorted(), [
      'application.update',
      'product_scope.declare',
      'webhook.update',
    ])
  })

  it('what is not in the file stays, unless it is pruned: only what has a key, and scopes that nobody has', async ({
    service,
    administrator,
  }) => {
    const { platform } = service
    await applySettings({ platform }, await parse(FILE), { secretsOut: newFile() })
    for (const scope of ['product:hand:read', 'product:idle:read'])
      await administrator.post('/api/admin/declare_product_scope', { scope, description: 'By hand' })
    await register(administrator, { name: 'By hand', scopes: ['openid', 'product:hand:read'] })
    await administrator.post('/api/admin/create_webhook', { url: 'https://hand.example/' })
    const file = await parse({ applications: [], product_scopes: [], webhooks: [] })

    const kept = await planSettings(platform, file)
    const elsewhere = await planSettings(platform, await parse({}), { rest: 'pruned' })
    const planned = await planSettings(platform, file, { rest: 'pruned' })
    const applied = await applySettings({ platform }, file, { rest: 'pruned' })
    const again = await planSettings(platform, file, { rest: 'pruned' })

    assert.deepEqual([kept, elsewhere, again], [[], [], []])
    assert.deepEqual(planned, [
      { path: 'product_scopes.product:idle:read', words: 'is deleted' },
      { path: 'product_scopes.product:orders:read', words: 'is deleted' },
      { path: 'applications.page', words: 'is deleted' },
      { path: 'applications.shop', words: 'is deleted' },
      { path: 'webhooks.crm', words: 'is removed' },
    ])
    assert.deepEqual(applied, planned)
    const { file: left, withoutKey } = await settingsAsFile(platform)
    assert.deepEqual([left.product_scopes?.map(({ scope }) => scope), withoutKey], [['product:hand:read'], 2])
  })

  it('an address goes from one application to another in one apply', async ({ service }) => {
    const { platform } = service
    const page = { ...FILE.applications[1], resource: 'https://api.example' }
    const { product_scopes } = FILE
    await applySettings({ platform }, await parse({ applications: [SHOP, page], product_scopes }), {
      secretsOut: newFile(),
    })
    const swapped = {
      applications: [
        { ...SHOP, resource: 'https://api.example/' },
        { ...page, resource: null },
      ],
    }

    await applySettings({ platform }, await parse(swapped))

    assert.deepEqual(await planSettings(platform, await parse(swapped)), [])
  })

  it('a change meanwhile is seen before anything is written, and neither is lost', async ({
    service,
    administrator,
  }) => {
    const { platform } = service
    await applySettings({ platform }, await parse(FILE), { secretsOut: newFile() })
    const { body } = await administrator.post('/api/admin/list_applications')
    const { id } = body.items.find(({ key }: { key: string }) => key === 'shop')

    const [applied, ...saved] = await Promise.all([
      applySettings({ platform }, await parse({ applications: [{ key: 'shop', name: 'Market' }] })),
      administrator.post('/api/admin/update_application', { id, home_url: 'https://shop.example/' }),
      administrator.post('/api/admin/update_credits_config', { expected_version: 1, signup_reward_amount: 3 }),
    ])

    assert.equal(applied.length, 1)
    assert.deepEqual(statuses(saved), [200, 200])
    const { file } = await settingsAsFile(platform)
    const shop = file.applications?.find(({ key }) => key === 'shop')
    assert.partialDeepStrictEqual(shop, { name: 'Market', home_url: 'https://shop.example/' })
    assert.equal(file.credits?.signup_reward_amount, 3)
  })

  it.for([
    [{ applications: [{ ...SHOP, colour: 'red' }] }, /^applications\.shop\.colour: /],
    [{ applications: [{ name: 'Shop' }] }, /^applications\.0\.key: /],
    [{ applications: [{ ...SHOP, key: 'Shop' }] }, /^applications\.Shop\.key: A key has 1 to 40/],
    [{ applications: [{ ...SHOP, key: 'a'.repeat(41) }] }, /^applications\.a+\.key: /],
    [{ applications: {} }, /^applications: /],
    [{ applications: [SHOP, SHOP] }, /^applications\.shop: is there twice\.$/],
    [{ applications: [{ key: 'shop', name: 'Shop' }] }, /^applications\.shop\.kind: is missing/],
    [{ applications: [{ key: 'shop', kind: 'service' }] }, /^applications\.shop\.name: is missing/],
    [{ applications: [SHOP] }, /^applications\.shop\.scopes: Declare the product scopes first\.$/],
    [{ applications: [{ ...SHOP, scopes: ['admin:nothing:read'] }] }, /^applications\.shop\.scopes\.0: Unknown scope/],
    [
      { applications: [{ ...SHOP, scopes: [], redirect_uris: [] }] },
      /^applications\.shop\.redirect_uris: Add at least/,
    ],
    [
      { applications: [{ ...SHOP, scopes: [], backchannel_logout_uri: 'http://10.0.0.1/' }] },
      /^applications\.shop\.backchannel_logout_uri: /,
    ],
    [
      {
        applications: ['a', 'b'].map((key) => ({ ...SHOP, key, scopes: [], resource: 'https://api.example/' })),
      },
      /^applications\.a\.resource: Another application has this address\.$/,
    ],
    [{ product_scopes: [{ scope: 'orders', description: 'x' }] }, /^product_scopes\.orders\.scope: /],
    [{ product_scopes: [...FILE.product_scopes, ...FILE.product_scopes] }, /is there twice/],
    [{ webhooks: [{ key: 'crm', url: 'https://127.0.0.1/' }] }, /^webhooks\.crm\.url: /],
    [{ webhooks: [{ key: 'crm', url: 'https://[fd00::1]/' }] }, /^webhooks\.crm\.url: /],
    [{ webhooks: [{ key: 'crm' }] }, /^webhooks\.crm\.url: is missing/],
    [{ webhooks: [{ key: 'crm', url: 'https://crm.example/', types: ['user.eaten'] }] }, /^webhooks\.crm\.types\.0: /],
    [{ webhooks: [{ key: 'crm', url: 'https://crm.example/', enabled: 1 }] }, /^webhooks\.crm\.enabled: /],
    [{ webhooks: [...FILE.webhooks, ...FILE.webhooks] }, /^webhooks\.crm: is there twice\.$/],
  ] as const)(
    'what cannot be is refused with its path, and nothing is applied: %o',
    async ([file, words], { service }) => {
      const secretsOut = newFile()
      const apply = async () => {
        const parsed = await parse({ credits: { signup_reward_amount: 9 }, ...file })
        return applySettings({ platform: service.platform }, parsed, { secretsOut })
      }

      await assert.rejects(apply, ({ name, message }: Error) => {
        assert.equal(name, 'OperatorError')
        assert.match(message, words)
        return true
      })
      const { file: left } = await settingsAsFile(service.platform)
      assert.deepEqual([left.credits?.signup_reward_amount, existsSync(secretsOut)], [0, false])
    },
  )

  it('another kind under a key is refused', async ({ service }) => {
    const { platform } = service
    await applySettings({ platform }, await parse(FILE), { secretsOut: newFile() })
    const file = await parse({ applications: [{ ...SHOP, kind: 'browser' }] })

    await assert.rejects(planSettings(platform, file), /^OperatorError: applications\.shop\.kind: is web/)
  })
})

describe('a key', () => {
  it('is set once, by the administrator’s own fresh session, and no two have the same', async ({ administrator }) => {
    const tool = await grantFor(administrator, 'admin:applications:write admin:events:write')
    const shop = await register(administrator, { key: 'shop' })
    const other = await register(administrator, { name: 'Other' })
    const hook = await administrator.post('/api/admin/create_webhook', { url: 'https://a.example/', key: 'shop' })
    const path = '/api/admin/update_application'

    const taken = await administrator.post(path, { id: other.id, key: 'shop' })
    const set = await administrator.post(path, { id: other.id, key: 'other' })
    const changed = await administrator.post(path, { id: other.id, key: 'another' })
    const same = await administrator.post(path, { id: shop.id, key: 'shop' })
    const byTool = await tool.post(path, { id: shop.id, key: 'shop' })
    const hooks = [
      await administrator.post('/api/admin/create_webhook', { url: 'https://b.example/', key: 'shop' }),
      await administrator.post('/api/admin/update_webhook', { id: hook.body.id, key: 'crm' }),
      await administrator.post('/api/admin/update_webhook', { id: hook.body.id, key: 'shop' }),
      await tool.post('/api/admin/create_webhook', { url: 'https://b.example/', key: 'crm' }),
    ]

    assertRefused(taken, 'INVALID_REQUEST', 'key')
    assertRefused(changed, 'INVALID_REQUEST', 'key')
    assert.deepEqual([set.body.key, same.body.key, byTool.status], ['other', 'shop', 403])
    assert.deepEqual(statuses(hooks), [400, 400, 200, 403])
  })
})
