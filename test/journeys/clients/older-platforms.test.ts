import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import vm from 'node:vm'
import { type BuildOptions, buildSync } from 'esbuild'
import { startHttpServer } from '../../processes/http-server.ts'
import { Installation } from '../../processes/installation.ts'
import { after, before, describe, it } from '../../running/node-test.ts'
import { findNode20, WEB_STANDARDS } from '../../service/verifier/platforms.ts'
import type { Place, useClient, useVerifier } from './product-acts.ts'

type Acts = 'useClient' | 'useVerifier'
type Facts = { useClient: typeof useClient; useVerifier: typeof useVerifier }
type Use = (acts: Acts, place: Place) => Promise<Awaited<ReturnType<Facts[Acts]>>>

const root = fileURLToPath(new URL('../../..', import.meta.url))
const run = promisify(execFile)
const node20 = findNode20()
const PLATFORMS: readonly { name: string; skip: string | false; use: Use }[] = [
  { name: 'Node 20', skip: node20 === undefined && 'needs Node 20', use: onNode20 },
  { name: 'web standards alone', skip: false, use: onWebStandards },
]

/** A product's module: what the package publishes, by the names that its manifest exports. */
const PRODUCT = `
  import * as client from 'gatehouse/client'
  import * as server from 'gatehouse/server'
  import * as acts from './product-acts.ts'
  export const use = (name, place) => acts[name]({ ...client, ...server }, place)`
const BUNDLED: BuildOptions = { bundle: true, platform: 'neutral', target: 'es2022' }

for (const { name, skip, use } of PLATFORMS)
  describe(`what products import, on ${name}`, { skip }, () => {
    const service = new Installation()
    let credentials: Pick<Place, 'gatehouse' | 'clientId' | 'clientSecret'>

    before(async () => {
      const { stdout } = await service.run(['prepare'])
      const [, email = '', password = ''] = /^Administrator: (.*)\nPassword: (.*)$/m.exec(stdout) ?? []
      const gatehouse = (await service.serve()).url
      const { body } = await post(`${gatehouse}/api/auth/sign-in/email`, { email, password })
      const made = await post(
        `${gatehouse}/api/admin/create_application`,
        { name: 'Shop', kind: 'service' },
        { authorization: `Bearer ${body.token}` },
      )
      const { client_id: clientId, client_secret: clientSecret } = made.body
      credentials = { gatehouse, clientId, clientSecret }
    })
    after(() => service[Symbol.asyncDispose]())

    it('gatehouse/client calls, keeps the bookmark, retries what is safe and reports what went wrong', async () => {
      await using stranger = await failingOnce()
      await using silent = await neverResponding()
      const { gatehouse } = credentials
      const person = await signUp(gatehouse, 'ann@example.com')
      const others = { stranger: stranger.url, silent: silent.url }

      const facts = await use('useClient', { ...credentials, ...person, ...others })

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
      const { gatehouse } = credentials
      const person = await signUp(gatehouse, 'ben@example.com')
      const others = { stranger: stranger.url, silent: '' }

      const facts = await use('useVerifier', { ...credentials, ...person, ...others })

      assert.deepEqual(facts, {
        cookie: 'session of ben@example.com',
        session: 'session of ben@example.com',
        signed: 'session of ben@example.com',
        personal: 'grant of ben@example.com',
        otherScope: 'insufficient_scope',
        bad: true,
        unreachable: 'unavailable',
        signIn: `/sign-in?${new URLSearchParams({ return_to: `${gatehouse}/reports` })}`,
        ended: 'unauthorized',
      })
    })
  })

describe('the command line on Node 20', { skip: node20 === undefined && 'needs Node 20' }, () => {
  it('says which Node it needs, and ends with 1', () => {
    const { status, stdout, stderr } = spawnSync(node20 ?? '', [
      join(root, 'dist/gatehouse.mjs'),
      '--version',
    ])

    assert.deepEqual([status, String(stdout)], [1, ''])
    assert.match(String(stderr), /^gatehouse: needs Node 24 or later; this is v20\.\d+\.\d+\n$/)
  })
})

/** As a product has it: its own folder, with the package in `node_modules`. */
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
      server.heard
        .filter((heard) => heard.path === path)
        .map(({ headers }) => String(headers['idempotency-key'])),
    [Symbol.asyncDispose]: () => server.stop(),
  }
}

async function neverResponding() {
  const server = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function signUp(gatehouse: string, email: string): Promise<Pick<Place, 'token' | 'cookie'>> {
  const person = { email, password: 'a long enough phrase', name: 'Ann' }
  const { body, headers } = await post(`${gatehouse}/api/auth/sign-up/email`, person)
  const cookie = headers.getSetCookie().find((one) => one.startsWith('session=')) ?? ''
  return { token: body.token, cookie: cookie.replace(/;.*/, '') }
}

async function post(url: string, body: object, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  assert.equal(response.status, 200, url)
  return { headers: response.headers, body: JSON.parse(await response.text()) }
}
