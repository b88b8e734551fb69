import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../processes/free-port.ts'
import { bearer, type Registered, register } from '../../service/applications.ts'
import { proveAddress } from '../../service/mailed.ts'
import { it } from '../../service/today.ts'
import { canRun, folderOf } from './clients.ts'
import { answers, configured, runningProgram } from './running-program.ts'
import { Visitor } from './visitor.ts'

const PROXY = { registry: 'oauth2-proxy' } as const
const REFRESHED_WITHIN_MILLISECONDS = 10_000

it.skipIf(!canRun(PROXY))(
  'oauth2-proxy: lets in users whose address is verified, says who they are, refreshes and signs out (needs node scripts/clients.mjs)',
  async ({ server: { url }, service, administrator, ann }) => {
    await administrator.saveSettings('email', { provider: 'smtp' })
    const port = await freePort()
    const origin = `http://localhost:${port}`
    const application = await register(administrator, {
      ...{ redirect_uris: [`${origin}/oauth2/callback`], post_logout_redirect_uris: [`${origin}/oauth2/auth`] },
      ...{ skip_consent: true, scopes: ['openid', 'profile', 'email', 'offline_access'] },
    })
    await using _proxy = await startProxy(port, url, application)
    const visitor = new Visitor(origin, url, ann)
    const leaving = { client_id: application.client_id, post_logout_redirect_uri: `${origin}/oauth2/auth` }
    const rd = `${url}/oauth/end-session?${new URLSearchParams(leaving)}`

    const stranger = await visitor.visit('/oauth2/auth')
    const unverified = await visitor.visit('/oauth2/start?rd=/oauth2/auth')
    await proveAddress(service, ann, ann)
    const home = await visitor.visit('/oauth2/start?rd=/oauth2/auth')
    const first = tokenOf(home)
    let later = first
    // It refreshes once its session is a second old.
    const end = performance.now() + REFRESHED_WITHIN_MILLISECONDS
    while (later === first && performance.now() < end) later = tokenOf(await visitor.visit('/oauth2/auth'))
    const info = await ann.get('/api/oauth/userinfo', bearer(later))
    const left = await visitor.visit(`/oauth2/sign_out?${new URLSearchParams({ rd })}`)
    const { body: session } = await ann.get('/api/auth/get-session')

    assert.deepEqual([stranger.status, unverified.status, home.status], [401, 403, 202])
    assert.notEqual(later, first)
    const who = ['user', 'email'].map((name) => home.headers.get(`x-auth-request-${name}`))
    assert.deepEqual(who, [ann.id, ann.email])
    assert.deepEqual([info.status, info.body.sub], [200, ann.id])
    assert.deepEqual([left.url, left.status, session], [`${origin}/oauth2/auth`, 401, null])
  },
)

function tokenOf({ headers }: Response): string {
  return headers.get('x-auth-request-access-token') ?? assert.fail('no token')
}

async function startProxy(port: number, issuer: string, application: Registered) {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-oauth2-proxy-'))
  await using starting = new AsyncDisposableStack()
  starting.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const origin = `http://localhost:${port}`
  const config = configured('oauth2-proxy.cfg', { issuer, origin, application }).replace('"4m"', '"1s"')
  const here = `http_address = "127.0.0.1:${port}"\ncookie_secure = false\n`
  await writeFile(join(folder, 'proxy.cfg'), config + here)
  const command = [join(folderOf(PROXY), 'oauth2-proxy'), '--config=proxy.cfg']
  starting.use(await runningProgram(command, { cwd: folder }, () => answers(`${origin}/ping`)))
  return starting.move()
}
