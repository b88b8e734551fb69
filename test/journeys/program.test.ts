import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'vitest'
import { freePort } from '../processes/free-port.ts'
import { Installation } from '../processes/installation.ts'
import { plainOf } from '../processes/terminal/plain-text.ts'

const repository = fileURLToPath(new URL('../..', import.meta.url))

const TWO_LINES = /^Administrator: admin@example\.com\nPassword: \S{20,}\n$/

describe('gatehouse prepare', () => {
  it('prints the administrator and the password on the first run, exactly, and never again', async () => {
    await using program = new Installation()

    const first = await program.run(['prepare'])
    const second = await program.run(['prepare'], { SYSTEM_EMAIL: 'other@example.com' })

    assert.equal(first.code, 0, first.stderr)
    assert.match(first.stdout, TWO_LINES)
    assert.deepEqual([second.code, second.stdout], [0, ''])
    assert.deepEqual(administrators(program), ['admin@example.com'])
  })

  it('is safe when two processes run it at once: one administrator, one pair of lines', async () => {
    await using program = new Installation()

    const runs = await Promise.all([
      program.run(['prepare']),
      program.run(['prepare']),
      program.run(['prepare']),
    ])

    assert.deepEqual(
      runs.map(({ code }) => code),
      [0, 0, 0],
      runs.map(({ stderr }) => stderr).join('\n'),
    )
    assert.equal(runs.filter(({ stdout }) => TWO_LINES.test(stdout)).length, 1)
    assert.equal(runs.filter(({ stdout }) => stdout === '').length, 2)
    assert.deepEqual(administrators(program), ['admin@example.com'])
  })

  it('writes nothing if everything is prepared, so that a start waits for no disk', async () => {
    await using program = new Installation()
    await program.run(['prepare'])
    const before = storesOf(program)

    await program.run(['prepare'])

    assert.equal(before.size, 4)
    assert.deepEqual(storesOf(program), before)
  })

  it('keeps its secrets to the owner', async () => {
    await using program = new Installation()

    await program.run(['prepare'])

    const { mode } = statSync(join(program.dataDir, 'secrets.json'))
    assert.equal(mode & 0o777, 0o600)
  })

  it('leaves a database that refuses a second administrator', async () => {
    await using program = new Installation()
    await program.run(['prepare'])
    const database = new DatabaseSync(join(program.dataDir, 'meta.sqlite'))

    const promote = () =>
      database.exec(
        `insert into "user" (id, name, role, email, aff_code, email_verified, created_at, updated_at)
         values ('x', 'x', 'administrator', 'x@example.com', 'x', 1, 1, 1)`,
      )

    assert.throws(promote, /UNIQUE/)
    database.close()
  })

  it('refuses data written by a newer version', async () => {
    await using program = new Installation()
    await program.run(['prepare'])
    const database = new DatabaseSync(join(program.dataDir, 'meta.sqlite'))
    database.exec(`insert into schema_migration (name, applied_at) values ('9999-future', 1)`)
    database.close()

    const { code, stderr } = await program.run(['serve'])

    assert.equal(code, 1)
    assert.match(plainOf(stderr), /^gatehouse: [^\n]*9999-future[^\n]*newer version[^\n]*\n$/)
  })
})

