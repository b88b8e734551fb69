import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { keepBusy } from '../../faults/support/busy.ts'
import { testServer } from '../../postgres/databases.ts'
import { findExecutable } from '../../processes/executable.ts'
import { freePort } from '../../processes/free-port.ts'
import { Installation, type Life } from '../../processes/installation.ts'
import { storesIn } from '../../processes/it.ts'
import { Place, shipped, started } from './started-proxy.ts'

/** How each proxy is started with its file of deploy/ha: without TLS, on this machine's ports. */
const PROXIES = {
  async nginx(place: Place, port: number, config: string) {
    const plain = config
      .replaceAll(/listen \[::\]:\d+[^;]*;/g, '')
      .replace('listen 80;', `listen 127.0.0.1:${await freePort()};`)
      .replace('listen 443 ssl http2;', `listen 127.0.0.1:${port};`)
      .replaceAll(/ssl_\w+ .*;/g, '')
    return place.nginx(plain)
  },
  async caddy(place: Place, port: number, config: string) {
    const site = config.replace('id.example.com {', `http://localhost:${port} {\n\tbind 127.0.0.1`)
    const file = await place.write('Caddyfile', `{\n\tadmin off\n}\n${site}`)
    return ['run', '--config', file, '--adapter', 'caddyfile']
  },
  async haproxy(place: Place, port: number, config: string) {
    return [
      '-db',
      '-f',
      await place.write('haproxy.cfg', config.replace(/bind .*/, `bind 127.0.0.1:${port}`)),
    ]
  },
} as const

const FILES = { nginx: 'ha/nginx.conf', caddy: 'ha/Caddyfile', haproxy: 'ha/haproxy.cfg' } as const

describe('a rolling restart under load', () => {
  for (const name of ['nginx', 'caddy', 'haproxy'] as const)
    it.skipIf(!findExecutable(name))(`costs no request behind ${name} (needs ${name})`, async () => {
      await using opened = new AsyncDisposableStack()
      const server = opened.adopt(await testServer(), (one) => one.stop())
      const port = await freePort()
      const env = {
        ...(await storesIn(opened, server.url, ['apac-1'])),
        ...{ DRAIN_SECONDS: '5', USER_LIMIT_FACTOR: '1000', TRUSTED_PROXIES: '127.0.0.1' },
        TRUSTED_ORIGINS: `http://localhost:${port}`,
      }
      const installation = opened.use(new Installation())
      await installation.prepare(env)
      const members = await Promise.all([1, 2].map(() => installation.serve(env)))
      const place = opened.use(await Place.make())
      const arguments_ = await PROXIES[name](place, port, await shippedFor(FILES[name], members))
      opened.use(await started(name, arguments_, port))
      const url = `http://localhost:${port}`
      const front = {
        request: (path: string, init?: RequestInit) => fetch(url + path, { redirect: 'manual', ...init }),
      }
      const busy = await keepBusy(front, ['fay', 'gil', 'hal', 'ida'])
      await busy.roundsOfAll(2)

      for (const [i, old] of members.entries()) {
        assert.equal((await old.end()).code, 0)
        members[i] = await installation.serve({ ...env, PORT: String(old.port) })
        await busy.roundsOfAll(5)
      }
      const { answers, lost } = await busy.stop()

      assert.deepEqual(Object.keys(answers), ['200'], JSON.stringify(answers))
      assert.deepEqual(lost, [])
    })

  it('Traefik asks the same address for the readiness of each process', async () => {
    const file = await shipped('ha/traefik.yml')

    assert.match(file, /healthCheck:\n +path: \/readyz\n +interval: 1s\n/)
    assert.equal(file.match(/- url: /g)?.length, 2)
  })
})

async function shippedFor(file: string, members: readonly Life[]): Promise<string> {
  let config = await shipped(file)
  for (const [i, { port }] of members.entries())
    config = config.replaceAll(`10.0.0.${i + 1}:5173`, `127.0.0.1:${port}`)
  return config
}
