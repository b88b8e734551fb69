import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, it, onTestFinished } from 'vitest'
import { testServer } from '../../postgres/databases.ts'
import { findExecutable } from '../../processes/executable.ts'
import { freePort } from '../../processes/free-port.ts'
import { Installation, type Life } from '../../processes/installation.ts'
import { ENGINES } from '../../processes/it.ts'
import { storesIn } from '../../processes/new-stores.ts'
import { ORGANIZATIONS, organizationOf } from '../../service/organizations.ts'
import { examples, startExample } from './start-example.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const SCREEN_LINES = 75
/** Where `scripts/clients.mjs` puts the packages of Python. */
const PYTHONPATH = join(root, 'node_modules/.cache/clients/pip/packages')
const SCRIPT = { name: 'Script', scopes: ['account:profile:read'], expires_in_days: 1 }

/** Says that it has started on its standard error. */
const PHP = 'exec php -S "127.0.0.1:$PORT" api/product.php 2>&1'

const STARTED: readonly Started[] = [
  { name: 'Express', command: process.execPath, args: ['express.mjs'] },
  { name: 'Fastify', command: process.execPath, args: ['fastify.mjs'] },
  { name: 'Hono', command: process.execPath, args: ['hono.mjs'] },
  { name: 'Python', command: findExecutable('python3'), args: ['python.py'] },
  { name: 'FastAPI', command: havingPackages('fastapi, uvicorn'), args: ['api/fastapi_product.py'] },
  { name: 'Django', command: havingPackages('django'), args: ['api/django_product.py'] },
  { name: 'Go', command: findExecutable('go'), args: ['run', 'go/main.go'] },
  { name: 'Ruby', command: havingWebrick(), args: ['api/product.rb'] },
  { name: 'PHP', command: findExecutable('php') && '/bin/sh', args: ['-c', PHP], ready: 'started' },
  { name: 'Java', command: findExecutable('java'), args: ['api/Product.java'] },
]

for (const engine of ENGINES)
  describe(`examples/ on ${engine}`, () => {
    const resources = new AsyncDisposableStack()
    let life: Life

    beforeAll(async () => {
      const stores = engine === 'SQLite' ? {} : await storesIn(resources, await testServer(), ['apac-1'])
      life = await resources.use(new Installation()).serve(stores)
    })
    afterAll(() => resources.disposeAsync())

    for (const { name, command, args, ready } of STARTED)
      it.skipIf(command === undefined)(
        `${name}: identifies its callers, sends users to sign in, and refuses tools and a session that has ended (needs ${name})`,
        async () => {
          const url = await startExample(command ?? '', args, { GATEHOUSE: life.url, PYTHONPATH }, ready)
          const ann = await life.signedUp(name.toLowerCase())
          const bearer = { authorization: `Bearer ${ann.token}` }
          const get = (path: string, headers: Record<string, string> = {}) =>
            fetch(url + path, { headers, redirect: 'manual' })

          const stranger = await get('/api/me')
          const person = await get('/a?b=c', { accept: 'text/html' })
          const root = await get('/', { accept: 'text/html' })
          const me = await get('/api/me', bearer)
          const page = await get('/', { ...bearer, accept: 'text/html' })
          const { userId } = JSON.parse(await me.text())
          const { body: personal } = await ann.post('/api/create_personal_token', SCRIPT)
          const tool = await get('/api/me', { authorization: `Bearer ${personal.token}` })
          await ann.post('/api/auth/sign-out')
          const ended = await get('/api/me', bearer)

          assert.deepEqual(
            [stranger, root, me, page, tool, ended].map(({ status }) => status),
            [401, 302, 200, 200, 403, 401],
          )
          assert.ok([302, 404].includes(person.status))
          const back = `${life.url}/sign-in?${new URLSearchParams({ return_to: `${url}/` })}`
          assert.equal(root.headers.get('location'), back)
          assert.equal(userId, ann.id)
        },
      )
  })

interface Started {
  readonly name: string
  /** Undefined where it cannot run. */
  readonly command: string | undefined
  readonly args: readonly string[]
  /** What it prints once it listens. */
  readonly ready?: string
}

