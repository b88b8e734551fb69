import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { proxyCode } from '../../../web/src/pages/console/proxy-code.ts'
import { findExecutable } from '../../processes/executable.ts'
import { freePort } from '../../processes/free-port.ts'
import { Installation } from '../../processes/installation.ts'
import { describe, it, type TestContext } from '../../running/node-test.ts'

const nginx = findExecutable('nginx')
const skip = process.platform === 'linux' && nginx !== undefined ? false : 'needs Linux with nginx'

describe('a product behind nginx as deploy/nginx-product.conf has it', { skip }, () => {
  it('learns who the caller is, whatever the request claims, and never sees a credential', async (t) => {
    await using service = new Installation()
    const { url } = await service.serve()
    const front = await startNginx(t, new URL(url).port, await startProduct(t))
    const ann = await signUp(url)

    const withToken = await fetch(`${front}/product/orders`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${ann.token}`,
        'content-type': 'application/json',
        'x-user-id': 'somebody-else',
        'x-user-role': 'administrator',
      },
      body: '{"order":1}',
    })
    const withCookie = await fetch(`${front}/product/orders`, { headers: { cookie: ann.cookie } })

    const seen = [Seen.parse(await withToken.json()), Seen.parse(await withCookie.json())]
    const known = { 'x-user-id': ann.id, 'x-user-email': 'ann@example.org', 'x-user-role': 'user' }
    for (const { headers } of seen) {
      assert.deepEqual({ ...headers, ...known }, headers)
      assert.equal(headers['x-user-shard'], 'apac-1')
      assert.deepEqual([headers.authorization, headers.cookie], [undefined, undefined])
    }
    assert.deepEqual(
      seen.map(({ path, body }) => [path, body]),
      [
        ['/product/orders', '{"order":1}'],
        ['/product/orders', ''],
      ],
    )
  })

  it('cannot be reached without a session, nor after signing out', async (t) => {
    await using service = new Installation()
    const { url } = await service.serve()
    const front = await startNginx(t, new URL(url).port, await startProduct(t))
    const { token } = await signUp(url)
    const headers = { authorization: `Bearer ${token}` }

    const stranger = await fetch(`${front}/product/`, { headers: { 'x-user-id': 'somebody' } })
    const before = await fetch(`${front}/product/`, { headers })
    await fetch(`${url}/api/auth/sign-out`, { method: 'POST', headers })
    const after = await fetch(`${front}/product/`, { headers })
    const inside = await fetch(`${front}/_gatehouse`, { headers })

    assert.deepEqual(
      [stranger, before, after, inside].map(({ status }) => status),
      [401, 200, 401, 404],
    )
  })
})

describe('a product behind nginx as the page "Connect a product" shows it', { skip }, () => {
  it('gets no header about the user that the caller wrote, and no credential', async (t) => {
    await using service = new Installation()
    const { url } = await service.serve()
    const port = await startProduct(t)
    const front = await startNginxWith(t, shownTo(url, port))
    const ann = await signUp(url)
    const names = await headersAboutCaller(url, ann.token)
    const claims = Object.fromEntries(names.map((name) => [name, 'administrator']))

    const answer = await fetch(`${front}/product/orders`, {
      headers: { ...claims, authorization: `Bearer ${ann.token}` },
    })

    const { headers } = Seen.parse(await answer.json())
    assert.ok(names.length >= 10)
    for (const name of names) assert.notEqual(headers[name], 'administrator', name)
    assert.deepEqual([headers['x-user-id'], headers['x-user-role']], [ann.id, 'user'])
    assert.deepEqual([headers.authorization, headers.cookie], [undefined, undefined])
  })

  it('sends a browser that is signed out to the sign-in page and back, and refuses a program', async (t) => {
    await using service = new Installation()
    const { url } = await service.serve()
    const front = await startNginxWith(t, shownTo(url, await startProduct(t)))

    const [browser, program] = await Promise.all([
      fetch(`${front}/product/a?b=1&c=2`, { headers: { accept: 'text/html' }, redirect: 'manual' }),
      fetch(`${front}/product/a`),
    ])

    assert.deepEqual([browser.status, program.status], [302, 401])
    assert.equal(browser.headers.get('location'), `${url}/sign-in?return_to=/product/a?b=1&c=2`)
  })
})

/** The names of the headers in which `/api/verify` describes the caller. */
async function headersAboutCaller(url: string, token: string): Promise<string[]> {
  const { headers } = await fetch(`${url}/api/verify`, { headers: { authorization: `Bearer ${token}` } })
  return [...headers.keys()].filter((name) => /^x-(user|auth)-/.test(name))
}

const shownTo = (url: string, productPort: number) =>
  proxyCode(url).replace('http://your-product', `http://127.0.0.1:${productPort}`)

const Seen = z.object({ path: z.string(), headers: z.record(z.string(), z.unknown()), body: z.string() })

/** Responds with what it received. */
async function startProduct(t: TestContext): Promise<number> {
  const product = createServer((asked, answer) => {
    void text(asked).then((body) =>
      answer.end(JSON.stringify({ path: asked.url, headers: asked.headers, body })),
    )
  })
  product.listen(0, '127.0.0.1')
  await once(product, 'listening')
  t.after(() => product.close())
  const address = product.address()
  assert.ok(address !== null && typeof address === 'object')
  return address.port
}

async function signUp(url: string) {
  const answer = await fetch(`${url}/api/auth/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ann@example.org', password: 'a long enough phrase', name: 'Ann' }),
  })
  const Signed = z.object({ token: z.string(), user: z.object({ id: z.string() }) })
  const { token, user } = Signed.parse(await answer.json())
  const cookie = answer.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ')
  return { id: user.id, token, cookie }
}

/** The shipped locations, in a server of this machine's ports. */
async function startNginx(t: TestContext, servicePort: string, productPort: number): Promise<string> {
  const shipped = await readFile(new URL('../../../deploy/nginx-product.conf', import.meta.url), 'utf8')
  const upstream = `upstream gatehouse { server 127.0.0.1:${servicePort}; }`
  return startNginxWith(t, shipped.replace('127.0.0.1:8080', `127.0.0.1:${productPort}`), upstream)
}

async function startNginxWith(t: TestContext, locations: string, upstream = ''): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-nginx-'))
  const port = await freePort()
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  )
  await writeFile(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/pid; worker_processes 1; error_log stderr notice;
    events {}
    http {
      access_log off; ${temporary.join(' ')}
      ${upstream}
      server {
        listen 127.0.0.1:${port};
        ${locations}
      }
    }`,
  )
  const server = spawn(nginx ?? '', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  t.after(async () => {
    await stop(server)
    await rm(folder, { recursive: true })
  })
  for await (const said of server.stderr) if (/start worker process/.test(String(said))) break
  return `http://127.0.0.1:${port}`
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return
  server.kill('SIGTERM')
  await once(server, 'exit')
}
