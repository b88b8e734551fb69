import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe } from 'vitest'
import { assertRefused } from '../../../../test/service/answers.ts'
import { register } from '../../../../test/service/applications.ts'
import { grantFor } from '../../../../test/service/grants.ts'
import { it } from '../../../../test/service/it.ts'
import type { Answer } from '../../../../test/service/people.ts'

interface Item {
  readonly kind: string
  readonly id: string
  readonly owner: { readonly email: string } | null
}

const sha256 = (secret: string, encoding: 'hex' | 'base64url' = 'hex') =>
  createHash('sha256').update(secret).digest(encoding)

const kinds = ({ body }: Answer<{ readonly items: readonly Item[] }>) => body.items.map(({ kind }) => kind)

const SCRIPT = { name: 'Nightly report', scopes: ['account:profile:read'], expires_in_days: 9 }

describe('admin/find', () => {
  it('names the kind, owner, scopes and last use of a token by its hash', async ({ service, administrator, ann }) => {
    const { body } = await ann.post('/api/create_personal_token', SCRIPT)
    service.clock.advance({ minutes: 5 })
    await ann.post('/api/list_personal_tokens')
    await ann.get('/api/auth/get-session', { authorization: `Bearer ${body.token}` })

    const found = await administrator.post('/api/admin/find', { sha256: sha256(body.token) })

    assert.deepEqual(found.body, {
      items: [
        {
          kind: 'personal_token',
          id: body.id,
          title: 'Nightly report',
          owner: { id: ann.id, email: ann.email, name: ann.email },
          scopes: ['account:profile:read'],
          last_used_at: service.clock.now(),
        },
      ],
    })
  })

  it('finds what each secret belongs to, until it has ended', async ({ service, administrator, ann }) => {
    const { tokens } = await grantFor(ann, 'account:profile:read')
    const { client_secret = '', id } = await register(administrator, { kind: 'service', name: 'Worker' })
    const secrets = [tokens.access_token, tokens.refresh_token, ann.token, client_secret]
    const find = (secret: string) => administrator.post('/api/admin/find', { sha256: sha256(secret, 'base64url') })

    const [access, refresh, session, application] = await Promise.all(secrets.map(find))
    const { body } = await administrator.post('/api/admin/get_user', { id: ann.id })
    await administrator.post('/api/admin/revoke_user_grant', { user_id: ann.id, id: access?.body.items[0].id })
    service.clock.advance({ days: 30 })
    await administrator.signIn()
    const later = await Promise.all(secrets.map(find))

    assert.deepEqual(
      [access, refresh, session, application].map((answer) => answer?.body.items[0].kind),
      ['access_token', 'refresh_token', 'session', 'application_secret'],
    )
    assert.equal(access?.body.items[0].id, body.grants[0].id)
    assert.deepEqual([session?.body.items[0].owner.id, application?.body.items[0].id], [ann.id, id])
    assert.deepEqual(later.map(kinds), [[], [], [], ['application_secret']])
  })

  it('finds ids of every kind, also of rows in a shard', async ({ administrator, ann }) => {
    const find = async (text: string) => kinds(await administrator.post('/api/admin/find', { text }))
    const { id: feedback } = (await ann.post('/api/submit_feedback', { type: 'idea', content: 'More doors' })).body
    const news = await administrator.post('/api/admin/create_notification', { title: 'News', content: 'One' })
    const shop = await register(administrator, { name: 'Corner Shop' })
    const webhook = await administrator.post('/api/admin/create_webhook', { url: 'https://example.com/hook' })
    const log = await administrator.post('/api/admin/list_audit_entries', { page_size: 1 })
    const { body: script } = await ann.post('/api/create_personal_token', SCRIPT)
    const { body: user } = await administrator.post('/api/admin/get_user', { id: ann.id })

    assert.deepEqual(await find(ann.id), ['user'])
    assert.deepEqual(await find(user.sessions[0].id), ['session'])
    assert.deepEqual(await find(script.id), ['personal_token'])
    assert.deepEqual(await find(feedback), ['feedback'])
    assert.deepEqual(await find(news.body.id), ['notification'])
    assert.deepEqual(await find(shop.id), ['application'])
    assert.deepEqual(await find(webhook.body.id), ['webhook'])
    assert.deepEqual(await find(log.body.items[0].id), ['audit_entry'])
    assert.deepEqual(await find('0198c0de-0000-7000-8000-000000000000'), [])
  })

  it('finds codes, addresses and parts of names', async ({ administrator, ann }) => {
    const find = async (text: string) => (await administrator.post('/api/admin/find', { text })).body.items
    const { codes } = (await administrator.post('/api/admin/generate_beta_codes', { count: 1 })).body
    await register(administrator, { name: 'Corner Shop' })
    const { body: user } = await administrator.post('/api/admin/get_user', { id: ann.id })

    const found = await Promise.all([codes[0].toLowerCase(), ann.email, 'orner sh', user.aff_code, 'ann@'].map(find))

    assert.deepEqual(
      found.map((items) => items.map(({ kind }: Item) => kind)),
      [['beta_code'], ['user'], ['application'], ['user'], ['user']],
    )
    assert.equal(found[1][0].owner.email, ann.email)
  })

  it('shows a program no more than its scopes do', async ({ administrator }) => {
    const { client_secret = '', id } = await register(administrator, { kind: 'service', name: 'Worker' })
    const narrow = await grantFor(administrator, 'admin:users:read')
    const wide = await grantFor(administrator, 'admin:users:read', 'admin:applications:read')
    const asked = [{ text: id }, { text: 'Worker' }, { sha256: sha256(client_secret) }]

    for (const input of asked) {
      assert.deepEqual(kinds(await narrow.post('/api/admin/find', input)), [])
      assert.equal(kinds(await wide.post('/api/admin/find', input)).length, 1)
    }
  })

  it('takes either a hash or a text, and nobody but the administrator', async ({ administrator, ann }) => {
    const hash = sha256('a')
    for (const input of [{}, { sha256: hash, text: 'a' }, { sha256: 'a' }, { text: ' ' }])
      assertRefused(await administrator.post('/api/admin/find', input), 'INVALID_REQUEST')
    assertRefused(await ann.post('/api/admin/find', { sha256: hash }), 'FORBIDDEN')
  })
})