describe('gatehouse serve', () => {
  it('prepares on the first start and shows no password on the second', async () => {
    await using program = new Installation()

    const first = await program.serve()
    first.child.kill('SIGTERM')
    const firstOutput = await first.output
    const second = await program.serve()
    const health = await fetch(`${second.url}/api/health`)
    second.child.kill('SIGTERM')
    const secondOutput = await second.output

    assert.match(firstOutput.stdout, TWO_LINES)
    assert.equal(health.status, 200)
    assert.equal(secondOutput.stdout, '')
    assert.doesNotMatch(secondOutput.stderr, /password/i)
  })

  it('stops as it should if npm passes on the Ctrl-C that the terminal has sent already', async () => {
    await using program = new Installation()
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

  for (const signal of ['SIGTERM', 'SIGHUP'] as const)
    it(`on ${signal} says so, ends with 0, closes its stores and releases the data folder`, async () => {
      await using program = new Installation()
      const { child, url, output } = await program.serve()
      await fetch(`${url}/api/health`)

      child.kill(signal)

      const { code, stderr } = await output
      assert.equal(code, 0)
      assert.match(stderr, new RegExp(`"signal":"${signal}","msg":"Gatehouse stops"`))
      assert.equal(existsSync(join(program.dataDir, 'serve.pid')), false)
      assert.equal(existsSync(join(program.dataDir, 'meta.sqlite-wal')), false)
    })

  it('names the process that already serves the data folder', async () => {
    await using program = new Installation()
    const { child } = await program.serve()

    const { code, stderr } = await program.run(['serve'], { PORT: String(await freePort()) })

    assert.equal(code, 1)
    assert.ok(stderr.includes(`in use by process ${child.pid}`), stderr)
  })

  it('takes over the folder of a process that was killed', async () => {
    await using program = new Installation()
    const { child, output } = await program.serve()
    child.kill('SIGKILL')
    await output

    const { url } = await program.serve()

    assert.equal((await fetch(`${url}/readyz`)).status, 200)
  })

  it('says in one line which port is in use', async () => {
    await using program = new Installation()
    await using other = new Installation()
    const { url } = await program.serve()
    const { port } = new URL(url)

    const { code, stderr } = await other.run(['serve'], { PORT: port })

    assert.equal(code, 1)
    assert.match(plainOf(stderr), new RegExp(`^gatehouse: port ${port} is in use[^\n]*\n$`))
  })

  it('shows the password even if it cannot start afterwards', async () => {
    await using program = new Installation()
    await using other = new Installation()
    const { url } = await other.serve()

    const { code, stdout } = await program.run(['serve'], { PORT: new URL(url).port })

    assert.equal(code, 1)
    assert.match(stdout, TWO_LINES)
  })

  it('announces no pages that are not built, and says how to build them', async () => {
    using clone = new Clone()
    await using program = new Installation(clone.program)

    const { child, url, output } = await program.serve()
    const page = await fetch(url)
    child.kill('SIGTERM')

    const { stderr } = await output
    assert.equal(page.status, 404)
    assert.match(stderr, /"pages":"not built: run `npm run build`/)
  })

  it('says in one line that a data folder is not a folder', async () => {
    await using program = new Installation()
    const file = join(program.dataDir, 'a-file')
    writeFileSync(file, '')
    chmodSync(file, 0o400)

    const { code, stderr } = await program.run(['serve'], { DATA_DIR: file })

    assert.equal(code, 1)
    assert.match(plainOf(stderr), /^gatehouse: the data folder .* is not a folder[^\n]*\n$/)
  })

  it('stops before it starts when a value is malformed, and names it', async () => {
    await using program = new Installation()

    const { code, stderr } = await program.run(['serve'], { COMMUNITY_AUTH_URL: 'not a url' })

    assert.equal(code, 1)
    assert.match(stderr, /^gatehouse: COMMUNITY_AUTH_URL [^\n]*\n$/)
  })
})

describe('gatehouse', () => {
  it('lists its commands, and suggests the nearest to an unknown one', async () => {
    await using program = new Installation()

    const help = await program.run(['--help'])
    const unknown = await program.run(['prepair'])

    assert.equal(help.code, 0)
    for (const name of ['serve', 'prepare', 'connect', 'request'])
      assert.match(help.stdout, new RegExp(`\\b${name}\\b`))
    assert.equal(unknown.code, 2)
    assert.match(unknown.stderr, /Did you mean "prepare"\?/)
  })
})

describe('the welcome', () => {
  it('says where pages and data are', async () => {
    await using program = new Installation()
    const { child, url, output } = await program.serve()
    child.kill('SIGTERM')

    const { stderr } = await output

    assert.ok(stderr.includes(url))
    assert.ok(stderr.includes(program.dataDir))
    assert.ok(readFileSync(join(program.dataDir, 'secrets.json'), 'utf8').length > 0)
  })
})

/** The sources as a clone has them before anything was built. */
class Clone implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'gatehouse-clone-'))
  readonly program = join(this.#folder, 'bin/gatehouse')

  constructor() {
    for (const source of ['bin', 'client', 'src', 'package.json'])
      cpSync(join(repository, source), join(this.#folder, source), { recursive: true })
    symlinkSync(join(repository, 'node_modules'), join(this.#folder, 'node_modules'))
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true })
  }
}

/** File to digest. */
function storesOf({ dataDir }: Installation): ReadonlyMap<string, string> {
  const files = readdirSync(dataDir).filter((name) => name.endsWith('.sqlite'))
  return new Map(files.map((name) => [name, hash('sha256', readFileSync(join(dataDir, name)))]))
}

function administrators(program: Installation): readonly string[] {
  const database = new DatabaseSync(join(program.dataDir, 'meta.sqlite'), { readOnly: true })
  const rows = database.prepare(`select email from "user" where role = 'administrator'`).all()
  database.close()
  return rows.map(({ email }) => String(email))
}
