import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findExecutable } from '../../processes/executable.ts'
import { freePort } from '../../processes/free-port.ts'

const openssl = findExecutable('openssl')

/** This machine has nginx as a server has it, and can make a certificate. */
export const canRunNginx =
  process.platform === 'linux' && findExecutable('nginx') !== undefined && openssl !== undefined

/** A folder for the files of a proxy. */
export class Place {
  readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  static async make(): Promise<Place> {
    return new Place(await mkdtemp(join(tmpdir(), 'gatehouse-proxy-')))
  }

  async write(name: string, text: string): Promise<string> {
    const file = join(this.folder, name)
    await writeFile(file, text)
    return file
  }

  /** The arguments of nginx with these blocks. */
  async nginx(http: string): Promise<readonly string[]> {
    const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    const temporary = kinds.map((kind) => `${kind}_temp_path ${this.folder}/${kind};`).join(' ')
    const file = await this.write(
      'nginx.conf',
      `daemon off; pid ${this.folder}/pid; worker_processes 1; error_log stderr;
      events {} http { access_log off; ${temporary} ${http} }`,
    )
    return ['-p', this.folder, '-c', file, '-e', 'stderr']
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true })
  }
}

export function shipped(name: string): Promise<string> {
  return readFile(new URL(`../../../deploy/${name}`, import.meta.url), 'utf8')
}

/** Resolves once it listens. */
export async function started(program: string, args: readonly string[], port: number) {
  const child = spawn(findExecutable(program) ?? '', args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (text) => {
    said += text
  })
  const ended = once(child, 'exit')
  await Promise.race([accepts(port, child), ended.then(() => assert.fail(`${program} ended: ${said}`))])
  return {
    said: () => said,
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

/** deploy/nginx.conf in front of a service, with this machine's ports and a certificate made just now. */
export async function startNginx(servicePort: number) {
  await using opening = new AsyncDisposableStack()
  const place = opening.use(await Place.make())
  const port = await freePort()
  const [key, certificate] = ['key.pem', 'cert.pem'].map((name) => join(place.folder, name))
  const flags = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=id.example.com -days 1'
  const files = ['-keyout', key ?? '', '-out', certificate ?? '']
  execFileSync(openssl ?? '', [...flags.split(' '), ...files], { stdio: 'ignore' })
  const configuration = (await shipped('nginx.conf'))
    .replace('127.0.0.1:5173', `127.0.0.1:${servicePort}`)
    .replaceAll(/listen \[::\]:\d+[^;]*;/g, '')
    .replace('listen 80;', `listen 127.0.0.1:${await freePort()};`)
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace(/ssl_certificate .*;/, `ssl_certificate ${certificate};`)
    .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${key};`)
  opening.use(await started('nginx', await place.nginx(configuration), port))
  const opened = opening.move()
  return { port, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}
