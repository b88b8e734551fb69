import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json, text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { z } from 'zod'
import { proxyCode } from '../../../web/src/pages/console/proxy-code.ts'
import { findExecutable } from '../../processes/executable.ts'
import { freePort } from '../../processes/free-port.ts'
import { Installation, type Life } from '../../processes/installation.ts'
import { Person } from '../../service/people.ts'
import { LONGEST_ADDRESS, LONGEST_STATE, longestRequest } from './longest-request.ts'
import { Place, shipped, started } from './started-proxy.ts'

interface Ports {
  readonly port: number
  readonly service: number
  readonly product: number
}

/** Uses the files of deploy/, with this machine's ports; returns the arguments. */
const PROXIES = {
  async nginx(place: Place, ports: Ports) {
    return place.nginx(`
      upstream gatehouse { server 127.0.0.1:${ports.service}; }
      server {
        listen 127.0.0.1:${ports.port};
        location / { proxy_pass http://gatehouse; proxy_set_header Host $http_host; }
        ${await shippedFor('nginx-product.conf', ports)}
      }`)
  },
  async caddy(place: Place, ports: Ports) {
    const config = await shippedFor('Caddyfile', ports)
    const site = config.replace('id.example.com {', `http://localhost:${ports.port} {\n\tbind 127.0.0.1`)
    const file = await place.write('Caddyfile', `{\n\tadmin off\n}\n${site}`)
    return ['run', '--config', file, '--adapter', 'caddyfile']
  },
  async haproxy(place: Place, ports: Ports) {
    const lua = await place.write('gatehouse.lua', await shippedFor('haproxy-gatehouse.lua', ports))
    const config = (await shippedFor('haproxy.cfg', ports))
      .replace('/etc/haproxy/gatehouse.lua', lua)
      .replace(/bind .*/, `bind 127.0.0.1:${ports.port}`)
    return ['-db', '-f', await place.write('haproxy.cfg', config)]
  },
} as const
const NAMES = ['nginx', 'caddy', 'haproxy'] as const

const Seen = z.object({ path: z.string(), body: z.string(), headers: z.record(z.string(), z.unknown()) })
const PAGE = '/product/orders?from=1&to=2'
const asPerson = { accept: 'text/html,*/*;q=0.8' }

describe('a product behind a proxy', () => {
  const service = new Installation()
  const product = createServer((asked, answer) => {
    const { url: path, headers } = asked
    void text(asked).then((body) => answer.end(JSON.stringify({ path, headers, body })))
  })
  const ports = new Map<string, number>()
  let life: Life
  let credentials: { readonly email: string; readonly password: string }

  beforeAll(async () => {
    for (const name of NAMES) ports.set(name, await freePort())
    const origins = NAMES.map((name) => `http://localhost:${ports.get(name)}`).join(',')
    credentials = await service.prepare()
    life = await service.serve({ TRUSTED_ORIGINS: origins, TRUSTED_PROXIES: '127.0.0.1' })
    product.listen(0, '127.0.0.1')
    await once(product, 'listening')
  })

  afterAll(async () => {
    product.close()
    await service[Symbol.asyncDispose]()
  })

  const portsOf = (name: string): Ports => ({
    port: ports.get(name) ?? 0,
    service: life.port,
    product: (product.address() as AddressInfo).port,
  })

  for (const name of NAMES) {
    const canRun = process.platform === 'linux' && findExecutable(name) !== undefined

    it.skipIf(!canRun)(
      `as deploy/ has it: ${name} sends a signed-out browser to sign in and back, a program gets 401, and no caller can claim to be someone else (needs ${name})`,
      async () => {
        await using place = await Place.make()
        const here = portsOf(name)
        await using _proxy = await started(name, await PROXIES[name](place, here), here.port)
        const front = `http://localhost:${here.port}`
        const request = (path: string, init?: RequestInit) => fetch(front + path, init)
        const ann = new Person({ request }, `${name}@example.com`, 'a long enough phrase')
        await ann.signUp()

        const location = await protects(front, life, ann)
        const inside = await fetch(`${front}/_gatehouse`)

        const signIn = new URL(location, front)
        assert.equal(signIn.pathname, '/sign-in')
        const back = decodeURIComponent(signIn.search.replace('?return_to=', ''))
        assert.equal(new URL(back, front).href, front + PAGE)
        if (name === 'nginx') assert.equal(inside.status, 404)
      },
    )

    it.skipIf(!canRun)(
      `as deploy/ has it: ${name} says that the product is unavailable, not broken, while Gatehouse is (needs ${name})`,
      async () => {
        await using place = await Place.make()
        const here = { ...portsOf(name), service: await freePort() }
        await using _proxy = await started(name, await PROXIES[name](place, here), here.port)

        const answer = await fetch(`http://localhost:${here.port}${PAGE}`, { headers: asPerson })

        assert.equal(answer.status, name === 'caddy' ? 502 : 503)
      },
    )
  }

  // nginx has a file of its own for the service; Traefik takes heads of 1 MB.
  for (const name of ['caddy', 'haproxy'] as const)
    it.skipIf(process.platform !== 'linux' || findExecutable(name) === undefined)(
      `as deploy/ has it: ${name} brings the longest \`state\` of an application and takes it back (needs ${name})`,
      async () => {
        await using place = await Place.make()
        const here = portsOf(name)
        await using _proxy = await started(name, await PROXIES[name](place, here), here.port)

        const asked = await longestRequest(await life.signedIn(credentials))
        const front = `http://localhost:${here.port}`
        const answer = await fetch(front + asked, { redirect: 'manual' })
        const long = await fetch(front + LONGEST_ADDRESS)

        assert.deepEqual([answer.status, long.status], [302, 200])
        const back = new URL(answer.headers.get('location') ?? '')
        assert.equal(back.searchParams.get('state'), LONGEST_STATE)
      },
    )

  it.skipIf(process.platform !== 'linux' || findExecutable('nginx') === undefined)(
    'as the page "Connect a product" shows it: nginx lets no caller claim to be someone else, and refuses a program (needs nginx)',
    async () => {
      await using place = await Place.make()
      const here = { ...portsOf('nginx'), port: await freePort() }
      const shown = proxyCode(life.url).replace('http://your-product', `http://127.0.0.1:${here.product}`)
      const args = await place.nginx(`server { listen 127.0.0.1:${here.port}; ${shown} }`)
      await using _proxy = await started('nginx', args, here.port)

      const location = await protects(`http://localhost:${here.port}`, life, await life.signedUp('ben'))

      assert.equal(location, `${life.url}/sign-in?return_to=${PAGE}`)
    },
  )

  it('Traefik: asks with the same path, and clears what a caller could claim', async () => {
    const file = await shipped('traefik.yml')
    const names = await headersOfVerify(life)

    const [, path = ''] = /uri (\S+)/.exec(await shipped('Caddyfile')) ?? []
    const [, passed = ''] = /authResponseHeadersRegex: (.*)/.exec(file) ?? []
    const cleared = [...file.matchAll(/^ {10}(\S+): ""$/gm)].map(([, name]) => name)
    assert.ok(file.includes(`address: http://127.0.0.1:5173${path}\n`))
    assert.deepEqual(cleared, ['Cookie', 'Authorization'])
    // Traefik removes from the request what it can pass on from the response.
    assert.deepEqual(
      names.flatMap(spellings).filter((name) => !new RegExp(passed).test(name)),
      [],
    )
    assert.doesNotMatch('X-Forwarded-For', new RegExp(passed))
  })
})

