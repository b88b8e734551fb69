import { createHmac, createPublicKey, verify } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { getCookieCache } from 'better-auth/cookies'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { createVerifierAt } from '../../packages/server/caching-verifier.ts'
import { realClock } from '../../packages/server/options.ts'
import { createVerifier, type Verifier } from '../../packages/server/verifier.ts'
import { FakeGatehouse, ISSUER, opaque } from '../../test/service/verifier/fake-gatehouse.ts'
import { atLeast, atMost, type Figure, type Measure, median, quantile, round } from '../load/measure.ts'
import { installationOnPostgres } from '../on-postgres.ts'
import { sessionToken } from '../ours.ts'
import { administratorToken, insertPeople } from '../rows/postgres-rows.ts'
import type { Server } from '../server.ts'

const KNOWN = 200_000
const PEOPLE = 1_000
const NEW = 4_000
const TRIES = 10_000
const AT_ONCE = 20
const SECOND_MILLISECONDS = 1_000

/** A product's back end checking callers, next to other ways to check; and how soon it learns of an ended session. */
export const measure: Measure = {
  title: 'gatehouse/server: checks by one core, and 10,000 sessions that end at three processes on PostgreSQL',
  async run({ rounds }) {
    const checks = await checkedPerSecond(rounds)
    const delays = await delaysUntilRefused()
    const perSecond = (what: string) => Number(checks.find((one) => one.what === what)?.['per second'])
    const within = delays.filter((delay) => delay < SECOND_MILLISECONDS).length
    return {
      ratios: [
        atLeast('known session token', perSecond('known session token'), 500_000, 'a second'),
        atLeast('known signed token', perSecond('known signed token'), 500_000, 'a second'),
        atLeast(
          'new signed token, against bare Ed25519',
          round(perSecond('new signed token') / perSecond('bare Ed25519 verification')),
          0.85,
        ),
        atLeast('refused within a second of the end', within, TRIES, `of ${TRIES}`),
        atMost('longest until refused', round(Math.max(...delays)), SECOND_MILLISECONDS, 'ms'),
      ],
      figures: [
        ...checks,
        {
          what: 'end of a session until refused',
          'median ms': round(median(delays)),
          'p99 ms': round(quantile(delays, 0.99)),
        },
      ],
    }
  },
}

interface Contender {
  readonly name: string
  readonly checks: number
  check(number: number): Promise<unknown>
}

/** All in one process and one run, in turn. */
async function checkedPerSecond(rounds: number): Promise<readonly Figure[]> {
  const gatehouse = new FakeGatehouse()
  gatehouse.clock.wall = realClock.wall
  for (let i = 0; i < PEOPLE; i++) gatehouse.sessions.set(opaque(`person-${i}`), `session-${i}`)
  const options = { issuer: ISSUER, fetch: gatehouse.fetch }
  const following = createVerifierAt({ ...options, clientId: 'shop', clientSecret: 'secret' }, realClock)
  await nextTurn()
  const everyTime = [...contenders(gatehouse, following, createVerifier(options))]
  const results = new Map<string, number[]>(everyTime.map(({ name }) => [name, []]))
  for (let turn = 0; turn <= rounds; turn++)
    for (const contender of everyTime) {
      const perSecond = await measured(contender, turn * contender.checks)
      if (turn > 0) results.get(contender.name)?.push(perSecond)
    }
  following.close()
  return [...results].map(([what, all]) => ({ what, 'per second': Math.round(median(all)) }))
}

function* contenders(gatehouse: FakeGatehouse, following: Verifier, plain: Verifier): Iterable<Contender> {
  const signed = Array.from({ length: PEOPLE }, (_, i) => gatehouse.token({ sid: `session-${i}` }))
  const sessions = [...gatehouse.sessions.keys()]
  const ofPerson = (tokens: readonly string[], n: number) => bearer(tokens[n % PEOPLE] ?? '')
  const keys = createLocalJWKSet({ keys: [gatehouse.publicJwk('one')] })
  const jose = (token: string) => jwtVerify(token, keys, { issuer: ISSUER, audience: ISSUER })
  const fresh = Array.from({ length: NEW * 12 }, (_, i) => gatehouse.token({ sid: `session-${i}` }))
  const cookie = { headers: new Headers({ cookie: betterAuthCookie() }) }
  yield { name: 'known session token', checks: KNOWN, check: (n) => following.verify(ofPerson(sessions, n)) }
  yield { name: 'known signed token', checks: KNOWN, check: (n) => plain.verify(ofPerson(signed, n)) }
  yield {
    name: 'new signed token',
    checks: NEW,
    check: (n) => plain.verify(bearer(fresh[n % fresh.length] ?? '')),
  }
  yield { name: 'jose.jwtVerify', checks: NEW, check: (n) => jose(fresh[n % fresh.length] ?? '') }
  yield {
    name: 'bare Ed25519 verification',
    checks: NEW,
    check: bareVerification(gatehouse, signed[0] ?? ''),
  }
  yield {
    name: 'Better Auth, cookie cache',
    checks: NEW,
    check: () => getCookieCache(new Request(ISSUER, cookie), { secret: SECRET, isSecure: false }),
  }
}