function havingPackages(names: string): string | undefined {
  const python = findExecutable('python3')
  const imported = python && spawnSync(python, ['-c', `import ${names}`], { env: { ...process.env, PYTHONPATH } })
  return imported && imported.status === 0 ? python : undefined
}

function havingWebrick(): string | undefined {
  const ruby = findExecutable('ruby')
  return ruby && spawnSync(ruby, ['-e', 'require "webrick"']).status === 0 ? ruby : undefined
}

describe('examples/', () => {
  for (const { name, command, args } of STARTED.filter(({ name }) => ['Express', 'FastAPI'].includes(name)))
    it.skipIf(command === undefined)(
      `${name}: lets those through whose roles in the active organisation allow it, and says why not (needs ${name})`,
      async () => {
        await using installation = new Installation()
        await installation.prepare({}, { organizations: ORGANIZATIONS })
        const life = await installation.serve()
        const url = await startExample(command ?? '', args, { GATEHOUSE: life.url, PYTHONPATH })
        const ann = await life.signedUp('ann')
        const create = async () => {
          const headers = { authorization: `Bearer ${ann.token}` }
          const answer = await fetch(`${url}/api/projects`, { method: 'POST', headers })
          return [answer.status, JSON.parse(await answer.text())]
        }

        const [status, refused] = await create()
        await organizationOf(ann, { slug: 'rowers' })
        const inside = await create()

        assert.deepEqual(
          [status, refused.message ?? refused.detail],
          [403, 'This session or token acts in no organisation.'],
        )
        assert.deepEqual(inside, [201, { organization: 'rowers' }])
      },
    )

  it('Next.js: is type-checked against the published types', () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-next-'))
    cpSync(join(examples, 'next'), folder, { recursive: true })
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(root, join(folder, 'node_modules/gatehouse'))
    for (const name of ['react', '@types']) {
      symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
    }
    writeFileSync(
      join(folder, 'next.d.ts'),
      `declare module 'next/headers' { export function headers(): Promise<Headers> }`,
    )
    const options = ['--noEmit', '--strict', '--ignoreConfig', '--jsx', 'react-jsx', '--lib', 'es2023,dom']
    const resolution = ['--module', 'esnext', '--moduleResolution', 'bundler', '--types', 'node,react']
    const files = ['next.d.ts', 'app/layout.tsx', 'app/page.tsx', 'app/news.tsx', 'app/api/me/route.ts']
      .concat('app/api/projects/route.ts')
      .map((file) => join(folder, file))

    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    execFileSync(process.execPath, [tsc, ...options, ...resolution, ...files])

    rmSync(folder, { recursive: true })
  })

  it('README.md: its product greets a signed-in user, and sends everybody else to sign in', async () => {
    await using program = new Installation()
    const life = await program.serve()
    const port = String(await freePort())
    const [, code = ''] = /^```js\n([\s\S]*?)^```/m.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? []
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-readme-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(root, join(folder, 'node_modules/gatehouse'))
    const file = join(folder, 'product.mjs')
    const here = code.replaceAll('http://localhost:5173', life.url).replaceAll('8080', port)
    writeFileSync(file, `${here}console.log('listening on', ${port})\n`)
    await startExample(process.execPath, [file], {})
    const ann = await life.signedUp('ann')
    const get = (headers: Record<string, string> = {}) =>
      fetch(`http://localhost:${port}/`, { headers, redirect: 'manual' })

    const person = await get({ authorization: `Bearer ${ann.token}` })
    const stranger = await get()

    assert.equal(await person.text(), 'Hello, ann@example.com')
    assert.equal(stranger.status, 302)
    assert.ok(stranger.headers.get('location')?.startsWith(`${life.url}/sign-in?return_to=`))
  })

  it('are one screen long each', () => {
    const files = readdirSync(examples, { recursive: true, encoding: 'utf8' }).filter((name) => /\.\w+$/.test(name))

    const long = files.filter((name) => readFileSync(join(examples, name), 'utf8').split('\n').length > SCREEN_LINES)

    assert.deepEqual(long, [])
  })
})
