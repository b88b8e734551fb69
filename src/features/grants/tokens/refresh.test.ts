import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { grantFor, refreshWith, revoke, userBehind } from '../../../../test/service/grants.ts'
import { it } from '../../../../test/service/it.ts'
import { type Answer, type Person, people } from '../../../../test/service/people.ts'
import { startService } from '../../../../test/service/service.ts'

const READ = 'operations:notifications:read'
const WRITE = 'operations:notifications:write'
const BEHIND_A_PROXY = { TRUSTED_PROXIES: '127.0.0.0/8' }

interface Refreshed {
  readonly access_token: string
  readonly refresh_token: string
  readonly error?: string
}

/** Five refreshes at once; in every other round one has its response before the revocation is sent. */
async function refreshBesideRevocation(person: Person, round: number): Promise<Answer<Refreshed>[]> {
  const client = await grantFor(person, READ)
  const refreshing = Array.from({ length: 5 }, () => client.refresh())
  if (round % 2 === 1) await Promise.race(refreshing)
  await revoke(person, client.tokens.refresh_token)
  return Promise.all(refreshing)
}

describe('a refresh', () => {
  it('gives a new pair', async ({ ann }) => {
    const client = await grantFor(ann, READ)

    const { status, headers, body } = await client.refresh()

    assert.equal(status, 200)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.notEqual(body.refresh_token, client.tokens.refresh_token)
    assert.notEqual(body.access_token, client.tokens.access_token)
    assert.equal(body.expires_in, 900)
    assert.equal(await userBehind(ann, body.access_token), ann.id)
  })

  it('that is retried within 30 s gets the same pair', async ({ service, ann }) => {
    const client = await grantFor(ann, READ)
    const first = await client.refresh()

    service.clock.advance({ seconds: 29 })
    const retry = await client.refresh()

    assert.equal(retry.body.refresh_token, first.body.refresh_token)
    assert.equal(retry.body.access_token, first.body.access_token)
    assert.equal(retry.body.expires_in, 900 - 29)
  })

  it('that is replayed after 30 s revokes this grant only', async ({ service, ann }) => {
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

  it('done 20 times at once leaves a working pair and one family', async ({ ann }) => {
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

  it('racing a revocation leaves nothing valid once the revocation has returned', async ({ ann }) => {
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

  it('can ask for fewer scopes, never for more', async ({ ann }) => {
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

  it('leaves the previous access token valid for 30 s, for calls that are under way', async ({
    service,
    ann,
  }) => {
    const client = await grantFor(ann, READ)
    service.clock.advance({ minutes: 5 })
    const { body } = await client.refresh()

    service.clock.advance({ seconds: 29 })
    assert.equal(await userBehind(ann, client.tokens.access_token), ann.id)

    service.clock.advance({ seconds: 1 })
    assert.equal(await userBehind(ann, client.tokens.access_token), undefined)
    assert.equal(await userBehind(ann, body.access_token), ann.id)
  })

  it('is refused after 30 days without one', async ({ service, ann }) => {
    const client = await grantFor(ann, READ)

    service.clock.advance({ days: 30 })
    const late = await client.refresh()

    assert.deepEqual([late.status, late.body.error], [400, 'invalid_grant'])
  })

  it('does not carry a grant past a year', async ({ service, ann }) => {
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

describe('checklist 91: a retry within 30 s', () => {
  const cases = [
    ['from another address of the same /24', origin('203.0.113.7'), origin('203.0.113.200')],
    ['from another address of the same /64', origin('2001:db8:1:2::3'), origin('2001:db8:1:2:ffff::9')],
  ] as const
  for (const [words, owner, other] of cases) {
    it(`${words} gets the same pair`, async () => {
      await using service = await startService({ env: BEHIND_A_PROXY })
      const { ann } = await people(service)
      const { tokens } = await grantFor(ann, READ)
      const first = await refreshWith(ann, tokens.refresh_token, undefined, owner)

      const retry = await refreshWith(ann, tokens.refresh_token, undefined, other)

      assert.equal(retry.status, 200)
      assert.equal(retry.body.refresh_token, first.body.refresh_token)
    })
  }
})

describe('a retry of a refresh from before the upgrade', () => {
  it('gets the same pair from anywhere', async () => {
    await using service = await startService({ env: BEHIND_A_PROXY })
    const { ann } = await people(service)
    const { tokens } = await grantFor(ann, READ)
    const first = await refreshWith(ann, tokens.refresh_token, undefined, origin('203.0.113.7'))
    await service.platform.meta.primary.updateTable('refresh_token').set({ rotated_from: null }).execute()

    const retry = await refreshWith(ann, tokens.refresh_token, undefined, origin('198.51.100.9'))

    assert.equal(retry.body.refresh_token, first.body.refresh_token)
  })
})

describe('checklist 91: a theft within 30 s', () => {
  const owner = origin('203.0.113.7')
  const cases = [
    ['from another network', owner, origin('203.0.114.7')],
    ['from another /64', origin('2001:db8:1:2::3'), origin('2001:db8:1:3::3')],
    ['by another program', owner, origin('203.0.113.7', 'thief/1')],
    ['for fewer scopes', owner, origin('198.51.100.9'), READ],
  ] as const
  for (const [words, rightful, thief, scope] of cases) {
    it(`${words} revokes this grant only`, async () => {
      await using service = await startService({ env: BEHIND_A_PROXY })
      const { ann } = await people(service)
      const { tokens } = await grantFor(ann, READ, WRITE)
      const other = await grantFor(ann, READ)
      const first = await refreshWith(ann, tokens.refresh_token, undefined, rightful)

      const theft = await refreshWith(ann, tokens.refresh_token, scope, thief)

      assert.deepEqual([theft.status, theft.body.error], [400, 'invalid_grant'])
      assert.equal(await userBehind(ann, first.body.access_token), undefined)
      const successor = await refreshWith(ann, first.body.refresh_token, undefined, rightful)
      assert.equal(successor.body.error, 'invalid_grant')
      assert.equal((await other.refresh()).status, 200)
    })
  }

  it('at the same moment as the owner gives tokens to only one of them, and they do not work', async () => {
    await using service = await startService({ env: BEHIND_A_PROXY })
    const { ann } = await people(service)
    const { tokens } = await grantFor(ann, READ)
    const origins = Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? owner : origin('198.51.100.9')))

    const answers = await Promise.all(
      origins.map((from) => refreshWith(ann, tokens.refresh_token, undefined, from)),
    )

    const given = answers.flatMap(({ status }, i) => (status === 200 ? [origins[i]] : []))
    assert.ok(new Set(given).size <= 1, 'both got tokens')
    assert.ok(answers.every(({ status }) => status < 500))
    for (const { body } of answers) assert.equal(await userBehind(ann, body.access_token), undefined)
  })
})

/** Seen by the service behind a proxy. */
function origin(address: string, userAgent = 'gatehouse/1') {
  return { 'x-forwarded-for': address, 'user-agent': userAgent }
}

describe('an access token', () => {
  it('checklist 91: does not show in get-session that its owner has refreshed', async ({ service, ann }) => {
    const client = await grantFor(ann, READ)
    const authorization = `Bearer ${client.tokens.access_token}`
    service.clock.advance({ minutes: 5 })
    const before = await ann.get('/api/auth/get-session', { authorization })

    await client.refresh()
    const after = await ann.get('/api/auth/get-session', { authorization })

    assert.equal(before.status, 200)
    assert.deepEqual(after.body, before.body)
  })

  it('ends after 15 minutes', async ({ service, ann }) => {
    const client = await grantFor(ann, READ)

    service.clock.advance({ minutes: 14, seconds: 59 })
    assert.equal(await userBehind(ann, client.tokens.access_token), ann.id)

    service.clock.advance({ seconds: 1 })
    assert.equal(await userBehind(ann, client.tokens.access_token), undefined)
  })
})
