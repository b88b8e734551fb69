import { Writable } from 'node:stream'
import { createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config/config.ts'
import { wireSession, wireUser } from '../../src/features/people/account/wire.ts'
import { findCaller } from '../../src/features/people/callers/find-caller.ts'
import { callerBySession } from '../../src/features/people/callers/store.ts'
import { json } from '../../src/http/answers/answer.ts'
import { answerHeaders } from '../../src/http/answers/answer-headers.ts'
import { answering } from '../../src/http/answers/answering.ts'
import { refuseMissing } from '../../src/http/answers/refuse.ts'
import { Exchange } from '../../src/http/exchange.ts'
import type { Incoming, Outgoing } from '../../src/http/router.ts'
import { identifier } from '../../src/http/sender/identify.ts'
import type { Platform } from '../../src/platform/platform.ts'
import { tokenHash } from '../../src/rules/tokens.ts'
import { prepare } from '../../src/serve.ts'
import { type Figure, type Measure, median } from '../load/measure.ts'
import { folderOf, sessionToken } from '../ours.ts'

const USERS = 20_000
const CALLS = 10_000
/** The number of requests that a turn of a busy event loop brings. */
const AT_ONCE = 16
const PATH = '/api/auth/get-session'

/** Where the processor time of a session check goes, each part by itself; `session-check` has it on connections. */
export const measure: Measure = {
  title: 'The parts of a session check, without sockets, in nanoseconds of processor time',
  async run({ rounds }) {
    await using folder = await folderOf(USERS)
    const { platform } = await prepare(readConfig({ DATA_DIR: folder.path, LOG_LEVEL: 'warn' }))
    const figures = await partsOf(platform, rounds)
    await platform.close()
    return { ratios: [], figures }
  },
}

async function partsOf(platform: Platform, rounds: number): Promise<readonly Figure[]> {
  const { handle } = createApp(platform, new Map())
  const { config, metrics, log, meta } = platform
  const identify = identifier(config)
  const headers = answerHeaders(config)
  const exchangeOf = (i: number) => new Exchange(requestOf(i), new Sink(), PATH, headers, identify)
  const around = answering(platform, refuseMissing, () => undefined, refuseMissing)(PATH, () => json({}))
  const hashes = Array.from({ length: USERS }, (_, i) => tokenHash(sessionToken(i)))
  const caller = await findCaller(platform, exchangeOf(0))
  if (!caller) throw new Error('the first session is not known')
  const parts: Readonly<Record<string, (i: number) => unknown>> = {
    'all of it, without sockets': (i) => handle(requestOf(i), new Sink()),
    'around a route: headers, bookmark, request id, metrics, log': (i) => around(requestOf(i), new Sink(), PATH),
    'the caller: token, statement, settings': (i) => findCaller(platform, exchangeOf(i)),
    'its statement': (i) => callerBySession(meta, hashes[i % USERS] ?? ''),
    'the hash of a token': (i) => tokenHash(`ghs_${i}`),
    'shape and JSON': () => JSON.stringify([wireSession(caller), wireUser(platform, caller.user)]),
    metrics: (i) => metrics.requestTook(i / 1e6, PATH, 'GET', 200),
    'a line of the log that is not written': (i) => log.debug({ i }, 'request'),
    'the request and response of this measure': (i) => [requestOf(i), new Sink()],
  }
  const taken = Object.entries(parts).map(([name, part]) => ({ name, part, all: [] as number[] }))
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) for (const { part, all } of taken) all[round] = await timed(part)
  return taken.map(({ name, all }) => ({ what: name, ns: Math.round(median(all.slice(1))) }))
}

async function timed(part: (i: number) => unknown): Promise<number> {
  const before = process.cpuUsage()
  for (let i = 0; i < CALLS; i += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, (_, k) => part(i + k)))
  const { user, system } = process.cpuUsage(before)
  return ((user + system) * 1000) / CALLS
}

function headersOf(i: number) {
  return { cookie: `session=${sessionToken(i % USERS)}`, 'user-agent': 'bench' }
}

function requestOf(i: number): Incoming {
  const headers = { host: 'localhost', ...headersOf(i) }
  return Object.assign(Object.create(null), {
    method: 'GET',
    url: PATH,
    headers,
    rawHeaders: Object.entries(headers).flat(),
    ...{ httpVersion: '1.1', socket: { remoteAddress: '127.0.0.1' } },
  })
}

/** Takes a response and drops it. */
class Sink extends Writable implements Outgoing {
  writeHead(): void {}

  flushHeaders(): void {}

  override end(): this {
    return this
  }
}
