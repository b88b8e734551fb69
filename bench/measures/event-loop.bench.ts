import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { readConfig } from '../../src/config/config.ts'
import { serve } from '../../src/serve.ts'
import { freePort } from '../../test/processes/free-port.ts'
import type { Generator } from '../load/generator.ts'
import { rawRequest } from '../load/load.ts'
import { atMost, type Measure, round } from '../load/measure.ts'

const KIB = 1024
const WINDOW_SECONDS = 0.04
/** For each round. */
const WINDOWS = 4
/** The largest that a caller without a credential can send. */
const BODY_BYTES = 16 * KIB
const HEADER_BYTES = 14 * KIB

const JSON_BODY = { 'content-type': 'application/json' }
const FORM_BODY = { 'content-type': 'application/x-www-form-urlencoded' }
const SIGN_IN = '/api/auth/sign-in/email'

const REQUESTS: Readonly<Record<string, string>> = {
  'small, for comparison': rawRequest('GET', '/api/health', {}),
  'JSON of NUL escapes': posted(SIGN_IN, `{"email":"${filled('\\u0000', BODY_BYTES - 12)}"}`),
  'JSON nested as deep as it goes': posted(SIGN_IN, `${'['.repeat(BODY_BYTES / 2)}${']'.repeat(BODY_BYTES / 2)}`),
  'JSON of many keys': posted(SIGN_IN, `{${keys(BODY_BYTES - 20)}}`),
  'JSON of one long array': posted(SIGN_IN, `{"email":[${filled('0,', BODY_BYTES - 16)}0]}`),
  'a long string for the address rule': posted(SIGN_IN, `{"email":"${filled('a.', BODY_BYTES - 40)}@a","password":""}`),
  'a long code': posted(
    '/api/auth/email-otp/verify-email',
    `{"email":"a@b.cd","otp":"${filled('1', BODY_BYTES - 60)}"}`,
  ),
  'a long return address': posted(
    '/api/auth/sign-in/social',
    `{"provider":"provider_a","callbackURL":"/${filled('../', BODY_BYTES - 80)}"}`,
  ),
  'an anonymous change of address': posted('/api/auth/change-email', `{${keys(BODY_BYTES - 20)}}`),
  'a form of many parameters': posted('/api/oauth/token', filled('a&', BODY_BYTES), FORM_BODY),
  'a form of escapes': posted('/api/oauth/device_authorization', `scope=${filled('%20', BODY_BYTES - 10)}`, FORM_BODY),
  'a form of many scopes': posted(
    '/api/oauth/device_authorization',
    `client_id=cli-client&scope=${filled('a:b:read+', BODY_BYTES - 40)}`,
    FORM_BODY,
  ),
  'a cookie header of many cookies': rawRequest('GET', '/api/auth/get-session', {
    cookie: filled('a=b;', HEADER_BYTES),
  }),
  'a cookie of white space': rawRequest('GET', '/api/auth/get-session', {
    cookie: `a${filled(' ', HEADER_BYTES)}=b`,
  }),
  'a long bearer token': rawRequest('GET', '/api/auth/get-session', {
    authorization: `Bearer ghs_${filled('a', HEADER_BYTES)}`,
  }),
  'a long bookmark': rawRequest('GET', '/api/health', {
    'x-db-meta-bookmark': `${filled('a', HEADER_BYTES)}~`,
  }),
  'many hops': rawRequest('GET', '/api/health', { 'x-forwarded-for': filled('127.0.0.1,', HEADER_BYTES) }),
  'a long user agent': rawRequest('GET', '/api/health', { 'user-agent': filled('Chrome/1 ', HEADER_BYTES) }),
  'a long path': rawRequest('GET', `/api/${filled('a/', HEADER_BYTES)}`, {}),
  'a long query': rawRequest('GET', `/api/verify?${filled('a&', HEADER_BYTES)}`, {}),
  'the description of the interface': rawRequest('GET', '/api/openapi.json', {}),
  'the page of the interface': rawRequest('GET', '/api/docs', {}),
}

/** The service runs in this process, so that its event loop can be watched. */
export const measure: Measure = {
  title: 'The longest time for which one request of a stranger holds up everybody else',
  async run({ generator, rounds }) {
    await using service = await watched()
    const longest = new Map<string, number>()
    // The first round compiles; being slow once is not an attack. The quietest of the others counts, because
    // other work on the machine can only add to it.
    for (let turn = -1; turn < rounds * WINDOWS; turn++) {
      for (const [what, request] of Object.entries(REQUESTS)) {
        const milliseconds = await service.longestDuring(generator, request)
        if (turn >= 0) longest.set(what, Math.min(milliseconds, longest.get(what) ?? Number.POSITIVE_INFINITY))
      }
    }
    const figures = [...longest].map(([what, milliseconds]) => ({ what, 'longest ms': round(milliseconds) }))
    const worst = Math.max(...longest.values())
    return { ratios: [atMost('longest of all', round(worst), 20, 'ms')], figures }
  },
}

async function watched() {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'))
  const port = await freePort()
  const env = { DATA_DIR: folder, PORT: String(port), LOG_LEVEL: 'error', TRUSTED_PROXIES: '127.0.0.0/8' }
  const { stop } = await serve(readConfig(env), () => undefined)
  return {
    /** One connection, so that one request is measured and not a queue of them. */
    async longestDuring(generator: Generator, request: string): Promise<number> {
      const delay = monitorEventLoopDelay({ resolution: 1 })
      delay.enable()
      await generator.run({
        port,
        connections: 1,
        seconds: WINDOW_SECONDS,
        core: 'shared',
        requests: [request],
      })
      delay.disable()
      return delay.max / 1e6
    },
    async [Symbol.asyncDispose]() {
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function posted(path: string, body: string, headers: Readonly<Record<string, string>> = JSON_BODY): string {
  return rawRequest('POST', path, headers, body)
}

function filled(unit: string, bytes: number): string {
  return unit.repeat(Math.floor(bytes / unit.length))
}

function keys(bytes: number): string {
  return Array.from({ length: Math.floor(bytes / 10) }, (_, i) => `"${String(i).padStart(5, '0')}":0`).join()
}
