import { findExecutable } from '../../processes/executable.ts'
import { freePort } from '../../processes/free-port.ts'
import { Place, shipped, started } from './started-proxy.ts'

/** The files of deploy/ha on this machine: its ports, and no TLS. */
const FILES = {
  async nginx(place: Place, port: number, members: readonly number[]) {
    const plain = (await ofMembers('nginx.conf', members))
      .replaceAll(/ +(listen \[::\]|ssl_\w+ ).*\n/g, '')
      .replace('listen 80;', `listen 127.0.0.1:${await freePort()};`)
      .replace('listen 443 ssl http2;', `listen 127.0.0.1:${port} default_server;`)
    return place.nginx(plain)
  },
  async caddy(place: Place, port: number, members: readonly number[]) {
    const site = `http://localhost:${port} {\n\tbind 127.0.0.1`
    const file = (await ofMembers('Caddyfile', members)).replace('id.example.com {', site)
    const path = await place.write('Caddyfile', `{\n\tadmin off\n}\n${file}`)
    return ['run', '--config', path, '--adapter', 'caddyfile']
  },
  async haproxy(place: Place, port: number, members: readonly number[]) {
    const file = (await ofMembers('haproxy.cfg', members)).replace(/bind .*/, `bind 127.0.0.1:${port}`)
    return ['-db', '-f', await place.write('haproxy.cfg', file)]
  },
} as const

export const BALANCERS = ['nginx', 'caddy', 'haproxy'] as const

export function canBalance(name: (typeof BALANCERS)[number]): boolean {
  return process.platform === 'linux' && findExecutable(name) !== undefined
}

/** A proxy in front of two processes on these ports, as deploy/ha has it. */
export async function startBalancing(name: (typeof BALANCERS)[number], members: readonly number[]) {
  await using opening = new AsyncDisposableStack()
  const place = opening.use(await Place.make())
  const port = await freePort()
  const { said } = opening.use(await started(name, await FILES[name](place, port, members), port))
  const opened = opening.move()
  const url = `http://localhost:${port}`
  return {
    url,
    said,
    request: (path: string, init?: RequestInit) => fetch(url + path, { redirect: 'manual', ...init }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

async function ofMembers(name: string, members: readonly number[]): Promise<string> {
  return members.reduce(
    (file, port, i) => file.replaceAll(`10.0.0.${i + 1}:5173`, `127.0.0.1:${port}`),
    await shipped(`ha/${name}`),
  )
}
