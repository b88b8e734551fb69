import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe } from 'vitest'
import { z } from 'zod'
import { freePort } from '../../processes/free-port.ts'
import { register } from '../../service/applications.ts'
import { it } from '../../service/today.ts'
import { CLIENTS, canRun, examples, folderOf, isLeftOut, type StrangerClient } from './clients.ts'
import { answers, runningProgram } from './running-program.ts'
import { Visitor } from './visitor.ts'

const User = z.object({ sub: z.string(), email: z.string() })
const Renewed = z.object({ access_token: z.string() })
const NOTHING = { access_token: '' }
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
          ...(client.version && { VERSION: client.version }),
        })
        const browser = new Visitor(origin, url, ann)

        const stranger = await browser.visit('/')
        const home = await browser.visit('/login')
        const user = User.parse(await home.json())
        const { body: beside } = await ann.get('/api/auth/get-session')
        const renewed = client.refreshes ? Renewed.parse(await (await browser.visit('/refresh')).json()) : NOTHING
        const info = await fetch(`${url}/api/oauth/userinfo`, {
          headers: { authorization: `Bearer ${renewed.access_token}` },
        })
        const left = await browser.visit('/logout')
        const { body: session } = await ann.get('/api/auth/get-session')

        assert.deepEqual([stranger.status, home.status], [401, 200])
        assert.deepEqual([user.sub, user.email], [ann.id, ann.email])
        assert.equal(beside?.user.id, ann.id, 'the product has overwritten a cookie of Gatehouse')
        assert.equal(info.status, client.refreshes ? 200 : 401)
        assert.deepEqual([left.url, left.status, session], [`${origin}/`, 401, null])
      },
    )
})

// Nothing may be skipped in CI, and a file without a test would fail there.
if (!isLeftOut({ registry: 'npm' })) {
  await import('./assistants.ts')
  await import('./browser-clients.ts')
  await import('./expo.ts')
}
if (!isLeftOut({ registry: 'pip' })) await import('./jupyterhub.ts')
if (!isLeftOut({ registry: 'oauth2-proxy' })) await import('./oauth2-proxy.ts')

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
  // Some programs share a module.
  cpSync(examples, folder, { recursive: true })
  if (client.version) renameLibrary(join(folder, client.file), client.version)
  const data = mkdtempSync(join(tmpdir(), 'gatehouse-client-'))
  const command = COMMANDS[client.registry](client.file)
  await using starting = new AsyncDisposableStack()
  starting.defer(() => rmSync(data, { recursive: true, force: true }))
  const paths = { PYTHONPATH: 'packages', DATABASE: join(data, 'shop.sqlite') }
  const address = `http://localhost:${env.PORT}/`
  starting.use(await runningProgram(command, { cwd: folder, env: { ...paths, ...env } }, () => answers(address)))
  return starting.move()
}

function renameLibrary(file: string, version: string): void {
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll("'better-auth", `$&-${version}`))
}
