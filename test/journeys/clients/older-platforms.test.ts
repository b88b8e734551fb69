import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import vm from 'node:vm'
import { type BuildOptions, buildSync } from 'esbuild'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { startHttpServer } from '../../processes/http-server.ts'
import { Installation, type Life } from '../../processes/installation.ts'
import { register } from '../../service/applications.ts'
import type { Place, useClient, useVerifier } from './product-acts.ts'

type Acts = 'useClient' | 'useVerifier'
type Facts = { useClient: typeof useClient; useVerifier: typeof useVerifier }
type Use = (acts: Acts, place: Place) => Promise<Awaited<ReturnType<Facts[Acts]>>>

const root = fileURLToPath(new URL('../../..', import.meta.url))
const run = promisify(execFile)
/** Node 20, the oldest that the packages support, if this machine has it. */
const node20 = ['/usr/bin/node', '/usr/local/bin/node'].find((path) =>
  String(spawnSync(path, ['--version']).stdout ?? '').startsWith('v20.'),
)
const PLATFORMS: readonly { name: string; canRun: boolean; use: Use }[] = [
  { name: 'Node 20 (needs it)', canRun: node20 !== undefined, use: onNode20 },
  { name: 'web standards alone', canRun: true, use: onWebStandards },
]

/** A product's module: what the package publishes, by the names that its manifest exports. */
const PRODUCT = `
  import * as client from 'gatehouse/client'
  import * as server from 'gatehouse/server'
  import * as acts from './product-acts.ts'
  export const use = (name, place) => acts[name]({ ...client, ...server }, place)`
const BUNDLED: BuildOptions = { bundle: true, platform: 'neutral', target: 'es2022' }

for (const { name, canRun, use } of PLATFORMS)
  describe.skipIf(!canRun)(`what products import, on ${name}`, () => {
    const service = new Installation()
    let life: Life
    let credentials: Pick<Place, 'gatehouse' | 'clientId' | 'clientSecret'>

    beforeAll(async () => {
      const administrator = await service.prepare()
      life = await service.serve()
      const made = await register(await life.signedIn(administrator), { kind: 'service' })
      const { client_id: clientId, client_secret: clientSecret = '' } = made
      credentials = { gatehouse: life.url, clientId, clientSecret }
    })
    afterAll(() => service[Symbol.asyncDispose]())

    it('gatehouse/client calls, keeps the bookmark, retries what is safe and reports what went wrong', async () => {
      await using stranger = await failingOnce()
      const silent = await startHttpServer(() => undefined)
      const person = await signUp(life, 'ann')
      const others = { stranger: stranger.url, silent: silent.url }

      const facts = await use('useClient', { ...credentials, ...person, ...others })
      await silent.stop()

      const keys = stranger.keysOf('/api/submit_feedback')
      assert.deepEqual(facts, {
        ...{ sent: true, total: 0, bookmarks: [false, true, true] },
        refused: '400 INVALID_REQUEST content',
        retriedRead: 7,
        retriedWrite: 'kept',
        lostWrite: '503 UNREADABLE',
        late: '0 NETWORK',
        unreadable: '200 UNREADABLE',
      })
      assert.equal(keys.length, 2)
      assert.match(keys[0] ?? '', /^[\da-f-]{36}$/)
      assert.equal(keys[1], keys[0])
      assert.equal(stranger.keysOf('/api/read_notification').length, 1)
    })

    it('gatehouse/server knows every credential, gives the reason, and refuses what has ended', async () => {
      await using stranger = await failingOnce()
      const person = await signUp(life, 'ben')
      const others = { stranger: stranger.url, silent: '' }

      const facts = await use('useVerifier', { ...credentials, ...person, ...others })

      assert.deepEqual(facts, {
        cookie: 'session of ben@example.com',
        session: 'session of ben@example.com',
        signed: 'session of ben@example.com',
        withoutScope: 'SESSION_REQUIRED',
        personal: 'grant of ben@example.com',
        otherScope: 'INSUFFICIENT_SCOPE',
        bad: true,
        unreachable: 'UNAVAILABLE',
        signIn: `/sign-in?${new URLSearchParams({ return_to: `${life.url}/reports` })}`,
        ended: 'UNAUTHORIZED',
      })
    })
  })

it.skipIf(node20 === undefined)(
  'the command line on Node 20 says which Node it needs, and ends with 1 (needs Node 20)',
  () => {
    const command = [join(root, 'dist/gatehouse.mjs'), '--version']
    const { status, stdout, stderr } = spawnSync(node20 ?? '', command, { encoding: 'utf8' })

    assert.deepEqual([status, stdout], [1, ''])
    assert.match(stderr, /^gatehouse: needs Node 24 or later; this is v20\.\d+\.\d+\n$/)
  },
)

/** Builds a product's layout: its own folder, with the package in `node_modules`. */
async function onNode20(acts: Acts, place: Place) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-product-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/gatehouse'))
  const contents = `${PRODUCT}
    const [, , name, place] = process.argv
    if (!process.version.startsWith('v20.')) throw new Error(process.version)
    console.log(JSON.stringify(await use(name, JSON.parse(place))))`
  const file = join(folder, 'product.mjs')
  const stdin = { contents, resolveDir: import.meta.dirname }
  buildSync({ ...BUNDLED, stdin, outfile: file, format: 'esm', external: ['gatehouse/*'] })
  const { stdout } = await run(node20 ?? '', [file, acts, JSON.stringify(place)])
  rmSync(folder, { recursive: true })
  return JSON.parse(stdout)
}

async function onWebStandards(acts: Acts, place: Place) {
  const stdin = { contents: PRODUCT, resolveDir: import.meta.dirname }
  const built = buildSync({ ...BUNDLED, stdin, format: 'iife', globalName: 'product', write: false })
  const context = vm.createContext({ ...WEB_STANDARDS })
  vm.runInContext(built.outputFiles?.[0]?.text ?? '', context)
  return JSON.parse(JSON.stringify(await context.product.use(acts, place)))
}

/** Each path returns 503 at first, and later almost what Gatehouse would return. */
async function failingOnce() {
  const answers: Readonly<Record<string, unknown>> = {
    '/api/list_notifications': { total: 7 },
    '/api/submit_feedback': { id: 'kept' },
    '/api/health': '<h1>Sign in to the Wi-Fi</h1>',
  }
  const server = await startHttpServer(({ path }) => {
    const isFirst = server.heard.filter((heard) => heard.path === path).length === 1
    return isFirst ? { status: 503, body: '<h1>Unavailable</h1>' } : { body: answers[path] ?? {} }
  })
  return {
    url: server.url,
    keysOf: (path: string) =>
      server.heard.filter((heard) => heard.path === path).map(({ headers }) => String(headers['idempotency-key'])),
    [Symbol.asyncDispose]: () => server.stop(),
  }
}

async function signUp(life: Life, name: string): Promise<Pick<Place, 'token' | 'cookie'>> {
  const { token, cookies } = await life.signedUp(name)
  return { token, cookie: `session=${cookies.get('session')}` }
}

const WEB_STANDARDS = {
  ...{ fetch, Headers, Request, Response, URL, URLSearchParams, AbortController, AbortSignal },
  ...{ TextEncoder, TextDecoder, atob, btoa, crypto, performance },
  ...{ setTimeout, clearTimeout, queueMicrotask },
}
