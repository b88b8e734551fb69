import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe } from 'vitest'
import { version } from '../../src/rules/version.ts'
import { freePort } from '../processes/free-port.ts'
import { Installation } from '../processes/installation.ts'
import { it } from '../processes/it.ts'
import { plainOf } from '../processes/terminal/plain-text.ts'
import { Person } from '../service/people.ts'

const repository = fileURLToPath(new URL('../..', import.meta.url))
const TWO_LINES = /^Administrator: admin@example\.com\nPassword: \S{20,}\n$/

describe('gatehouse prepare', () => {
  it('is safe when three processes run it at once: one administrator, one pair of lines', async ({ program }) => {
    const runs = await Promise.all([1, 2, 3].map(() => program.run(['prepare'])))

    assert.deepEqual(
      runs.map(({ code }) => code),
      [0, 0, 0],
      runs.map(({ stderr }) => stderr).join('\n'),
    )
    assert.equal(runs.filter(({ stdout }) => TWO_LINES.test(stdout)).length, 1)
    assert.equal(runs.filter(({ stdout }) => stdout === '').length, 2)
    assert.equal(program.rows('meta', `select id from "user" where role = 'administrator'`).length, 1)
  })

  it('writes nothing if everything is prepared, leaves a database that refuses a second administrator, and refuses data of a newer version', async ({
    program,
  }) => {
    await program.run(['prepare'])
    const before = digestsOf(program)
    await program.run(['prepare'])

    assert.equal(before.length, 4)
    assert.deepEqual(digestsOf(program), before)
    const second = `insert into "user" (id, name, role, email, aff_code, email_verified, created_at, updated_at)
      values ('x', 'x', 'administrator', 'x@example.com', 'x', 1, 1, 1)`
    assert.throws(() => program.alter('meta', second), /UNIQUE/)
    program.alter('meta', `insert into schema_migration (name, applied_at) values ('9999-future', 1)`)
    const { code, stderr } = await program.run(['serve'])
    assert.equal(code, 1)
    assert.match(plainOf(stderr), /^gatehouse: [^\n]*9999-future[^\n]*newer version[^\n]*\n$/)
  })
})

