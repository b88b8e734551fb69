import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { createVerifier, type Verifier } from '../../../packages/server/verifier.ts'
import { untilSo } from '../../faults/support/replicated.ts'
import { Installation, type Life } from '../../processes/installation.ts'
import { register } from '../../service/applications.ts'

describe('gatehouse/server against the real program', () => {
  const service = new Installation()
  let life: Life
  let verifier: Verifier

  beforeAll(async () => {
    const administrator = await service.prepare()
    life = await service.serve()
    const made = await register(await life.signedIn(administrator), { kind: 'service' })
    const following = Promise.withResolvers<void>()
    verifier = createVerifier({
      issuer: life.url,
      clientId: made.client_id,
      clientSecret: made.client_secret ?? '',
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
    const ann = await life.signedUp('ann')
    const first = await verifier.verify(bearer(ann.token))
    const asks = asked()
    const second = await verifier.verify(bearer(ann.token))
    const asksForSecond = asked() - asks

    await ann.post('/api/auth/sign-out')
    await refused(ann.token)

    assert.deepEqual([first?.userId, first?.email, second], [ann.id, 'ann@example.com', first])
    assert.equal(asksForSecond, 0)
    assert.equal(asked(), asks)
  })

  it('takes a signed token, and refuses it once its session has ended, however long it would live', async () => {
    const ben = await life.signedUp('ben')
    const signed = (await ben.get('/api/auth/token')).body.token

    const caller = await verifier.verify(bearer(signed))
    await ben.post('/api/auth/revoke-sessions')
    await refused(signed)

    assert.deepEqual([caller?.userId, caller?.kind], [ben.id, 'session'])
  })

  it('refuses every session of a user who was deleted', async () => {
    const cleo = await life.signedUp('cleo')
    const signed = (await cleo.get('/api/auth/token')).body.token
    const before = await Promise.all([cleo.token, signed].map((token) => verifier.verify(bearer(token))))

    await cleo.post('/api/auth/delete-user', { password: cleo.password })
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
})

function bearer(token: string) {
  return { headers: { authorization: `Bearer ${token}` } }
}
