import assert from 'node:assert/strict'
import { cp, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { Installation } from '../processes/installation.ts'

describe('the program’s commands', () => {
  it('each describes its own use', async () => {
    await using program = new Installation()

    for (const name of [
      'serve',
      'prepare',
      'doctor',
      'backup',
      'restore',
      'admin',
      'shards',
      'export',
      'import',
      'connect',
      'completion',
    ]) {
      const { code, stdout } = await program.run([name, '--help'])

      assert.equal(code, 0)
      assert.match(stdout, new RegExp(`Usage: gatehouse ${name}`))
    }
  })

  it('help describes the command that it is given, and the program without one', async () => {
    await using program = new Installation()

    const [ofCommand, ofProgram, ofNone] = await Promise.all(
      [['help', 'serve'], ['help'], ['help', 'srve']].map((words) => program.run(words)),
    )

    assert.deepEqual(ofCommand, await program.run(['serve', '--help']))
    assert.deepEqual(ofProgram, await program.run(['--help']))
    assert.deepEqual([ofNone?.code, ofNone?.stdout], [2, ''])
    assert.match(ofNone?.stderr ?? '', /there is no command "srve"\. Did you mean "serve"\?/)
  })

  it('a missing, superfluous or unknown argument is one line and exit code 2', async () => {
    await using program = new Installation()

    const missing = await program.run(['backup'])
    const superfluous = await program.run(['backup', 'a', 'b'])
    const unknown = await program.run(['doctor', '--loud'])

    assert.deepEqual([missing.code, superfluous.code, unknown.code], [2, 2, 2])
    assert.match(missing.stderr, /^gatehouse backup: FILE is missing\. [^\n]*--help\.\n$/)
    assert.match(superfluous.stderr, /unexpected argument "b"/)
  })
})

describe('a command line that is not understood', () => {
  const cases: readonly (readonly [readonly string[], string])[] = [
    [['foo'], 'gatehouse: there is no command "foo". See gatehouse --help.'],
    [['srve'], 'gatehouse: there is no command "srve". Did you mean "serve"? See gatehouse --help.'],
    [['doctor', '--loud'], "gatehouse doctor: Unknown option '--loud'. See gatehouse doctor --help."],
    [
      ['shards', 'empty', 'apac-1', '--rate', '-1'],
      "gatehouse shards: Option '--rate' argument is ambiguous. See gatehouse shards --help.",
    ],
    [['connect', '--loud'], "gatehouse: Unknown option '--loud'. See gatehouse connect --help."],
    [
      ['request', 'work', 'GET', '--body', '-1'],
      "gatehouse: Option '--body' argument is ambiguous. See gatehouse request --help.",
    ],
    [
      ['status', '--json=yes'],
      "gatehouse: Option '--json' does not take an argument. See gatehouse status --help.",
    ],
    [['backup', ''], 'gatehouse backup: FILE is empty. See gatehouse backup --help.'],
  ]
  for (const [words, expected] of cases)
    it(`is one sentence that says what is wrong: ${JSON.stringify(words.join(' '))}`, async () => {
      await using program = new Installation()

      const { code, stderr } = await program.run(words)

      assert.deepEqual([code, stderr], [2, `${expected}\n`])
    })

  it('names a subcommand that does not exist', async () => {
    await using program = new Installation()

    const { code, stderr } = await program.run(['shards', 'foo'])

    assert.equal(code, 2)
    assert.match(stderr, /^gatehouse shards: unknown subcommand "foo"; one of: list, add,/)
  })
})

describe('a command about an installation', () => {
  it('does not create one, and says what to do', async () => {
    for (const words of [
      ['events'],
      ['shards', 'list'],
      ['admin', 'reset-password'],
      ['admin', 'reset-factors'],
      ['export', '-'],
      ['import', '--from', 'users', 'users.jsonl'],
    ]) {
      await using program = new Installation()

      const { code, stdout, stderr } = await program.run(words)

      assert.deepEqual([code, stdout], [1, ''], words.join(' '))
      assert.match(
        stderr,
        /^gatehouse: .*check DATA_DIR.*, or run `gatehouse prepare` first/,
        words.join(' '),
      )
      assert.deepEqual(await storesIn(program.dataDir), [], words.join(' '))
    }
  })

  async function storesIn(folder: string): Promise<readonly string[]> {
    return (await readdir(folder)).filter((name) => name.endsWith('.sqlite'))
  }
})

describe('operating a running service', () => {
  it('doctor finds nothing wrong, and backup takes what restore puts elsewhere', async () => {
    await using service = new Installation()
    await using elsewhere = new Installation()
    const { url } = await service.serve()
    const archive = join(elsewhere.dataDir, 'backup.tar.gz')
    const killed = join(elsewhere.dataDir, '.gatehouse-backup-Ab12Cd')
    await mkdir(killed)

    const doctor = await service.run(['doctor', '--json'])
    const backup = await service.run(['backup', archive])
    const health = await fetch(`${url}/readyz`)
    await cp(join(service.dataDir, 'secrets.json'), join(elsewhere.dataDir, 'secrets.json'))
    const restored = await elsewhere.run(['restore', archive])
    const prepared = await elsewhere.run(['prepare'])
    const examined = await elsewhere.run(['doctor'])

    assert.equal(JSON.parse(doctor.stdout).isSound, true, doctor.stdout)
    assert.match(backup.stdout, /backup\.tar\.gz: 4 stores, \d+ rows\n$/, backup.stderr)
    assert.ok(
      backup.stderr.includes(
        `A backup that was killed has left ${killed}: delete it, unless another one is running.\n`,
      ),
      backup.stderr,
    )
    assert.equal(health.status, 200)
    assert.match(restored.stdout, /4 stores as they were at .*, verified\n$/, restored.stderr)
    assert.deepEqual([prepared.code, prepared.stdout], [0, ''])
    assert.deepEqual([examined.code, examined.stdout.endsWith('Nothing is wrong.\n')], [0, true])
  })

  it('admin reset-password gives the one administrator a new password and ends the old sessions', async () => {
    await using service = new Installation()
    const { url } = await service.serve()
    const signIn = (password: string) =>
      post(`${url}/api/auth/sign-in/email`, { email: 'admin@example.com', password })

    const { code, stdout, stderr } = await service.run(['admin', 'reset-password'])
    const password = /^Administrator: admin@example\.com\nPassword: (\S{20,})\n$/.exec(stdout)?.[1] ?? stderr
    const session = await signIn(password)
    const again = await service.run(['admin', 'reset-password'])
    const ended = await fetch(`${url}/api/auth/get-session`, {
      headers: { authorization: `Bearer ${session.headers.get('set-auth-token')}` },
    })
    const stale = await signIn(password)

    assert.deepEqual([code, session.status, again.code], [0, 200, 0])
    assert.equal(await ended.json(), null)
    assert.equal(stale.status, 401)
  })

  it('restore into the place of a running service is refused', async () => {
    await using service = new Installation()
    const { child } = await service.serve()
    const archive = join(service.dataDir, 'backup.tar.gz')
    await service.run(['backup', archive])

    const { code, stderr } = await service.run(['restore', archive])

    assert.equal(code, 1)
    assert.ok(stderr.includes(`in use by process ${child.pid}`), stderr)
  })

  it('doctor exits with 1 and says what to do if nothing is prepared', async () => {
    await using service = new Installation()

    const { code, stdout } = await service.run(['doctor'])

    assert.equal(code, 1)
    assert.match(stdout, /^wrong +store meta +.* does not exist yet; run `gatehouse prepare`$/m)
  })
})

function post(url: string, body: unknown): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}
