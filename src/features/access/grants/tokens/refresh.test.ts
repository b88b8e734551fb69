import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { oauthError, statuses } from '../../../../../test/service/answers.ts'
import { bearer } from '../../../../../test/service/applications.ts'
import { grantFor, refreshWith, revoke, type TokenAnswer, userBehind } from '../../../../../test/service/grants.ts'
import { it } from '../../../../../test/service/it.ts'
import type { Answer, Person } from '../../../../../test/service/people.ts'

const READ = 'operations:notifications:read'
const WRITE = 'operations:notifications:write'
const INVALID = [400, 'invalid_grant']

/** Five refreshes around a revocation; in every other round one has its response before the revocation is sent. */
async function refreshBesideRevocation(person: Person, round: number): Promise<Answer<TokenAnswer>[]> {
  const client = await grantFor(person, READ)
  const { access_token, refresh_token } = client.tokens
  const refreshing = Array.from({ length: 4 }, () => client.refresh())
  if (round % 2 === 1) await Promise.race(refreshing)
  const revoking = revoke(person, round % 4 < 2 ? refresh_token : access_token)
  refreshing.push(client.refresh())
  await revoking
  return Promise.all(refreshing)
}

describe('51. each refresh', () => {
  it('gives a new pair', async ({ ann }) => {
    const client = await grantFor(ann, READ)

    const { status, headers, body } = await client.refresh()

    assert.deepEqual([status, headers.get('cache-control'), body.expires_in], [200, 'no-store', 900])
    assert.notEqual(body.refresh_token, client.tokens.refresh_token)
    assert.notEqual(body.access_token, client.tokens.access_token)
    assert.equal(await userBehind(ann, body.access_token), ann.id)
  })

  it('that is retried within 30 s gets the same pair', async ({ service, ann }) => {
    const client = await grantFor(ann, READ)
    const first = await client.refresh()

    service.clock.advance({ seconds: 29 })
    const retry = await client.refresh()

    assert.deepEqual(retry.body, { ...first.body, expires_in: 900 - 29 })
  })

  it('that is replayed after 30 s revokes this grant only', async ({ service, ann }) => {
    const client = await grantFor(ann, READ)
    const other = await grantFor(ann, READ)
    const first = await client.refresh()

    service.clock.advance({ seconds: 30 })
    const replay = await client.refresh()
    const successor = await refreshWith(ann, first.body.refresh_token)

    assert.deepEqual([replay, successor].map(oauthError), [INVALID, INVALID])
    assert.equal(await userBehind(ann, first.body.access_token), undefined)
    assert.equal((await other.refresh()).status, 200)
    assert.equal((await ann.get('/api/auth/get-session')).body.user.id, ann.id)
  })

  it('leaves the previous access token valid for 30 s, for calls that are under way', async ({ service, ann }) => {
    const client = await grantFor(ann, READ)
    service.clock.advance({ minutes: 5 })
    const { body } = await client.refresh()

    service.clock.advance({ seconds: 29 })
    assert.equal(await userBehind(ann, client.tokens.access_token), ann.id)

    service.clock.advance({ seconds: 1 })
    assert.equal(await userBehind(ann, client.tokens.access_token), undefined)
    assert.equal(await userBehind(ann, body.access_token), ann.id)
  })
})

describe('52. twenty refreshes at once', () => {
  it('leave a working pair, one family, and no 5xx', async ({ ann }) => {
    const client = await grantFor(ann, READ)

    const answers = await Promise.all(Array.from({ length: 20 }, () => client.refresh()))

    assert.deepEqual(statuses(answers), Array(20).fill(200))
    const pairs = new Set(answers.map(({ body }) => `${body.access_token} ${body.refresh_token}`))
    assert.equal(pairs.size, 1)
    const pair = answers[0]?.body ?? assert.fail()
    assert.equal(await userBehind(ann, pair.access_token), ann.id)
    assert.equal((await refreshWith(ann, pair.refresh_token)).status, 200)
    assert.equal((await ann.post('/api/list_grants')).body.total, 1)
  })
})

describe('53. a refresh racing a revocation', () => {
  it('leaves nothing valid once the revocation has returned', async ({ ann }) => {
    const answers: Answer<TokenAnswer>[] = []
    for (let round = 0; round < 12; round++) answers.push(...(await refreshBesideRevocation(ann, round)))

    const accepted = answers.filter(({ status }) => status === 200)
    const refused = answers.filter(({ body }) => body.error === 'invalid_grant')
    assert.equal(accepted.length + refused.length, 60)
    assert.ok(accepted.length >= 6, `${accepted.length} refreshes were accepted: too few to prove anything`)
    for (const { body } of accepted) {
      assert.equal(await userBehind(ann, body.access_token), undefined)
      assert.equal((await refreshWith(ann, body.refresh_token)).body.error, 'invalid_grant')
    }
  })
})

describe('54. scopes at a refresh', () => {
  it('can be fewer, never more', async ({ ann }) => {
    const client = await grantFor(ann, READ, WRITE)

    const narrower = await client.refresh(READ)
    const full = await refreshWith(ann, narrower.body.refresh_token)
    const wider = await refreshWith(ann, full.body.refresh_token, `${READ} account:profile:read`)
    const unknown = await refreshWith(ann, full.body.refresh_token, 'everything')

    assert.equal(narrower.body.scope, `${READ} api_access offline_access`)
    assert.equal(full.body.scope, `${READ} ${WRITE} api_access offline_access`)
    assert.deepEqual([wider, unknown].map(oauthError), Array(2).fill([400, 'invalid_scope']))
    assert.equal((await refreshWith(ann, full.body.refresh_token)).status, 200)
  })
})

