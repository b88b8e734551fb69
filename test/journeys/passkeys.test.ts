import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { Installation } from '../processes/installation.ts'
import { Jar } from '../processes/jar.ts'
import { attestedWithListAt } from '../service/devices/android-key.ts'
import { SecurityKey } from '../service/devices/security-key.ts'

const CREDENTIALS = { email: 'ann@example.com', password: 'a long passphrase of hers' }

describe('the built program, which leaves out what checks the makers of passkeys,', () => {
  it('adds one that is vouched for, and signs in with it', async () => {
    await using program = new Installation()
    const { url } = await program.serve()
    const key = new SecurityKey(url)
    const owner = new Browser(url)
    await owner.post('sign-up/email', { ...CREDENTIALS, name: 'Ann' })
    const options = await owner.get('passkey/generate-register-options')

    const attested = attestedWithListAt('http://127.0.0.1:9/revoked')
    await owner.post('passkey/verify-registration', { response: key.make(options, { attested }) })
    const visitor = new Browser(url)
    const challenge = await visitor.get('passkey/generate-authenticate-options')
    const entered = await visitor.post('passkey/verify-authentication', { response: key.show(challenge) })

    assert.equal(entered.user?.email, CREDENTIALS.email)
  })
})

class Browser {
  readonly #jar = new Jar()
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  async get(path: string) {
    const response = await this.#jar.fetch(`${this.#url}/api/auth/${path}`, { origin: this.#url })
    return JSON.parse(await response.text())
  }

  async post(path: string, body: object) {
    const response = await this.#jar.fetch(`${this.#url}/api/auth/${path}`, {
      method: 'POST',
      origin: this.#url,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return JSON.parse(await response.text())
  }
}
