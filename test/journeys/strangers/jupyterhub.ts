import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../processes/free-port.ts'
import { type Registered, register } from '../../service/applications.ts'
import { it } from '../../service/today.ts'
import { canRun, folderOf } from './clients.ts'
import { answers, configured, runningProgram } from './running-program.ts'
import { Visitor } from './visitor.ts'

const HUB = { registry: 'pip' } as const

it.skipIf(!canRun(HUB))(
  'JupyterHub: signs a user in by the name that does not change (needs node scripts/clients.mjs)',
  async ({ server: { url }, administrator, ann }) => {
    const port = await freePort()
    const origin = `http://localhost:${port}`
    const application = await register(administrator, {
      ...{
        redirect_uris: [`${origin}/hub/oauth_callback`],
        skip_consent: true,
        scopes: ['openid', 'profile', 'email'],
      },
    })
    await using _hub = await startHub(port, url, application)

    const stranger = await fetch(`${origin}/hub/home`, { redirect: 'manual' })
    const home = await new Visitor(origin, url, ann).visit('/hub/oauth_login?next=/hub/home')
    const page = await home.text()

    assert.deepEqual([stranger.status, stranger.headers.get('location')], [302, '/hub/login?next=%2Fhub%2Fhome'])
    assert.deepEqual([home.url, home.status], [`${origin}/hub/home`, 200])
    assert.match(page, new RegExp(`user: "${ann.id}"`))
  },
)

async function startHub(port: number, issuer: string, application: Registered) {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-jupyterhub-'))
  await using starting = new AsyncDisposableStack()
  starting.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const origin = `http://localhost:${port}`
  const config = configured('jupyterhub_config.py', { issuer, origin, application })
  await writeFile(join(folder, 'config.py'), `${config}${ALONE}c.JupyterHub.hub_bind_url = "${origin}"\n`)
  const command = ['python3', '-m', 'jupyterhub', '-f', 'config.py']
  const options = { cwd: folder, env: { PYTHONPATH: join(folderOf(HUB), 'packages') } }
  starting.use(await runningProgram(command, options, () => answers(`${origin}/hub/`)))
  return starting.move()
}

/** The hub without a proxy, since the test starts no notebook. */
const ALONE = `
from jupyterhub.proxy import Proxy

class NoProxy(Proxy):
    should_start = False
    async def start(self): pass
    async def add_route(self, routespec, target, data): pass
    async def delete_route(self, routespec): pass
    async def get_all_routes(self): return {}

c.JupyterHub.proxy_class = NoProxy
c.JupyterHub.log_level = 40
`
