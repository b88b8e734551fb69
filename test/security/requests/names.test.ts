import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { importUsers } from '../../../src/operator/transfer/users/users-file.ts'
import { assertRefused } from '../../service/answers.ts'
import { CALLBACK, register } from '../../service/applications.ts'
import { addPasskey, SecurityKey } from '../../service/devices/security-key.ts'
import { it } from '../../service/it.ts'
import { type Answer, people, stranger } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

const UNFIT = {
  'a line break': 'CI\nCall this number',
  'a carriage return': 'CI\rCall this number',
  'a line separator': 'CI\u2028Call this number',
  NUL: 'C\u0000I',
  'an escape sequence': '\u001b[2JCI',
  'a mark that turns the direction': 'CI\u202egro.live',
  'an isolate of another direction': 'CI\u2067gro.live',
  'half a character': 'CI\ud83d',
  'nothing to see': '\u200b\u2060\u2800',
}
const SOUND = ['CI', 'الجسر المتحرك', '安全密钥 🔑', 'Ann’s “laptop” (1)', '👩‍💻']

describe('checklist 101: a name that is shown where others decide', () => {
  it('is one visible line, in each place where a name is sent', async () => {
    await using w = await world()

    for (const [place, send] of Object.entries(w.places)) {
      for (const [what, name] of Object.entries(UNFIT)) {
        const { status, body } = await send(name)
        assert.deepEqual([status, body.code], [400, 'INVALID_REQUEST'], `${place}: ${what}`)
      }
    }
  })

  it('can be in any language', async () => {
    await using w = await world()

    for (const [place, send] of Object.entries(w.places)) {
      for (const name of SOUND) assert.equal((await send(name)).status, 200, `${place}: ${name}`)
    }
  })
})

describe('checklist 101: a name of a user', () => {
  it('is cleaned to one sound line, wherever it is written', async ({ service, administrator, ann }) => {
    const carl = stranger(service)
    const name = ' Carl\r\nCall this number:\u202enow\u2066 '
    const byAdministrator = { email: 'dora@example.com', name, password: 'a bench by the gate' }

    const answers = [
      await carl.signUp({ name }),
      await ann.post('/api/auth/update-user', { name }),
      await administrator.post('/api/admin/create_user', byAdministrator),
    ]
    const imported = [{ email: 'emil@example.com', name }]
    assert.equal((await importUsers(service.platform, imported, () => undefined)).imported, 1)

    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    )
    const { items } = (await administrator.post('/api/admin/list_users')).body
    const names = new Map<string, string>(
      items.map((user: { readonly email: string; readonly name: string }) => [user.email, user.name]),
    )
    for (const email of [carl.email, ann.email, 'dora@example.com', 'emil@example.com'])
      assert.equal(names.get(email), 'Carl Call this number: now', email)
  })

  it('of which nothing can be seen is refused, and not taken from a file', async ({
    service,
    administrator,
    ann,
  }) => {
    const carl = stranger(service)
    for (const name of ['\n\u202e', '\u200b', '\u200b\u2060\u00ad', '\u3164', '\u2800 ']) {
      const sent = [
        await ann.post('/api/auth/update-user', { name }),
        await carl.signUp({ name }),
        await administrator.post('/api/admin/create_user', { email: 'dora@example.com', name }),
      ]
      for (const answer of sent) assertRefused(answer, 'INVALID_REQUEST', 'name')
    }

    const emil = { email: 'emil@example.com', name: '\u200b' }
    assert.equal((await importUsers(service.platform, [emil], () => undefined)).imported, 1)
    const { items } = (await administrator.post('/api/admin/list_users', { search: emil.email })).body
    assert.equal(items[0].name, emil.email)
  })
})

interface Refused {
  readonly code?: string
}

async function world() {
  const service = await startService({ env: { USER_LIMIT_FACTOR: '100' } })
  const { administrator, ann } = await people(service)
  const { id } = await register(administrator)
  const key = new SecurityKey(service.config.baseUrl)
  const { body: passkey } = await addPasskey(ann, key)
  const application = { kind: 'web', redirect_uris: [CALLBACK] }
  const token = { scopes: ['account:profile:read'], expires_in_days: 30 }
  const scope = 'product:bells:read'
  const places: Readonly<Record<string, (name: string) => Promise<Answer<Refused>>>> = {
    'a new application': (name) =>
      administrator.post('/api/admin/create_application', { ...application, name }),
    'an application': (name) => administrator.post('/api/admin/update_application', { id, name }),
    'a product scope': (name) =>
      administrator.post('/api/admin/declare_product_scope', { scope, description: name }),
    'a personal token': (name) => ann.post('/api/create_personal_token', { ...token, name }),
    'a passkey': (name) => ann.post('/api/auth/passkey/update-passkey', { id: passkey.id, name }),
    'an authenticator app': (issuer) =>
      ann.post('/api/auth/two-factor/enable', { password: ann.password, issuer }),
  }
  return { places, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}
