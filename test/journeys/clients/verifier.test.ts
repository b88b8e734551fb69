import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { createVerifier, type Verifier } from '../../../packages/server/verifier.ts'
import { untilSo } from '../../faults/support/replicated.ts'
import { Installation } from '../../processes/installation.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

describe('gatehouse/server against the real program', () => {
  const service = new Installation()
  let url = ''
  let verifier: Verifier

  beforeAll(async () => {
    const { stdout } = await service.run(['prepare'])
    const [, email = '', password = ''] = /^Administrator: (.*)\nPassword: (.*)$/m.exec(stdout) ?? []
    url = (await service.serve()).url
    const { token } = await post('/api/auth/sign-in/email', { email, password })
    const credentials = await post('/api/admin/create_application', { name: 'Shop', kind: 'service' }, token)
    const following = Promise.withResolvers<void>()
    verifier = createVerifier({
      issuer: url,
      clientId: credentials.client_id,
      clientSecret: credentials.client_secret,
      fetch: counted,
      onConnection: (state) => state === 'following' && following.resolve(),
    })
    await following.promise
  })

  afterAll(async () => {
    verifier.close()
    await service[Symbol.asyncDispose]()
  })

  it('remembers a session, and refuses it once it was signed out, without asking', async () => {
    const ann = await signUp('ann@example.com')
    const first = await verifier.verify(bearer(ann.token))
    const asks = asked()
    const second = await verifier.verify(bearer(ann.token))
    const asksForSecond = asked() - asks

    await post('/api/auth/sign-out', {}, ann.token)
    await refused(ann.token)

    assert.deepEqual([first?.userId, first?.email, second], [ann.id, 'ann@example.com', first])
    assert.equal(asksForSecond, 0)
    assert.equal(asked(), asks)
  })

  it('takes a signed token, and refuses it once its session has ended, however long it would live', async () => {
    const ben = await signUp('ben@example.com')
    const { token: signed } = await get('/api/auth/token', ben.token)

    const caller = await verifier.verify(bearer(signed))
    await post('/api/auth/revoke-sessions', {}, ben.token)
    await refused(signed)

    assert.deepEqual([caller?.userId, caller?.kind], [ben.id, 'session'])
  })

  it('refuses every session of a user who was deleted', async () => {
    const cleo = await signUp('cleo@example.com')
    const { token: signed } = await get('/api/auth/token', cleo.token)
    const before = await Promise.all([cleo.token, signed].map((token) => verifier.verify(bearer(token))))

    await post('/api/auth/delete-user', { password: 'a long enough phrase' }, cleo.token)
    await refused(cleo.token)
    await refused(signed)

    assert.deepEqual(
      before.map((caller) => caller?.userId),
      [cleo.id, cleo.id],
    )
  })

  const requests: string[] = []
  const counted: typeof fetch = (input, init) => {
    requests.push(String(input))
    return fetch(input, init)
  }
  const asked = () => requests.filter((address) => address.endsWith('/api/verify')).length

  /** Long before the verifier would forget it by itself; how soon is measured by `npm run bench -- verifier`. */
  async function refused(token: string): Promise<void> {
    await untilSo('it is refused', async () => (await verifier.verify(bearer(token))) === undefined)
  }

  async function signUp(email: string): Promise<{ id: string; token: string }> {
    const { token, user } = await post('/api/auth/sign-up/email', {
      email,
      password: 'a long enough phrase',
      name: email,
    })
    return { id: user.id, token }
  }

  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
  async function post(path: string, body: object, token?: string): Promise<any> {
    const headers = token === undefined ? JSON_TYPE : { ...JSON_TYPE, ...bearer(token).headers }
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    assert.equal(answer.status, 200, `${path}: ${await answer.clone().text()}`)
    return answer.json()
  }

  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
  async function get(path: string, token: string): Promise<any> {
    return (await fetch(url + path, bearer(token))).json()
  }
})

function bearer(token: string) {
  return { headers: { authorization: `Bearer ${token}` } }
}
