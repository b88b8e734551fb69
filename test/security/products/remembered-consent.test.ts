import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { basic, codeFor, register, tokenRequest, tokensFor } from '../../service/applications.ts'
import { postForm } from '../../service/grants.ts'
import { type Person, people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

const SCOPES = ['openid', 'offline_access']
const ASKED = { scope: SCOPES.join(' ') }

async function world() {
  const service = await startService()
  const { administrator, ann } = await people(service)
  const shop = await register(administrator, { scopes: SCOPES })
  const tokens = await tokensFor(ann, shop, ASKED)
  const close = () => service[Symbol.asyncDispose]()
  return { service, administrator, ann, shop, tokens, [Symbol.asyncDispose]: close }
}

async function firstGrantOf(ann: Person): Promise<string> {
  const { body } = await ann.post('/api/list_grants')
  return body.items[0].id
}

describe('a remembered consent', () => {
  it('outlives the tokens that the application itself revokes, as it does when its user signs out', async () => {
    await using w = await world()
    const revoke = (token: string) => postForm(w.ann, '/api/oauth/revoke', { token }, basic(w.shop))

    await revoke(w.tokens.access_token)
    const afterFirst = await codeFor(w.ann, w.shop, ASKED)
    const { refresh_token } = await tokensFor(w.ann, w.shop, ASKED)
    await revoke(refresh_token)
    const afterSecond = await codeFor(w.ann, w.shop, ASKED)
    const refreshed = await tokenRequest(w.ann, w.shop, { grant_type: 'refresh_token', refresh_token })

    assert.deepEqual([afterFirst.wasAsked, afterSecond.wasAsked], [false, false])
    assert.equal(refreshed.body.error, 'invalid_grant')
  })

  it('ends with a grant that the user revokes', async () => {
    await using w = await world()

    await w.ann.post('/api/revoke_grant', { id: await firstGrantOf(w.ann) })

    assert.equal((await codeFor(w.ann, w.shop, ASKED)).wasAsked, true)
  })

  it('ends with a grant that the administrator revokes', async () => {
    await using w = await world()
    const id = await firstGrantOf(w.ann)

    await w.administrator.post('/api/admin/revoke_user_grant', { user_id: w.ann.id, id })

    assert.equal((await codeFor(w.ann, w.shop, ASKED)).wasAsked, true)
  })
})