/** The signature alone, by Node's own function: no check of such a token can be faster. */
function bareVerification(gatehouse: FakeGatehouse, token: string): Contender['check'] {
  const key = createPublicKey({ key: { ...gatehouse.publicJwk('one') }, format: 'jwk' })
  const end = token.lastIndexOf('.')
  const text = Buffer.from(token.slice(0, end))
  const signature = Buffer.from(token.slice(end + 1), 'base64url')
  return async () => verify(null, text, key, signature)
}

/** In processor time, because the machine has other work. */
async function measured({ name, checks, check }: Contender, first: number): Promise<number> {
  if (!(await check(first))) throw new Error(`${name} refuses`)
  const before = process.cpuUsage()
  for (let number = 1; number <= checks; number++) {
    await check(first + number)
    // As a server does between requests; otherwise the feed would never be read.
    if (number % 1_000 === 0) await nextTurn()
  }
  const { user, system } = process.cpuUsage(before)
  return (checks * 1e6) / (user + system)
}

const SECRET = 'a secret for the benchmark that is long enough'

/** As Better Auth writes it (`session.cookieCache`, strategy `compact`). */
function betterAuthCookie(): string {
  const expiresAt = Date.now() + 3_600_000
  const user = { id: 'ann', email: 'ann@example.com', emailVerified: true, name: 'Ann' }
  const session = {
    session: { id: 'one', userId: 'ann', token: 'x'.repeat(32) },
    user,
    updatedAt: Date.now(),
  }
  const signature = createHmac('sha256', SECRET)
    .update(JSON.stringify({ ...session, expiresAt }))
    .digest('base64url')
  const data = Buffer.from(JSON.stringify({ session, expiresAt, signature })).toString('base64url')
  return `better-auth.session_data=${data}`
}

/** A verifier that follows one process knows each session, which then ends at another process. */
async function delaysUntilRefused(): Promise<readonly number[]> {
  await using installation = await installationOnPostgres()
  await insertPeople(installation, TRIES)
  const token = await administratorToken(installation)
  await using one = await installation.start('one')
  await using two = await installation.start('two')
  await using three = await installation.start('three')
  const servers = [one, two, three]
  const verifiers = await Promise.all(servers.map((server) => verifierAt(server, token)))
  const delays: number[] = []
  const numbers = Array.from({ length: TRIES }, (_, number) => number).values()
  const work = async () => {
    for (const number of numbers) {
      const verifier = verifiers[number % 3]
      const server = servers[(number + 1) % 3]
      if (verifier && server) delays.push(await delayOf(verifier, server, sessionToken(number)))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  for (const verifier of verifiers) verifier.close()
  return delays
}

async function verifierAt({ port }: Server, administrator: string): Promise<Verifier> {
  const address = `http://127.0.0.1:${port}`
  const response = await fetch(`${address}/api/admin/create_application`, {
    method: 'POST',
    headers: { ...bearer(administrator).headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Bench', kind: 'service' }),
  })
  const { client_id: clientId, client_secret: clientSecret } = JSON.parse(await response.text())
  const { promise, resolve } = Promise.withResolvers<void>()
  const onConnection = () => resolve()
  const verifier = createVerifier({
    issuer: 'http://localhost:5173',
    address,
    clientId,
    clientSecret,
    onConnection,
  })
  await promise
  return verifier
}

async function delayOf(verifier: Verifier, { port }: Server, token: string): Promise<number> {
  if (!(await verifier.verify(bearer(token)))) throw new Error('a session is not known')
  const { status } = await fetch(`http://127.0.0.1:${port}/api/auth/sign-out`, {
    method: 'POST',
    ...bearer(token),
  })
  const endedAt = performance.now()
  if (status !== 200) throw new Error(`sign-out answered ${status}`)
  while (await verifier.verify(bearer(token))) {
    if (performance.now() - endedAt > 20 * SECOND_MILLISECONDS) return Number.POSITIVE_INFINITY
    await nextTurn()
  }
  return performance.now() - endedAt
}

function bearer(token: string) {
  return { headers: { authorization: `Bearer ${token}` } }
}
