import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { grantFor, refreshWith, revoke, userBehind } from '../../../../test/service/grants.ts'
import { type Answer, type Person, people } from '../../../../test/service/people.ts'
import { startService } from '../../../../test/service/service.ts'

const READ = 'operations:notifications:read'
const WRITE = 'operations:notifications:write'

interface Refreshed {
  readonly access_token: string
  readonly refresh_token: string
  readonly error?: string
}

/** Five refreshes at once; in every other round one has its answer before the revocation is sent. */
async function refreshBesideRevocation(person: Person, round: number): Promise<Answer<Refreshed>[]> {
  const client = await grantFor(person, READ)
  const refreshing = Array.from({ length: 5 }, () => client.refresh())
  if (round % 2 === 1) await Promise.race(refreshing)
  await revoke(person, client.tokens.refresh_token)
  return Promise.all(refreshing)
}

describe('a refresh', () => {
  it('gives a new pair', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    const client = await grantFor(ann, READ)

    const { status, headers, body } = await client.refresh()

    assert.equal(status, 200)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.notEqual(body.refresh_token, client.tokens.refresh_token)
    assert.notEqual(body.access_token, client.tokens.access_token)
    assert.equal(body.expires_in, 900)
    assert.equal(await userBehind(ann, body.access_token), ann.id)
  })

  it('that is retried within 30 s gets the same pair', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    const client = await grantFor(ann, READ)
    const first = await client.refresh()

    service.clock.advance({ seconds: 29 })
    const retry = await client.refresh()

    assert.equal(retry.body.refresh_token, first.body.refresh_token)
    assert.equal(retry.body.access_token, first.body.access_token)
    assert.equal(retry.body.expires_in, 900 - 29)
  })

  it('that is replayed after 30 s revokes this grant only', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    const client = await grantFor(ann, READ)
    const other = await grantFor(ann, READ)
    const first = await client.refresh()

    service.clock.advance({ seconds: 30 })
    const replay = await client.refresh()
    const successor = await refreshWith(ann, first.body.refresh_token)

    assert.deepEqual([replay.status, replay.body.error], [400, 'invalid_grant'])
    assert.deepEqual([successor.status, successor.body.error], [400, 'invalid_grant'])
    assert.equal(await userBehind(ann, first.body.access_token), undefined)
    assert.equal((await other.refresh()).status, 200)
    assert.equal((await ann.get('/api/auth/get-session')).body.user.id, ann.id)
  })

  it('done 20 times at once leaves a working pair and one family', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    const client = await grantFor(ann, READ)

    const answers = await Promise.all(Array.from({ length: 20 }, () => client.refresh()))

    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    const pairs = new Set(answers.map(({ body }) => `${body.access_token} ${body.refresh_token}`))
    assert.equal(pairs.size, 1)
    const pair = answers[0]?.body
    assert.equal(await userBehind(ann, pair?.access_token ?? ''), ann.id)
    assert.equal((await refreshWith(ann, pair?.refresh_token ?? '')).status, 200)
    assert.equal((await ann.post('/api/list_grants')).body.total, 1)
  })

  it('racing a revocation leaves nothing alive once that has answered', async () => {
    await using service = await startService()
    const { ann } = await people(service)

    const answers: Answer<Refreshed>[] = []
    for (let round = 0; round < 10; round++) answers.push(...(await refreshBesideRevocation(ann, round)))

    const accepted = answers.filter(({ status }) => status === 200)
    const refused = answers.filter(({ body }) => body.error === 'invalid_grant')
    assert.equal(accepted.length + refused.length, 50)
    assert.ok(accepted.length >= 5, `${accepted.length} refreshes were accepted: too few to prove anything`)
    for (const { body } of accepted) {
      assert.equal(await userBehind(ann, body.access_token), undefined)
      assert.equal((await refreshWith(ann, body.refresh_token)).body.error, 'invalid_grant')
    }
  })

  it('may ask for fewer scopes, never for more', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    const client = await grantFor(ann, READ, WRITE)

    const narrower = await client.refresh(READ)
    const full = await refreshWith(ann, narrower.body.refresh_token)
    const wider = await refreshWith(ann, full.body.refresh_token, `${READ} account:profile:read`)
    const unknown = await refreshWith(ann, full.body.refresh_token, 'everything')

    assert.equal(narrower.body.scope, `${READ} api_access offline_access`)
    assert.equal(full.body.scope, `${READ} ${WRITE} api_access offline_access`)
    assert.deepEqual([wider.status, wider.body.error], [400, 'invalid_scope'])
    assert.deepEqual([unknown.status, unknown.body.error], [400, 'invalid_scope'])
    assert.equal((await refreshWith(ann, full.body.refresh_token)).status, 200)
  })

  it('leaves the access token before it 30 s to finish what is under way', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    const client = await grantFor(ann, READ)
    service.clock.advance({ minutes: 5 })
    const { body } = await client.refresh()

    service.clock.advance({ seconds: 29 })
    assert.equal(await userBehind(ann, client.tokens.access_token), ann.id)

    service.clock.advance({ seconds: 1 })
    assert.equal(await userBehind(ann, client.tokens.access_token), undefined)
    assert.equal(await userBehind(ann, body.access_token), ann.id)
  })

  it('is refused after 30 days without one', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    const client = await grantFor(ann, READ)

    service.clock.advance({ days: 30 })
    const late = await client.refresh()

    assert.deepEqual([late.status, late.body.error], [400, 'invalid_grant'])
  })

  it('does not carry a grant past a year', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    const client = await grantFor(ann, READ)
    let refreshToken = client.tokens.refresh_token
    for (let month = 0; month < 12; month++) {
      service.clock.advance({ days: 29 })
      refreshToken = (await refreshWith(ann, refreshToken)).body.refresh_token
    }

    service.clock.advance({ days: 17 })
    const late = await refreshWith(ann, refreshToken)

    assert.deepEqual([late.status, late.body.error], [400, 'invalid_grant'])
  })
})

describe('an access token', () => {
  it('ends after 15 minutes', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    const client = await grantFor(ann, READ)

    service.clock.advance({ minutes: 14, seconds: 59 })
    assert.equal(await userBehind(ann, client.tokens.access_token), ann.id)

    service.clock.advance({ seconds: 1 })
    assert.equal(await userBehind(ann, client.tokens.access_token), undefined)
  })
})
