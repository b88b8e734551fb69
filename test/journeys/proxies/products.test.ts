import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { z } from 'zod'
import { findExecutable } from '../../processes/executable.ts'
import { freePort } from '../../processes/free-port.ts'
import { Installation } from '../../processes/installation.ts'

/** As deploy/ has it, with this machine's ports; returns the command. */
const PROXIES = {
  async nginx(place: Place) {
    const shipped = await place.shipped('nginx-product.conf')
    const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    const temporary = kinds.map((kind) => `${kind}_temp_path ${place.folder}/${kind};`).join(' ')
    const file = await place.write(
      'nginx.conf',
      `daemon off; pid ${place.folder}/pid; worker_processes 1; error_log stderr;
      events {}
      http {
        access_log off; ${temporary}
        upstream gatehouse { server 127.0.0.1:${place.service}; }
        server {
          listen 127.0.0.1:${place.port};
          location / { proxy_pass http://gatehouse; proxy_set_header Host $http_host; }
          ${shipped}
        }
      }`,
    )
    return ['-p', place.folder, '-c', file, '-e', 'stderr']
  },
  async caddy(place: Place) {
    const shipped = await place.shipped('Caddyfile')
    const site = shipped.replace('id.example.com {', `http://localhost:${place.port} {\n\tbind 127.0.0.1`)
    const file = await place.write('Caddyfile', `{\n\tadmin off\n}\n${site}`)
    return ['run', '--config', file, '--adapter', 'caddyfile']
  },
  async haproxy(place: Place) {
    const lua = await place.write('gatehouse.lua', await place.shipped('haproxy-gatehouse.lua'))
    const shipped = await place.shipped('haproxy.cfg')
    const here = shipped
      .replace('/etc/haproxy/gatehouse.lua', lua)
      .replace(/bind .*/, `bind 127.0.0.1:${place.port}`)
    return ['-db', '-f', await place.write('haproxy.cfg', here)]
  },
} as const

const Seen = z.object({ path: z.string(), headers: z.record(z.string(), z.unknown()) })
const PAGE = '/product/orders?from=1&to=2'
/** What a caller could send; PHP and others take `_` in the name of a header for `-`. */
const CLAIMS = Object.fromEntries(
  ['x-user-id', 'x_user_id', 'X-User_Role', 'x_user-email', 'x-auth_kind', 'X_Auth-Scopes', 'x_auth_id'].map(
    (name) => [name, 'eve'],
  ),
)
const asPerson = { accept: 'text/html,*/*;q=0.8' }

