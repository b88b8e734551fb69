import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findExecutable } from '../../processes/executable.ts'
import { freePort } from '../../processes/free-port.ts'
import { Jar } from '../../processes/jar.ts'
import { bearer, type Registered, register } from '../../service/applications.ts'
import { it } from '../../service/today.ts'
import { answers, configured, runningProgram } from './running-program.ts'

const MODULES = '/usr/lib/apache2/modules'
const apache = existsSync(`${MODULES}/mod_auth_openidc.so`) ? findExecutable('apache2') : undefined

it.skipIf(!apache)(
  'a page behind Apache’s mod_auth_openidc is shown only to users who have signed in, and is told which user it is; it refreshes and signs out (needs apache2 with mod_auth_openidc)',
  async ({ server: { url }, administrator, ann }) => {
    const port = await freePort()
    const front = `http://localhost:${port}`
    const application = await register(administrator, {
      redirect_uris: [`${front}/callback`],
      post_logout_redirect_uris: [`${front}/page.html`],
      skip_consent: true,
      scopes: ['openid', 'email', 'profile', 'offline_access'],
    })
    await using _server = await startApache(port, url, application)
    const browser = new Jar()
    const get = (address: string) => browser.fetch(address, { origin: front, redirect: 'manual' })

    const first = await get(`${front}/page.html`)
    const asked = new URL(first.headers.get('location') ?? '')
    const authorized = await ann.get(asked.pathname + asked.search)
    const stranger = await fetch(authorized.headers.get('location') ?? '', { redirect: 'manual' })
    const callback = await get(authorized.headers.get('location') ?? '')
    const page = await get(callback.headers.get('location') ?? '')
    const later = await get(`${front}/page.html`)
    const tokens = [page, later].map(({ headers }) => headers.get('x-token') ?? '')
    const info = await ann.get('/api/oauth/userinfo', bearer(tokens[1] ?? ''))
    const leaving = await get(`${front}/callback?logout=${encodeURIComponent(`${front}/page.html`)}`)
    const endSession = new URL(leaving.headers.get('location') ?? '')
    const left = await ann.get(endSession.pathname + endSession.search)
    const { body: session } = await ann.get('/api/auth/get-session')
    const afterwards = await get(left.headers.get('location') ?? '')

    assert.deepEqual([first.status, asked.origin, asked.pathname], [302, url, '/oauth/authorize'])
    assert.equal(asked.searchParams.get('code_challenge_method'), 'S256')
    assert.equal(stranger.headers.get('x-user'), null)
    assert.notEqual(stranger.status, 200)
    assert.deepEqual([page.status, await page.text()], [200, 'for members'])
    assert.equal(page.headers.get('x-user'), `${ann.id} ${ann.email}`)
    assert.equal(new Set([...tokens, '']).size, 3)
    assert.deepEqual([later.status, info.body.sub], [200, ann.id])
    assert.deepEqual([endSession.origin, endSession.pathname], [url, '/oauth/end-session'])
    assert.deepEqual([left.headers.get('location'), session], [`${front}/page.html`, null])
    assert.deepEqual([afterwards.status, afterwards.headers.get('location')?.startsWith(url)], [302, true])
  },
)

async function startApache(port: number, issuer: string, application: Registered) {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-apache-'))
  await using starting = new AsyncDisposableStack()
  starting.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  await chmod(folder, 0o755)
  await writeFile(join(folder, 'page.html'), 'for members')
  await writeFile(join(folder, 'types'), 'text/html html\n')
  await writeFile(join(folder, 'apache.conf'), configuration(folder, port, issuer, application))
  const command = [apache ?? '', '-d', folder, '-f', 'apache.conf', '-D', 'FOREGROUND', '-E', join(folder, 'start.log')]
  starting.use(await runningProgram(command, { cwd: folder }, () => answers(`http://localhost:${port}/callback`)))
  return starting.move()
}

const LOADED = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'headers', 'mime', 'auth_openidc']

function configuration(folder: string, port: number, issuer: string, application: Registered): string {
  const isRoot = process.getuid?.() === 0
  return `
${LOADED.map((name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`).join('\n')}
Listen 127.0.0.1:${port}
ServerName localhost
${isRoot ? 'User www-data\nGroup www-data' : ''}
PidFile ${folder}/pid
DefaultRuntimeDir ${folder}
Mutex pthread
TypesConfig ${folder}/types
ErrorLog ${folder}/error.log
LogLevel warn
StartServers 1
DocumentRoot ${folder}
${configured('apache.conf', { issuer, origin: `http://localhost:${port}`, application })}
# A request of fetch does not look like a browser that visits a page.
OIDCUnAuthAction auth true
# Longer than a token is good for, so that each request refreshes.
OIDCRefreshAccessTokenBeforeExpiry 3600
<Location />
  Header set x-user "%{OIDC_CLAIM_sub}e %{OIDC_CLAIM_email}e"
  Header set x-token "%{OIDC_access_token}e"
</Location>
`
}
