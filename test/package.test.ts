import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { clockAfter, RELEASES, unpackRelease } from './fixtures/lived-in.ts'
import { freePort } from './processes/free-port.ts'
import { Installation } from './processes/installation.ts'
import { Person } from './service/people.ts'

const repository = fileURLToPath(new URL('..', import.meta.url))
const manifest = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
const MEGABYTE = 1_000_000
/** Root can become another user; anyone else is already not root. */
const NOBODY = process.getuid?.() === 0 ? 65_534 : undefined

/** An installation as docs/deploying.md has it, in a path with spaces, with Node and no npm on its PATH. */
class Place {
  readonly #folder = mkdtempSync(join(tmpdir(), 'gatehouse-package '))
  readonly prefix = join(this.#folder, 'opt gatehouse')
  readonly package = join(this.prefix, 'lib/node_modules/gatehouse')
  readonly archive = join(this.#folder, `gatehouse-${manifest.version}.tgz`)
  readonly env = { PATH: [join(this.#folder, 'node'), '/usr/bin', '/bin'].join(delimiter) }

  install(): void {
    execFileSync('npm', ['pack', '--pack-destination', this.#folder], { cwd: repository, stdio: 'pipe' })
    mkdirSync(join(this.#folder, 'node'))
    symlinkSync(process.execPath, join(this.#folder, 'node/node'))
    const options = ['--global', '--offline', '--no-audit', '--no-fund', '--prefix', this.prefix]
    execFileSync('npm', ['install', ...options, this.archive], { cwd: this.#folder, stdio: 'pipe' })
    chmodSync(this.#folder, 0o755)
  }

  /** A product's folder, where the package is installed as a dependency; returns what the program printed. */
  product(source: string): string {
    const folder = mkdtempSync(join(this.#folder, 'product '))
    symlinkSync(join(this.prefix, 'lib/node_modules'), join(folder, 'node_modules'))
    const file = join(folder, 'product.mts')
    writeFileSync(file, source)
    execFileSync(process.execPath, [tsc, ...STRICT, file], { cwd: folder, stdio: 'pipe' })
    return execFileSync(process.execPath, [file], { cwd: folder, encoding: 'utf8', env: this.env })
  }

  program(uid?: number): Installation {
    return new Installation(join(this.prefix, 'bin/gatehouse'), uid)
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true })
  }
}

const tsc = join(repository, 'node_modules/typescript/bin/tsc')
const STRICT = [
  ...['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--ignoreConfig', '--skipLibCheck', 'false'],
  ...['--module', 'nodenext', '--target', 'es2022', '--lib', 'es2023,dom', '--types', ''],
]

const here = new Place()

describe('the package that npm pack makes, installed in an empty folder', () => {
  beforeAll(() => here.install())
  afterAll(() => here.remove())

  it('is at most 4 MB', () => {
    const { size } = statSync(here.archive)

    assert.ok(size <= 4 * MEGABYTE, `it is ${size} bytes`)
  })

  it('needs no other package, and carries documents, units, changelog and licence', () => {
    for (const file of [
      'docs/deploying.md',
      'docs/operations.md',
      'docs/client.md',
      'deploy/gatehouse.service',
      'deploy/Containerfile',
      'CHANGELOG.md',
      'SECURITY.md',
      'LICENSE',
      'README.md',
    ]) {
      assert.ok(existsSync(join(here.package, file)), file)
    }
    assert.equal(existsSync(join(here.package, 'node_modules')), false)
  })

  it('has every file that its documents link to', () => {
    const documents = globSync(['*.md', 'docs/*.md', 'examples/**/*.md'], { cwd: here.package })

    const missing = documents.flatMap((file) =>
      [...readFileSync(join(here.package, file), 'utf8').matchAll(/\]\(([\w./-]+)[)#]|src="([\w./-]+)"/g)]
        .map(([, link, picture]) => join(dirname(file), link ?? picture ?? ''))
        .filter((path) => !existsSync(join(here.package, path)))
        .map((path) => `${file}: ${path}`),
    )

    assert.ok(documents.length > 20)
    assert.deepEqual(missing, [])
  })

  it('says its version, and its help has every command and points at documents that are there', async () => {
    await using program = here.program()

    const version = await program.run(['--version'], here.env)
    const help = await program.run(['--help'], here.env)
    const serve = await program.run(['serve', '--help'], here.env)

    assert.equal(version.stdout, `gatehouse ${manifest.version}\n`)
    for (const command of ['serve', 'prepare', 'backup', 'connect', 'request', 'completion'])
      assert.match(help.stdout, new RegExp(`^  ${command} `, 'm'))
    const documents = /^Documents: (.*)$/m.exec(help.stdout)?.[1] ?? ''
    assert.equal(documents, join(here.package, 'docs'))
    assert.ok(serve.stdout.includes(join(documents, 'operations.md')), serve.stdout)
  })

  it('prepares, serves pages and API, and its own client talks to it', async () => {
    await using program = here.program()

    const prepared = await program.run(['prepare'], here.env)
    const { url, child, output } = await program.serve(here.env)
    const page = await fetch(`${url}/`)
    const documentation = await fetch(`${url}/api/openapi.json`)
    const health = await program.run(['request', 'here', 'GET', '/api/health', '--jq', '.version'], {
      ...here.env,
      GATEHOUSE_CONFIG_DIR: join(program.dataDir, 'client'),
      GATEHOUSE_TOKEN: 'any',
      GATEHOUSE_SERVER: url,
    })
    const doctor = await program.run(['doctor'], { ...here.env, PORT: String(await freePort()) })
    child.kill('SIGTERM')

    assert.match(prepared.stdout, /^Administrator: admin@example\.com\nPassword: \S+\n$/)
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
    assert.equal(documentation.status, 200)
    assert.equal(health.stdout, `${manifest.version}\n`, health.stderr)
    assert.ok(doctor.stdout.startsWith(`Gatehouse ${manifest.version}\n`), doctor.stdout)
    assert.match(doctor.stdout, /Nothing is wrong/)
    assert.equal((await output).code, 0)
  })

  it('runs for a user who is not root and has no HOME, and can write nothing but the data', async () => {
    await using program = here.program(NOBODY)

    const prepared = await program.run(['prepare'], here.env)
    const { url, child, output } = await program.serve(here.env)
    const page = await fetch(`${url}/`)
    const ended = await Promise.all(
      [['scopes'], ['completion', 'bash'], ['doctor', '--json'], ['shards', 'list']].map((args) =>
        program.run(args, { ...here.env, PORT: String(new URL(url).port) }),
      ),
    )
    const unwritable = await program.run(['status'], { ...here.env, HOME: '/proc/nowhere' })
    const own = { ...here.env, GATEHOUSE_CONFIG_DIR: join(program.dataDir, 'client') }
    const status = await program.run(['status'], own)
    child.kill('SIGTERM')

    assert.match(prepared.stdout, /^Administrator: admin@example\.com\nPassword: \S+\n$/, prepared.stderr)
    assert.deepEqual([unwritable.code, status.code], [1, 0])
    assert.match(
      unwritable.stderr,
      /^gatehouse: connections can't be kept in \/proc\/nowhere\S* \(.*\); set GATEHOUSE_CONFIG_DIR to a folder of yours\n$/,
    )
    assert.equal(page.status, 200)
    assert.deepEqual(
      ended.map(({ code, stderr }) => [code, /^ {4}at /m.test(stderr)]),
      ended.map(() => [0, false]),
      JSON.stringify(ended),
    )
    assert.equal((await output).code, 0)
  })

  it('gives products a typed client, a verifier and adapters, each one file without dependencies', () => {
    const printed = here.product(`
      import { createClient, GatehouseError } from 'gatehouse/client'
      import { type Caller, createVerifier } from 'gatehouse/server'
      import * as express from 'gatehouse/express'
      import * as fastify from 'gatehouse/fastify'
      import * as hono from 'gatehouse/hono'
      import * as next from 'gatehouse/next'

      const client = createClient({
        baseUrl: 'https://id.example.com',
        token: undefined as string | undefined,
        fetch: async () => Response.json({ code: 'UNAUTHORIZED', message: '' }, { status: 401 }),
      })
      const id: Promise<string | undefined> = client
        .post('/api/submit_feedback', { type: 'idea', content: 'More' })
        .then((sent) => sent.id)
      const refused = await id.catch((error: unknown) => error)
      // @ts-expect-error a route that is not there
      void client.post('/api/no_such_route').catch(() => undefined)
      // @ts-expect-error content is missing
      void client.post('/api/submit_feedback', { type: 'idea' }).catch(() => undefined)
      const total: Promise<number> = client.post('/api/list_notifications').then((list) => list.total)
      await total.catch(() => undefined)

      const verifier = createVerifier({ issuer: 'https://id.example.com' })
      const caller: Caller | undefined = await verifier.verify(new Request('https://app.example.com'))
      const guards = [express.protect(verifier), fastify.protect(verifier), hono.protect(verifier)]
      const GET = next.protect(verifier, (request, { userId }) => new Response(userId))
      const { status } = await GET(new Request('https://app.example.com'))
      console.log(refused instanceof GatehouseError && refused.code, caller, guards.length, status)
    `)

    assert.equal(printed, 'UNAUTHORIZED undefined 3 401\n')
    const react = readFileSync(join(here.package, 'dist/packages/react.mjs'), 'utf8')
    assert.match(react, /^['"]use client['"]/)
    assert.deepEqual(react.match(/(?<= from )"[^"]+"/g), ['"react"', '"react"'])
    for (const name of ['client', 'server', 'express', 'fastify', 'hono', 'next']) {
      const text = readFileSync(join(here.package, `dist/packages/${name}.mjs`), 'utf8')
      assert.doesNotMatch(text, /^\s*import\b|\bimport\(|require\(/m, name)
      assert.ok(text.length < 40_000, `${name} has ${text.length} bytes`)
    }
  })

  it('backs up, and restores elsewhere', async () => {
    await using program = here.program()
    await using elsewhere = here.program()
    const archive = `${program.dataDir}.tar.gz`
    await program.run(['prepare'], here.env)
    cpSync(join(program.dataDir, 'secrets.json'), join(elsewhere.dataDir, 'secrets.json'))

    const backedUp = await program.run(['backup', archive], here.env)
    const restored = await elsewhere.run(['restore', archive], here.env)
    const again = await elsewhere.run(['prepare'], here.env)

    assert.deepEqual([backedUp.code, restored.code], [0, 0], restored.stderr)
    assert.deepEqual([again.code, again.stdout], [0, ''])
  })

  for (const release of RELEASES) {
    it(`takes over data of release ${release}, and its users find what was theirs`, async () => {
      await using program = here.program()
      const lived = unpackRelease(release, program.dataDir)
      const env = { ...here.env, ...clockAfter(lived), DATA_DIR: join(program.dataDir, 'data') }

      const prepared = await program.run(['prepare'], env)
      const { url, child, output } = await program.serve(env)
      const browser = { request: (path: string, init?: RequestInit) => fetch(url + path, init) }
      const ann = new Person(browser, lived.ann.email, lived.ann.password)
      await ann.signIn()
      const credits = await ann.post('/api/get_credit_summary')
      const kept = await ann.get('/api/auth/get-session', {
        authorization: `Bearer ${lived.ben.session_token}`,
      })
      child.kill('SIGTERM')
      const { code, stdout } = await output

      assert.deepEqual([prepared.code, prepared.stdout, code, stdout], [0, '', 0, ''], prepared.stderr)
      assert.deepEqual([ann.id, credits.body.balance, kept.body?.user.id], [lived.ann.id, 25, lived.ben.id])
    })
  }

  it('has every path that the units and the Containerfile start or point at', () => {
    const deployed = ['gatehouse.service', 'gatehouse-backup.service', 'Containerfile'].map((name) =>
      readFileSync(join(here.package, 'deploy', name), 'utf8'),
    )
    const named = new Set(deployed.join('\n').match(/\/opt\/gatehouse(\/[\w./-]+)?/g))

    for (const path of named) {
      assert.ok(existsSync(path.replace('/opt/gatehouse', here.prefix)), path)
    }
    assert.ok(named.has('/opt/gatehouse/bin/gatehouse'))
  })

  it('is installed by the command that docs/deploying.md and the Containerfile give', () => {
    const command = 'npm install --global --offline --no-audit --no-fund --prefix /opt/gatehouse'

    for (const file of ['docs/deploying.md', 'deploy/Containerfile'])
      assert.ok(readFileSync(join(here.package, file), 'utf8').includes(command), file)
  })
})
