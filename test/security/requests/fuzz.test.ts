import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, it } from 'vitest'
import { type FuzzRequest, requestsTo } from '../../fuzz/requests.ts'
import { anything } from '../../fuzz/values.ts'
import { begin, enableProvider } from '../../providers/journey.ts'
import { startPlainProvider } from '../../providers/plain-provider.ts'
import { grantFor } from '../../service/grants.ts'
import { people, stranger } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'

// The same requests in every run, so that a change is what makes it fail; FUZZ_SEED=any looks elsewhere, and a
// number repeats that. The seed of each part is in its title.
const { FUZZ_SEED: given = '20261122' } = process.env
const seed = given === 'any' ? randomInt(2 ** 31) : Number(given)
const onPostgres = process.env.TEST_DATABASE_URL !== undefined
const rounds = onPostgres ? 4 : 20
const requestsInRound = onPostgres ? 500 : 1_000
const hangsAfterMilliseconds = 180_000

/** Stack traces, files, statements and names of components must not be revealed. */
const INTERNALS = /node_modules|\.[jt]s:\d|\bat \S+ \(\S+:\d+|file:\/\/|sqlite|kysely|syntax error|relation "|violates/i

type Headers = Readonly<Record<string, string>>

async function world() {
  const service = await startService({ env: { COMMUNITY_AUTH_URL: 'http://127.0.0.1:1' } })
  await enableProvider(service, 'community')
  const { administrator, ann, ben } = await people(service)
  const real = new Map([
    ['$ANN_ID', ann.id],
    ['$BEN_ID', ben.id],
    ['$ADMINISTRATOR_ID', administrator.id],
  ])
  const credentials = new Map<FuzzRequest['as'], Headers>([['stranger', { authorization: 'Bearer ghs_nobody' }]])

  async function signIn() {
    const answers = await Promise.all([ann.signIn(), administrator.signIn()])
    if (answers.some(({ status }) => status !== 200)) throw new Error('somebody cannot sign in any more')
    const client = await grantFor(ann, 'account:profile:read', 'operations:feedback:write')
    real.set('$REFRESH', client.tokens.refresh_token)
    real.set('$ACCESS', client.tokens.access_token)
    real.set('$SESSION', ann.token)
    credentials.set('ann', { cookie: `session=${ann.token}` })
    credentials.set('administrator', { authorization: `Bearer ${administrator.token}` })
    credentials.set('client', { authorization: `Bearer ${client.tokens.access_token}` })
  }

  await signIn()
  const fill = (text: string) => text.replace(/\$[A-Z_]+/g, (name) => real.get(name) ?? name)
  return { service, credentials, fill, signIn }
}

type World = Awaited<ReturnType<typeof world>>

/** Signed in again; a new world if a request has deleted the user, or locked the user out by the settings. */
async function renewed(old: World): Promise<World> {
  try {
    await old.signIn()
    return old
  } catch {
    await old.service[Symbol.asyncDispose]()
    return world()
  }
}

/** Returns whether the request's sender is still let in. */
async function send({ service, credentials, fill }: World, request: FuzzRequest): Promise<boolean> {
  const { method, path, as, headers, body } = request
  const logged = service.log.lines.length
  const response = await service.request(fill(path), {
    method,
    headers: { ...credentials.get(as), ...headers },
    ...(body !== undefined && { body: withoutWaiting(fill(body)) }),
  })
  const text = await textOf(response)

  assert.ok(response.status < 500, `answered ${response.status}: ${text.slice(0, 300)}`)
  if (response.status >= 400) assertRefusal(method, text)
  assert.deepEqual(faultsSince(service, logged), [])
  const isExpected = as === 'nobody' || as === 'stranger' || 'authorization' in headers || 'cookie' in headers
  return response.status !== 401 || isExpected
}

/** No test waits for what happens next. */
function withoutWaiting(body: string): string {
  return body.replace(/"wait_seconds":\d+/g, '"wait_seconds":0')
}

/** A stream of events goes on until its reader leaves. */
async function textOf(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text()
  await response.body?.cancel()
  return ''
}

function faultsSince({ log }: Service, logged: number) {
  return log.lines.slice(logged).filter(({ level }) => level === 'error')
}

function assertRefusal(method: string, text: string): void {
  if (method === 'HEAD') return
  assert.doesNotMatch(text, INTERNALS)
  const { code, message, error } = JSON.parse(text)
  assert.ok(typeof error === 'string' || (typeof code === 'string' && typeof message === 'string'), text)
}

async function describedBy(service: Service) {
  const response = await service.request('/api/openapi.json')
  const description: Parameters<typeof requestsTo>[0] = JSON.parse(await response.text())
  return requestsTo(description)
}

function heapMegabytes(): number {
  setFlagsFromString('--expose_gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed / 1024 / 1024
}

describe('malformed requests to every route: no 5xx, no hang, nothing internal', () => {
  const heaps: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    it(`${requestsInRound} requests, seed ${seed + round}`, async () => {
      let w = await world()
      const requests = await describedBy(w.service)

      await fc.assert(
        fc.asyncProperty(requests, async (request) => {
          if (!(await send(w, request))) w = await renewed(w)
        }),
        { numRuns: requestsInRound, seed: seed + round, timeout: hangsAfterMilliseconds },
      )

      await w.service[Symbol.asyncDispose]()
      heaps.push(heapMegabytes())
    })
  }

  it('memory stays flat', () => {
    const [early = 0, late = 0] = [heaps[2], heaps.at(-1)]
    assert.ok(late - early < 25, `from ${early.toFixed(1)} MB to ${late.toFixed(1)} MB`)
  })
})

describe('what a provider sends, and what comes back in the URL', () => {
  const runs = onPostgres ? 100 : 400
  it(`${runs} responses of a broken provider end on a page of ours, seed ${seed}`, async () => {
    await using provider = await startPlainProvider('community', {})
    await using service = await startService({ env: { COMMUNITY_AUTH_URL: provider.url } })
    await enableProvider(service, 'community')
    const answers = fc.record({
      token: fc.oneof(anything, fc.record({ access_token: anything, token_type: anything, id_token: anything })),
      user: fc.oneof(anything, fc.record({ id: anything, name: anything, avatar_template: anything })),
      status: fc.constantFrom(200, 200, 200, 201, 204, 302, 400, 401, 418),
      extra: fc.dictionary(fc.constantFrom('code', 'iss', 'error', 'x', 'response', 'state'), fc.string(), {
        maxKeys: 2,
      }),
    })

    await fc.assert(
      fc.asyncProperty(answers, async ({ token, user, status, extra }) => {
        const logged = service.log.lines.length
        const ann = stranger(service)
        const page = await begin(ann, 'community', { callbackURL: '/home', errorCallbackURL: '/sorry' })
        provider.broken.set('/oauth2/token', { status: 200, body: token })
        provider.broken.set('/api/user', { status, body: status === 204 ? undefined : user })
        const callback = new URLSearchParams({
          code: 'x',
          state: page.searchParams.get('state') ?? '',
          ...extra,
        })

        const answer = await ann.get(`/api/auth/oauth2/callback/community?${callback}`)

        assert.equal(answer.status, 302)
        const ours = /^\/(home|(sorry|sign-in)\?error=[a-z_]+)$/
        assert.match(answer.headers.get('location') ?? '', ours)
        assert.deepEqual(faultsSince(service, logged), [])
      }),
      { numRuns: runs, seed },
    )
  })
})
