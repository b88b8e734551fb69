import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CALLBACK, register } from '../../service/applications.ts'
import { addPasskey, SecurityKey } from '../../service/devices/security-key.ts'
import { type Answer, people } from '../../service/people.ts'
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
