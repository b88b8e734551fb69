import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findExecutable } from '../../processes/executable.ts'
import { freePort } from '../../processes/free-port.ts'

const nginx = findExecutable('nginx')
const openssl = findExecutable('openssl')
const isHere = process.platform === 'linux' && nginx !== undefined && openssl !== undefined

/** Why a test that needs nginx is skipped. */
export const nginxMissing = isHere ? false : 'needs Linux with nginx and openssl'

/** deploy/nginx.conf, with this machine's ports and a certificate made just now. */
export async function startNginx(servicePort: string) {
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
  await listening(server)
  return {
    port,
    async stop(): Promise<void> {
      await stop(server)
      await rm(folder, { recursive: true })
    },
  }
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