describe('54. the end of refresh tokens', () => {
  it('is 30 days after the last refresh, and a year after the grant in any case', async ({ service, ann }) => {
    const idle = await grantFor(ann, READ)
    const client = await grantFor(ann, READ)
    let refreshToken = client.tokens.refresh_token
    service.clock.advance({ days: 29 })
    refreshToken = (await refreshWith(ann, refreshToken)).body.refresh_token
    service.clock.advance({ days: 1 })
    const unused = await idle.refresh()

    service.clock.advance({ days: -1 })
    for (let month = 1; month < 12; month++) {
      service.clock.advance({ days: 29 })
      refreshToken = (await refreshWith(ann, refreshToken)).body.refresh_token
    }
    service.clock.advance({ days: 17, milliseconds: -1 })
    const last = await refreshWith(ann, refreshToken)
    service.clock.advance({ milliseconds: 1 })
    const late = await refreshWith(ann, last.body.refresh_token)

    assert.equal(last.status, 200)
    assert.deepEqual([unused, late].map(oauthError), [INVALID, INVALID])
  })
})

describe('checklist 91: behind a proxy', () => {
  it.override('options', { env: { TRUSTED_PROXIES: '127.0.0.0/8' } })
  const owner = origin('203.0.113.7')

  it.for([
    ['from another address of the same /24', owner, origin('203.0.113.200')],
    ['from another address of the same /64', origin('2001:db8:1:2::3'), origin('2001:db8:1:2:ffff::9')],
  ] as const)('a retry within 30 s %s gets the same pair', async ([, rightful, other], { ann }) => {
    const { tokens } = await grantFor(ann, READ)
    const first = await refreshWith(ann, tokens.refresh_token, undefined, rightful)

    const retry = await refreshWith(ann, tokens.refresh_token, undefined, other)

    assert.deepEqual([retry.status, retry.body], [200, first.body])
  })

  it('a retry of a refresh from before the upgrade gets the same pair from anywhere', async ({ service, ann }) => {
    const { tokens } = await grantFor(ann, READ)
    const first = await refreshWith(ann, tokens.refresh_token, undefined, owner)
    await service.platform.meta.primary.updateTable('refresh_token').set({ rotated_from: null }).execute()

    const retry = await refreshWith(ann, tokens.refresh_token, undefined, origin('198.51.100.9'))

    assert.equal(retry.body.refresh_token, first.body.refresh_token)
  })

  for (const [words, rightful, thief, scope] of [
    ['from another network', owner, origin('203.0.114.7')],
    ['from another /64', origin('2001:db8:1:2::3'), origin('2001:db8:1:3::3')],
    ['by another program', owner, origin('203.0.113.7', 'thief/1')],
    ['for fewer scopes', owner, origin('198.51.100.9'), READ],
  ] as const)
    it(`a theft within 30 s ${words} revokes this grant only`, async ({ ann }) => {
      const { tokens } = await grantFor(ann, READ, WRITE)
      const other = await grantFor(ann, READ)
      const first = await refreshWith(ann, tokens.refresh_token, undefined, rightful)

      const theft = await refreshWith(ann, tokens.refresh_token, scope, thief)

      assert.deepEqual(oauthError(theft), INVALID)
      assert.equal(await userBehind(ann, first.body.access_token), undefined)
      const successor = await refreshWith(ann, first.body.refresh_token, undefined, rightful)
      assert.equal(successor.body.error, 'invalid_grant')
      assert.equal((await other.refresh()).status, 200)
    })

  it('a theft at the same moment as the owner gives tokens to only one of them, and they do not work', async ({
    ann,
  }) => {
    const { tokens } = await grantFor(ann, READ)
    const thief = origin('198.51.100.9')
    const origins = Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? owner : thief))

    const answers = await Promise.all(origins.map((from) => refreshWith(ann, tokens.refresh_token, undefined, from)))

    const given = answers.flatMap(({ status }, i) => (status === 200 ? [origins[i]] : []))
    assert.ok(new Set(given).size <= 1, 'both got tokens')
    assert.ok(answers.every(({ status }) => status < 500))
    for (const { body } of answers) assert.equal(await userBehind(ann, body.access_token), undefined)
  })
})

describe('an access token', () => {
  it('checklist 91: does not show in get-session that its owner has refreshed', async ({ service, ann }) => {
    const client = await grantFor(ann, READ)
    const session = () => ann.get('/api/auth/get-session', bearer(client.tokens.access_token))
    service.clock.advance({ minutes: 5 })
    const before = await session()

    await client.refresh()

    assert.equal(before.status, 200)
    assert.deepEqual((await session()).body, before.body)
  })

  it('ends after 15 minutes', async ({ service, ann }) => {
    const client = await grantFor(ann, READ)

    service.clock.advance({ minutes: 14, seconds: 59 })
    assert.equal(await userBehind(ann, client.tokens.access_token), ann.id)

    service.clock.advance({ seconds: 1 })
    assert.equal(await userBehind(ann, client.tokens.access_token), undefined)
  })
})

/** The headers by which a service behind a proxy sees this origin. */
function origin(address: string, userAgent = 'gatehouse/1') {
  return { 'x-forwarded-for': address, 'user-agent': userAgent }
}