/** Returns where a browser that is signed out is sent. The product learns who the caller is, and no credential. */
async function protects(front: string, life: Life, ann: Person): Promise<string> {
  const bearer = { authorization: `Bearer ${ann.token}` }
  const { headers: told } = await life.request('/api/verify', { headers: bearer })
  const names = await headersOfVerify(life)
  assert.deepEqual(
    names.filter((name) => !told.has(name)),
    [],
  )
  // PHP and others take `_` and `.` in the name of a header for `-`.
  const respelled = ['_', '.'].flatMap((sign) => [
    ...names.map((name) => name.replace(/-(?=[^-]*$)/, sign)),
    ...['x-user-id', 'x-org-roles'].flatMap((name) => [name.replace('-', sign), name.replaceAll('-', sign)]),
  ])
  const claims = Object.fromEntries([...names, ...respelled].map((name) => [name, 'eve']))
  const send = (headers: Record<string, string>, init: RequestInit = {}) =>
    fetch(front + PAGE, { ...init, headers: { ...claims, ...headers }, redirect: 'manual' })

  const browser = await send(asPerson)
  const program = await send({ accept: 'application/json' })
  const cookie = `session=${ann.cookies.get('session')}`
  const signedIn = await send({ ...asPerson, cookie })
  const hopping = await dropping(front, names, { ...asPerson, cookie })
  const order = { method: 'POST', body: '{"order":1}' }
  const byToken = await send({ ...bearer, 'content-type': 'application/json' }, order)
  await ann.post('/api/auth/sign-out')
  const ended = await send(bearer)

  assert.deepEqual(
    [browser, program, signedIn, byToken, ended].map(({ status }) => status),
    [302, 401, 200, 200, 401],
  )
  for (const [answer, sent] of [
    [signedIn, ''],
    [byToken, order.body],
  ] as const) {
    const { path, body, headers } = Seen.parse(await answer.json())
    const about = ['id', 'email', 'role', 'shard'].map((name) => headers[`x-user-${name}`])
    assert.deepEqual([path, body, ...about], [PAGE, sent, ann.id, ann.email, 'user', 'apac-1'])
    assert.deepEqual([headers.cookie, headers.authorization], [undefined, undefined])
    assert.deepEqual(
      Object.keys(headers).filter((one) => headers[one] === 'eve'),
      [],
    )
    assert.deepEqual(
      names.filter((name) => name in headers && !(name in hopping)),
      [],
    )
  }
  return browser.headers.get('location') ?? ''
}

/** What the product is told of a caller who asks the proxy to keep these headers to itself. */
async function dropping(front: string, names: readonly string[], headers: Record<string, string>) {
  const asked = request(front + PAGE, { headers: { ...headers, connection: ['close', ...names].join(', ') } })
  const [answer] = await once(asked.end(), 'response')
  return Seen.parse(await json(answer)).headers
}

async function shippedFor(name: string, { service, product }: Ports): Promise<string> {
  const config = (await shipped(name)).replaceAll('127.0.0.1:5173', `127.0.0.1:${service}`)
  return config.replaceAll('127.0.0.1:8080', `127.0.0.1:${product}`)
}

const Described = z.object({
  paths: z.object({
    '/api/verify': z.object({
      get: z.object({ responses: z.object({ 200: z.object({ headers: z.record(z.string(), z.unknown()) }) }) }),
    }),
  }),
})

/** What a product believes about the caller. */
async function headersOfVerify(life: Life): Promise<string[]> {
  const { paths } = Described.parse(await (await life.request('/api/openapi.json')).json())
  return Object.keys(paths['/api/verify'].get.responses[200].headers).filter((name) => name.startsWith('x-'))
}

/** The name with every choice of `-`, `_` and `.`. */
function spellings(name: string): string[] {
  const [first = '', ...rest] = name.split('-')
  return rest.reduce(
    (made, part) => made.flatMap((start) => ['-', '_', '.'].map((sign) => start + sign + part)),
    [first],
  )
}
