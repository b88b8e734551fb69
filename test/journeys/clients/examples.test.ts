import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { testServer } from '../../postgres/databases.ts'
import { findExecutable } from '../../processes/executable.ts'
import { Installation, type Life } from '../../processes/installation.ts'
import { ENGINES } from '../../processes/it.ts'
import { storesIn } from '../../processes/new-stores.ts'
import { examples, startExample } from './start-example.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const SCREEN_LINES = 75

const STARTED = [
  { name: 'Express', command: process.execPath, args: ['express.mjs'] },
  { name: 'Fastify', command: process.execPath, args: ['fastify.mjs'] },
  { name: 'Hono', command: process.execPath, args: ['hono.mjs'] },
  { name: 'Python', command: findExecutable('python3'), args: ['python.py'] },
  { name: 'Go', command: findExecutable('go'), args: ['run', 'go/main.go'] },
]

for (const engine of ENGINES)
  describe(`examples/ on ${engine}`, () => {
    const resources = new AsyncDisposableStack()
    let life: Life

    beforeAll(async () => {
      const server = resources.adopt(await testServer(), (one) => one.stop())
      const stores = engine === 'SQLite' ? {} : await storesIn(resources, server.url, ['apac-1'])
      life = await resources.use(new Installation()).serve(stores)
    })
    afterAll(() => resources.disposeAsync())

    for (const { name, command, args } of STARTED)
      it.skipIf(command === undefined)(
        `${name}: identifies its callers, sends users to sign in, and refuses a session that has ended (needs ${name})`,
        async () => {
          const url = await startExample(command ?? '', args, { GATEHOUSE: life.url })
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
          await ann.post('/api/auth/sign-out')
          const ended = await get('/api/me', bearer)

          assert.deepEqual(
            [stranger, root, me, page, ended].map(({ status }) => status),
            [401, 302, 200, 200, 401],
          )
          assert.ok([302, 404].includes(person.status))
          const back = `${life.url}/sign-in?${new URLSearchParams({ return_to: `${url}/` })}`
          assert.equal(root.headers.get('location'), back)
          assert.equal(userId, ann.id)
        },
      )
  })

describe('examples/', () => {
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
    const files = ['next.d.ts', 'app/layout.tsx', 'app/page.tsx', 'app/news.tsx', 'app/api/me/route.ts'].map((file) =>
      join(folder, file),
    )

    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    execFileSync(process.execPath, [tsc, ...options, ...resolution, ...files])

    rmSync(folder, { recursive: true })
  })

  it('are one screen long each', () => {
    const files = readdirSync(examples, { recursive: true, encoding: 'utf8' }).filter((name) => /\.\w+$/.test(name))

    const long = files.filter((name) => readFileSync(join(examples, name), 'utf8').split('\n').length > SCREEN_LINES)

    assert.deepEqual(long, [])
  })
})
