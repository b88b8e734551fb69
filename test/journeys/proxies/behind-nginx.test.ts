import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { json } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import { findExecutable } from '../../processes/executable.ts'
import { freePort } from '../../processes/free-port.ts'
import { Installation } from '../../processes/installation.ts'

const nginx = findExecutable('nginx')
const openssl = findExecutable('openssl')
const isHere = process.platform === 'linux' && nginx !== undefined && openssl !== undefined
const skip = isHere ? false : 'needs Linux with nginx and openssl'

// Another address of this machine than the trusted one.
const PERSON = '127.0.0.2'

describe('behind nginx as deploy/nginx.conf has it', { skip }, () => {
  it('a person signs up over https, and the session has the person’s address, not one they claim', async (t) => {
    await using service = new Installation()
    const { url } = await service.serve({
      APP_DOMAIN: 'id.example.com',
      HOST: '127.0.0.1',
      TRUSTED_PROXIES: '127.0.0.1',
    })
    const port = await startNginx(t, new URL(url).port)

    const signUp = await post(port, '/api/auth/sign-up/email', {
      body: { email: 'ann@example.org', password: 'a long enough phrase', name: 'Ann' },
      headers: { 'x-forwarded-for': '6.6.6.6', 'cf-ipcontinent': 'EU' },
    })
    assert.equal(signUp.status, 200, JSON.stringify(signUp.body))
    assert.match(String(signUp.headers['set-cookie']), /__Host-session=[^;]+;.*Secure/)
    assert.deepEqual(sessionAddresses(service), [PERSON])
  })

  it('the figures are not for the world', async (t) => {
    await using service = new Installation()
    const { url } = await service.serve({
      APP_DOMAIN: 'id.example.com',
      HOST: '127.0.0.1',
      TRUSTED_PROXIES: '127.0.0.1',
    })
    const port = await startNginx(t, new URL(url).port)

    assert.equal((await get(port, '/metrics')).status, 404)
    assert.equal((await get(port, '/healthz')).status, 200)
  })
})

/** The shipped file, with this machine's ports and a certificate made just now. */
async function startNginx(t: TestContext, servicePort: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-nginx-'))
  const port = await freePort()
  execFileSync(
    openssl ?? '',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-subj',
      '/CN=id.example.com',
      '-days',
      '1',
      '-keyout',
      join(folder, 'key.pem'),
      '-out',
      join(folder, 'cert.pem'),
    ],
    { stdio: 'ignore' },
  )
  await writeFile(join(folder, 'nginx.conf'), await configuration(folder, port, servicePort))
  const server = spawn(nginx ?? '', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  t.after(async () => {
    await stop(server)
    await rm(folder, { recursive: true })
  })
  await listening(server)
  return port
}

async function configuration(folder: string, port: number, servicePort: string): Promise<string> {
  const shipped = await readFile(new URL('../../../deploy/nginx.conf', import.meta.url), 'utf8')
  const here = shipped
    .replace('127.0.0.1:5173', `127.0.0.1:${servicePort}`)
    .replaceAll(/listen \[::\]:\d+[^;]*;/g, '')
    .replace('listen 80;', `listen 127.0.0.1:${await freePort()};`)
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace(/ssl_certificate .*;/, `ssl_certificate ${folder}/cert.pem;`)
    .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${folder}/key.pem;`)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  )
  return `daemon off; pid ${folder}/pid; worker_processes 1; error_log stderr notice;
    events {} http { access_log off; ${temporary.join(' ')} ${here} }`
}

async function listening(server: ChildProcess): Promise<void> {
  for await (const said of server.stderr ?? []) if (/start worker process/.test(String(said))) break
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return
  server.kill('SIGTERM')
  await once(server, 'exit')
}

function sessionAddresses({ dataDir }: Installation): readonly unknown[] {
  using database = new DatabaseSync(join(dataDir, 'meta.sqlite'), { readOnly: true })
  return database
    .prepare('select ip from session')
    .all()
    .map(({ ip }) => ip)
}

interface Sent {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const get = (port: number, path: string, headers: Sent['headers'] = {}) => ask(port, path, { headers })
const post = (port: number, path: string, sent: Sent) => ask(port, path, { method: 'POST', ...sent })

async function ask(port: number, path: string, { method = 'GET', body, headers = {} }: Sent) {
  const asked = request({
    host: '127.0.0.1',
    localAddress: PERSON,
    port,
    path,
    method,
    // The certificate is one of this minute that nobody knows.
    rejectUnauthorized: false,
    servername: 'id.example.com',
    headers: { host: 'id.example.com', 'content-type': 'application/json', ...headers },
  })
  asked.end(body === undefined ? undefined : JSON.stringify(body))
  const [answer] = await once(asked, 'response')
  return {
    status: answer.statusCode,
    headers: answer.headers,
    body: await json(answer).catch(() => undefined),
  }
}