describe('gatehouse serve', () => {
  it('names the process that already serves the data folder, which takes over that of one that was killed, and shows no password again', async ({
    program,
  }) => {
    const first = await program.serve()
    const refused = await program.run(['serve'], { PORT: String(await freePort()) })
    await first.end('SIGKILL')
    const second = await program.serve()
    const ready = await second.request('/readyz')
    const output = await second.end('SIGHUP')

    assert.equal(refused.code, 1)
    assert.ok(refused.stderr.includes(`in use by process ${first.child.pid}`), refused.stderr)
    assert.deepEqual([ready.status, output.code, output.stdout], [200, 0, ''])
    assert.match(output.stderr, /"signal":"SIGHUP","msg":"Gatehouse stops"/)
    assert.doesNotMatch(output.stderr, /password/i)
  })

  it('stops as it should if npm passes on the Ctrl-C that the terminal has sent already', async ({ program }) => {
    const { child, output } = await program.serve({ LOG_FORMAT: 'json' })
    const stopping = new Promise<void>((resolve) => {
      child.stderr?.on('data', (data) => /Gatehouse stops/.test(String(data)) && resolve())
    })

    child.kill('SIGINT')
    await stopping
    child.kill('SIGINT')

    const { code, stderr } = await output
    assert.equal(code, 0)
    assert.match(stderr, /Gatehouse has stopped/)
  })

  it('announces no pages that are not built, and says how to build them', async () => {
    using clone = new Clone()
    for (const source of ['bin', 'client', 'src', 'package.json']) clone.copy(source)
    await using program = new Installation(clone.program)

    const life = await program.serve()
    const page = await life.request('/')
    const { stderr } = await life.end()

    assert.equal(page.status, 404)
    assert.match(stderr, /"pages":"not built: run `npm run build`/)
  })

  it('says its version, as --version and doctor do', async ({ program }) => {
    const said = await Promise.all([['--version'], ['serve', '--version']].map((words) => program.run(words)))
    const doctor = await program.run(['doctor', '--json'])
    const life = await program.serve()
    const health = await life.request('/api/health')
    const figures = await life.request('/metrics')

    assert.deepEqual(
      said.map(({ code, stdout }) => [code, stdout]),
      said.map(() => [0, `gatehouse ${version}\n`]),
    )
    assert.equal(JSON.parse(doctor.stdout).version, version)
    assert.deepEqual(await health.json(), { version })
    assert.ok((await figures.text()).includes(`gatehouse_build_info{version="${version}"} 1`))
  })

  it('logs as JSON one stream of lines: start, migrations, ready, failed sign-ins and stop; no account is named', async ({
    program,
  }) => {
    const life = await program.serve({ LOG_FORMAT: 'json' })
    await new Person(life, 'somebody@example.com', 'a password typed amiss').signIn()

    const { stdout, stderr } = await life.end()

    const lines = stderr.trim().split('\n')
    const start = JSON.parse(lines[0] ?? '')
    assert.match(stdout, TWO_LINES)
    assert.deepEqual(
      [...new Set(lines.map((line) => JSON.parse(line).msg))],
      [
        ...['Gatehouse starts', 'schema migrated', 'Gatehouse is ready'],
        ...['sign-in failed', 'Gatehouse stops', 'refused', 'Gatehouse has stopped'],
      ],
    )
    assert.deepEqual([start.version, start.address, start.stores.data_dir], [version, life.url, program.dataDir])
    const failed = lines.find((line) => line.includes('sign-in failed')) ?? ''
    assert.equal(JSON.parse(failed).code, 'INVALID_EMAIL_OR_PASSWORD')
    assert.equal(addressIn(failed), '127.0.0.1')
    assert.doesNotMatch(stderr, /somebody|amiss/)
  })

  it.for<[string, Readonly<Record<string, string>>, RegExp]>([
    ['a data folder under /proc', { DATA_DIR: '/proc/x' }, /^gatehouse: the data folder \/proc\/x cannot be/],
    ['a HOST of another machine', { HOST: '192.0.2.7' }, /^gatehouse: HOST is 192\.0\.2\.7, which is not an address/],
    ['a KV_URL that cannot be decoded', { KV_URL: 'redis://:100%@cache' }, /^gatehouse: KV_URL has a % in/],
    ['METRICS_PORT equal to PORT', { PORT: '5999', METRICS_PORT: '5999' }, /METRICS_PORT is 5999, and so is PORT/],
    ['an address that is none', { COMMUNITY_AUTH_URL: 'not a url' }, /^gatehouse: COMMUNITY_AUTH_URL /],
  ])('does not start with %s, and says so in one line', async ([, env, words], { program }) => {
    const { code, stderr } = await program.run(['serve'], env)

    assert.equal(code, 1)
    assert.match(plainOf(stderr), words)
    assert.match(plainOf(stderr), /^[^\n]*\n$/)
  })

  it('says in one line that a data folder is not a folder, and which store is damaged, as backup does', async ({
    program,
    elsewhere,
  }) => {
    const file = join(elsewhere.dataDir, 'a-file')
    writeFileSync(file, '')
    chmodSync(file, 0o400)
    await program.run(['prepare'])
    writeFileSync(join(program.dataDir, 'oc-1.sqlite'), 'No database any more. '.repeat(10))

    const inFile = await program.run(['serve'], { DATA_DIR: file })
    const damaged = [await program.run(['serve']), await program.run(['backup', join(elsewhere.dataDir, 'archive')])]

    assert.equal(inFile.code, 1)
    assert.match(plainOf(inFile.stderr), /^gatehouse: the data folder .* is not a folder[^\n]*\n$/)
    for (const { code, stderr } of damaged)
      assert.deepEqual(
        [code, plainOf(stderr)],
        [1, 'gatehouse: store oc-1 is not available (file is not a database)\n'],
      )
  })
})

describe('bin/gatehouse', () => {
  it.for<[string, string, (clone: Clone) => void]>([
    ['what was built', 'built', () => undefined],
    [
      'the sources if one has changed, whatever its date',
      'sources',
      (clone) => clone.write('src/main.ts', says('sources'), 0),
    ],
    ['the sources if one was deleted', 'sources', (clone) => clone.remove('client/words.ts')],
    ['the sources if nothing was built', 'sources', (clone) => clone.remove('dist')],
  ])('runs %s', async ([, expected, change]) => {
    using clone = new Clone()
    clone.copy('bin/gatehouse')
    for (const file of [
      'client/words.ts',
      'packages/a.ts',
      'package-lock.json',
      'scripts/bundle.ts',
      'scripts/packages/a.ts',
    ])
      clone.write(file, '')
    clone.write('src/main.ts', says('sources'))
    clone.write('dist/gatehouse.mjs', says('built'))
    // Later than the files above; the first run takes longer than this.
    clone.write('dist/.sources', '', Date.now() + 10)
    await using program = new Installation(clone.program)

    const built = await program.run([])
    change(clone)
    const changed = await program.run([])

    assert.deepEqual([built.stdout, changed.stdout], ['built', expected])
  })
})

describe('a health check', () => {
  it.for([
    ['without a host, as HTTP/1.0 allows it', 'HTTP/1.0', ''],
    ['with an empty host', 'HTTP/1.1', 'Host:\r\n'],
    ['with the address of this machine as its host', 'HTTP/1.1', 'Host: 127.0.0.1:5173\r\n'],
    ['with the name of the balancer’s group as its host', 'HTTP/1.1', 'Host: gate_house\r\n'],
  ])('%s is answered', async ([, version, host], { program }) => {
    const { port } = await program.serve()

    const answers = await send(port, [`GET /readyz ${version}\r\n${host}Connection: close\r\n\r\n`])

    assert.deepEqual(answers, [[200, '{"status":"up","stores":{"meta']])
  })

  it('of the container passes while the process is ready, and fails when it is gone', async ({ program }) => {
    const file = readFileSync(join(repository, 'deploy/Containerfile'), 'utf8')
    const [, command = '[]'] = /^HEALTHCHECK .*\n +CMD (\[.*\])$/m.exec(file) ?? []
    const [, ...args]: readonly string[] = JSON.parse(command)
    const life = await program.serve()
    const check = () => spawnSync(process.execPath, args, { env: { ...process.env, PORT: String(life.port) } }).status

    const ready = check()
    await life.end()

    assert.deepEqual([ready, check()], [0, 1])
  })
})

describe('a request whose body breaks off', () => {
  it('counts as one refusal', async ({ program }) => {
    const life = await program.serve()
    const body = (...lines: readonly string[]) =>
      request('POST', 'sign-in/email', 'Content-Type: application/json', ...lines)

    const broken = await send(life.port, [`${body('Transfer-Encoding: chunked')}no number\r\n`])
    const half = await text(connect(life.port, '127.0.0.1').end(`${body('Content-Length: 9')}{`))
    const metrics = await (await life.request('/metrics')).text()

    assert.deepEqual([broken[0]?.[0], half.slice(0, 12)], [400, 'HTTP/1.1 400'])
    assert.match(metrics, /^gatehouse_refusals_total\{code="INVALID_REQUEST"\} 2$/m)
  })
})

describe('a request without a body', () => {
  it('is answered if it is a POST that announces no length, refused if the route needs input, and leaves the connection to the next one', async ({
    program,
  }) => {
    const { port } = await program.serve()
    const json = 'Content-Type: application/json'
    const session = request('GET', 'get-session')
    const chunked = request('POST', 'sign-in/email', json, 'Transfer-Encoding: chunked')

    const answers = await send(port, [
      session,
      request('POST', 'sign-out'),
      request('POST', 'sign-in/email'),
      `${chunked}1\r\n{\r\n0\r\n\r\n`,
      session,
      `${request('POST', 'sign-in/email', json, 'Content-Length: 1')}{`,
      request('GET', 'get-session', 'Connection: close'),
    ])

    const invalid = '{"code":"INVALID_REQUEST","mes'
    assert.deepEqual(answers, [
      [200, 'null'],
      [200, '{"success":true}'],
      [400, invalid],
      [400, invalid],
      [200, 'null'],
      [400, invalid],
      [200, 'null'],
    ])
  })
})

it.for(['GET /api\\list_events', 'OPTIONS *', 'GET http://'])(
  'a request target that is not a path is answered with 404: %s',
  async (line, { program }) => {
    const { port } = await program.serve()

    const answers = await send(port, [`${line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`])

    assert.deepEqual(answers, [[404, '{"code":"NOT_FOUND","message":']])
  },
)

const says = (word: string) => `process.stdout.write('${word}')\n`

/** A copy of parts of the sources. */
class Clone implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'gatehouse-clone-'))
  readonly program = join(this.#folder, 'bin/gatehouse')

  constructor() {
    symlinkSync(join(repository, 'node_modules'), join(this.#folder, 'node_modules'))
  }

  copy(source: string): void {
    cpSync(join(repository, source), join(this.#folder, source), { recursive: true })
  }

  write(file: string, content: string, date = Date.now()): void {
    const path = join(this.#folder, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    utimesSync(path, date / 1_000, date / 1_000)
  }

  remove(file: string): void {
    rmSync(join(this.#folder, file), { recursive: true })
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true })
  }
}

function digestsOf({ dataDir }: Installation): readonly string[] {
  const files = readdirSync(dataDir).filter((name) => name.endsWith('.sqlite'))
  return files.map((name) => `${name} ${hash('sha256', readFileSync(join(dataDir, name)))}`)
}

/** The address that fail2ban finds with the filter of docs/operations.md. */
function addressIn(line: string): string | undefined {
  const guide = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
  const [, filter = ''] = /^failregex = (.+)$/m.exec(guide) ?? []
  return new RegExp(filter.replace('<HOST>', '(?<host>[0-9a-f.:]+)')).exec(line)?.groups?.host
}

function request(method: string, path: string, ...lines: readonly string[]): string {
  return [`${method} /api/auth/${path} HTTP/1.1`, 'Host: localhost', ...lines, '', ''].join('\r\n')
}

/** All in one packet; returns the status of each answer and how its body begins. */
async function send(port: number, requests: readonly string[]): Promise<readonly [number, string][]> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(requests.join(''))
  const answers = (await text(socket)).matchAll(
    /HTTP\/1\.1 (\d{3}).*?\r\ncontent-length: (\d+).*?\r\n\r\n(.*?)(?=HTTP\/1\.1|$)/gis,
  )
  return [...answers].map(([, status, length, rest = '']) => [
    Number(status),
    rest.slice(0, Math.min(30, Number(length))),
  ])
}
