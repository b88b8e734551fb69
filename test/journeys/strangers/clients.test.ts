import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe } from 'vitest'
import { z } from 'zod'
import { freePort } from '../../processes/free-port.ts'
import { Jar } from '../../processes/jar.ts'
import { register } from '../../service/applications.ts'
import type { Person } from '../../service/people.ts'
import { it } from '../../service/today.ts'
import { CLIENTS, canRun, examples, folderOf, isLeftOut, type StrangerClient } from './clients.ts'

const User = z.object({ sub: z.string(), email: z.string() })
const Renewed = z.object({ access_token: z.string() })
const NOTHING = { access_token: '' }
const HOPS = 12
const SCOPES = ['openid', 'profile', 'email', 'offline_access']

// Each program of `examples/clients`, as a product starts it, and a browser that visits it.
describe('a client that somebody else wrote', () => {
  for (const client of CLIENTS.filter((one) => !isLeftOut(one)))
    it.skipIf(!canRun(client))(
      `${client.name}: signs a user in${client.refreshes ? ', refreshes' : ''} and signs out (needs node scripts/clients.mjs, and Debian’s ruby-omniauth-openid-connect)`,
      async ({ server: { url }, administrator, ann }) => {
        const port = await freePort()
        const origin = `http://localhost:${port}`
        const application = await register(administrator, {
          ...{
            redirect_uris: [origin + client.callback],
            post_logout_redirect_uris: [`${origin}/`, origin, `${origin}/logout`],
          },
          ...{ skip_consent: true, scopes: SCOPES, ...client.fields },
        })
        await using _product = await started(client, {
          ...{
            GATEHOUSE: url,
            PORT: String(port),
            SESSION_SECRET: 'a secret of the product that is long enough',
          },
          ...{ CLIENT_ID: application.client_id, CLIENT_SECRET: application.client_secret ?? '' },
        })
        const browser = new Browser(origin, url, ann)

        const stranger = await browser.visit('/')
        const home = await browser.visit('/login')
        const user = User.parse(await home.json())
        const renewed = client.refreshes ? Renewed.parse(await (await browser.visit('/refresh')).json()) : NOTHING
        const info = await fetch(`${url}/api/oauth/userinfo`, {
          headers: { authorization: `Bearer ${renewed.access_token}` },
        })
        const left = await browser.visit('/logout')
        const { body: session } = await ann.get('/api/auth/get-session')

        assert.deepEqual([stranger.status, home.status], [401, 200])
        assert.deepEqual([user.sub, user.email], [ann.id, ann.email])
        assert.equal(info.status, client.refreshes ? 200 : 401)
        assert.deepEqual([left.url, left.status, session], [`${origin}/`, 401, null])
      },
    )
})

// A file without a test would fail.
if (!isLeftOut({ registry: 'npm' })) await import('./browser-clients.ts')

/** One browser: what it keeps for the product, and the session of a person at Gatehouse. */
class Browser {
  readonly #jar = new Jar()
  readonly #origin: string
  readonly #gatehouse: string
  readonly #person: Person

  constructor(origin: string, gatehouse: string, person: Person) {
    this.#origin = origin
    this.#gatehouse = gatehouse
    this.#person = person
  }

  /** Follows each redirect, wherever it leads. */
  async visit(path: string): Promise<Response> {
    let address = new URL(path, this.#origin)
    for (let i = 0; i < HOPS; i += 1) {
      const response = await this.#at(address)
      if (typeof response !== 'string') return response
      address = new URL(response, address)
    }
    return assert.fail(`${path} still redirects at ${address}`)
  }

  /** The address it redirects to, or the response that does not redirect. */
  async #at(address: URL): Promise<string | Response> {
    if (address.origin === this.#gatehouse) {
      const { headers, body } = await this.#person.get(address.pathname + address.search)
      if (address.pathname === '/oauth/end-session' && !headers.has('location')) return this.#agree(address)
      return headers.get('location') ?? assert.fail(`Gatehouse stays at ${address}: ${JSON.stringify(body)}`)
    }
    const response = await this.#jar.fetch(address, { origin: this.#origin, redirect: 'manual' })
    return response.headers.get('location') ?? response
  }

  /** Acts like the page that asks whether to sign out. */
  async #agree({ searchParams }: URL): Promise<string> {
    const { body } = await this.#person.post('/api/oauth/describe_sign_out', Object.fromEntries(searchParams))
    await this.#person.post('/api/auth/sign-out')
    return body.redirect_to ?? assert.fail('nothing leads back')
  }
}

const overHttp = fileURLToPath(new URL('packages/over-http.rb', import.meta.url))

const COMMANDS = {
  npm: (file) => [process.execPath, file],
  pip: (file) => ['python3', file],
  go: () => ['go', 'run', '.'],
  maven: (file) => ['java', '-cp', 'packages/*', file],
  Debian: (file) => ['ruby', '-r', overHttp, file],
} satisfies Record<StrangerClient['registry'], (file: string) => [string, ...string[]]>

async function started(client: StrangerClient, env: Readonly<Record<string, string>>) {
  const folder = folderOf(client)
  mkdirSync(folder, { recursive: true })
  cpSync(join(examples, client.file), join(folder, client.file))
  const data = mkdtempSync(join(tmpdir(), 'gatehouse-client-'))
  const [program, ...args] = COMMANDS[client.registry](client.file)
  const { PATH, HOME } = process.env
  const child = spawn(program, args, {
    cwd: folder,
    env: { PATH, HOME, PYTHONPATH: 'packages', DATABASE: join(data, 'shop.sqlite'), ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
    // `go run` starts what it has built as a second process.
    detached: true,
  })
  const closed = once(child, 'close')
  await using starting = new AsyncDisposableStack()
  starting.defer(async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
    await closed
    rmSync(data, { recursive: true, force: true })
  })
  await untilItAnswers(child, `http://localhost:${env.PORT}/`)
  return starting.move()
}

async function untilItAnswers(child: ChildProcess, address: string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`)
    const answer = await fetch(address).catch(() => undefined)
    await answer?.arrayBuffer()
    if (answer) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