describe('a product behind a proxy as deploy/ has it', () => {
  const service = new Installation()
  const product = createServer((asked, answer) => {
    answer.end(JSON.stringify({ path: asked.url, headers: asked.headers satisfies IncomingHttpHeaders }))
  })
  const ports: Partial<Record<keyof typeof PROXIES, number>> = {}
  let serviceUrl = ''

  beforeAll(async () => {
    for (const name of names()) ports[name] = await freePort()
    const origins = names().map((name) => `http://localhost:${ports[name]}`)
    const { url } = await service.serve({
      TRUSTED_ORIGINS: origins.join(','),
      TRUSTED_PROXIES: '127.0.0.1',
    })
    serviceUrl = url
    product.listen(0, '127.0.0.1')
    await once(product, 'listening')
  })

  afterAll(async () => {
    product.close()
    await service[Symbol.asyncDispose]()
  })

  for (const name of names()) {
    const program = findExecutable(name)
    const canRun = process.platform === 'linux' && program !== undefined

    it.skipIf(!canRun)(
      `${name}: sends a signed-out browser to sign in and back, a program gets 401, and no caller can claim to be someone else`,
      async () => {
        const port = ports[name] ?? 0
        await using place = await Place.make({ port, service: portOf(serviceUrl), product: portOf(product) })
        await using _proxy = await started(program ?? '', await PROXIES[name](place), port)
        const front = `http://localhost:${port}`
        const get = (headers: Record<string, string>) =>
          fetch(front + PAGE, { headers: { ...CLAIMS, ...headers }, redirect: 'manual' })

        const person = await get(asPerson)
        const program_ = await get({ accept: 'application/json' })
        const ann = await signUp(front, `${name}@example.com`)
        const signedIn = await get({ ...asPerson, cookie: ann.cookie })
        const byToken = await get({ authorization: `Bearer ${ann.token}` })

        assert.equal(person.status, 302)
        const signIn = new URL(person.headers.get('location') ?? '', front)
        assert.equal(signIn.pathname, '/sign-in')
        const back = decodeURIComponent(signIn.search.replace('?return_to=', ''))
        assert.equal(new URL(back, front).href, front + PAGE)
        assert.equal(program_.status, 401)
        for (const answer of [signedIn, byToken]) {
          assert.equal(answer.status, 200)
          const { path, headers } = Seen.parse(await answer.json())
          const told = ['x-user-id', 'x-user-email', 'cookie', 'authorization'].map((one) => headers[one])
          assert.deepEqual([path, ...told], [PAGE, ann.id, `${name}@example.com`, undefined, undefined])
          const claimed = Object.keys(headers).filter((one) => headers[one] === 'eve')
          assert.deepEqual(claimed, [])
        }
      },
    )

    it.skipIf(!canRun)(
      `${name}: says that the product is unavailable, not broken, while Gatehouse is`,
      async () => {
        const port = ports[name] ?? 0
        await using place = await Place.make({ port, service: await freePort(), product: portOf(product) })
        await using _proxy = await started(program ?? '', await PROXIES[name](place), port)

        const answer = await fetch(`http://localhost:${port}${PAGE}`, { headers: asPerson })

        assert.equal(answer.status, name === 'caddy' ? 502 : 503)
      },
    )
  }

  it('Traefik: asks with the same path, and clears what a caller could claim', async () => {
    const file = await readFile(new URL('../../../deploy/traefik.yml', import.meta.url), 'utf8')
    const caddy = await readFile(new URL('../../../deploy/Caddyfile', import.meta.url), 'utf8')

    const [, path = ''] = /uri (\S+)/.exec(caddy) ?? []
    const [, copied = ''] = /copy_headers (.*)/.exec(caddy) ?? []
    assert.ok(file.includes(`address: http://127.0.0.1:5173${path}\n`))
    for (const name of [...copied.split(' ').flatMap(spellings), 'Cookie', 'Authorization'])
      assert.ok(file.includes(`  ${name}: ""\n`), name)
  })
})

/** The name with every choice of `-` and `_`. */
function spellings(name: string): string[] {
  const [first = '', ...rest] = name.split('-')
  return rest.reduce(
    (made, part) => made.flatMap((start) => [`${start}-${part}`, `${start}_${part}`]),
    [first],
  )
}

function names() {
  return ['nginx', 'caddy', 'haproxy'] as const
}

interface Ports {
  readonly port: number
  readonly service: number
  readonly product: number
}

class Place {
  readonly folder: string
  readonly port: number
  readonly service: number
  readonly #product: number

  constructor(folder: string, { port, service, product }: Ports) {
    this.folder = folder
    this.port = port
    this.service = service
    this.#product = product
  }

  static async make(ports: Ports): Promise<Place> {
    return new Place(await mkdtemp(join(tmpdir(), 'gatehouse-proxy-')), ports)
  }

  async shipped(name: string): Promise<string> {
    const text = await readFile(new URL(`../../../deploy/${name}`, import.meta.url), 'utf8')
    return text
      .replaceAll('127.0.0.1:5173', `127.0.0.1:${this.service}`)
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${this.#product}`)
  }

  async write(name: string, text: string): Promise<string> {
    const file = join(this.folder, name)
    await writeFile(file, text)
    return file
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true })
  }
}

async function started(program: string, args: readonly string[], port: number) {
  const child: ChildProcess = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr?.on('data', (text) => {
    said += text
  })
  const ended = once(child, 'exit')
  await Promise.race([accepts(port, child), ended.then(() => assert.fail(`${program} ended: ${said}`))])
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Connecting again is the one way to learn that a program of others has begun to listen. */
async function accepts(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isOpen) return
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function portOf(place: string | ReturnType<typeof createServer>): number {
  if (typeof place === 'string') return Number(new URL(place).port)
  const address = place.address()
  assert.ok(address !== null && typeof address === 'object')
  return address.port
}

async function signUp(front: string, email: string) {
  const answer = await fetch(`${front}/api/auth/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: 'a long enough phrase', name: 'Ann' }),
  })
  const Signed = z.object({ token: z.string(), user: z.object({ id: z.string() }) })
  const { token, user } = Signed.parse(await answer.json())
  const cookies = answer.headers.getSetCookie().map((line) => line.split(';', 1)[0])
  return { id: user.id, token, cookie: cookies.join('; ') }
}
