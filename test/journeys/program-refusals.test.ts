import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { version } from '../../src/rules/version.ts'
import { Installation } from '../processes/installation.ts'
import { plainOf } from '../processes/terminal/plain-text.ts'

const TWO_LINES = /^Administrator: admin@example\.com\nPassword: \S{20,}\n$/

describe('what cannot be is one clear line', () => {
  const cases: readonly (readonly [string, Readonly<Record<string, string>>, RegExp])[] = [
    ['a data folder under /proc', { DATA_DIR: '/proc/x' }, /^gatehouse: the data folder \/proc\/x cannot be/],
    [
      'a HOST of another machine',
      { HOST: '192.0.2.7' },
      /^gatehouse: HOST is 192\.0\.2\.7, which is not an address/,
    ],
    ['a KV_URL that cannot be decoded', { KV_URL: 'redis://:100%@cache' }, /^gatehouse: KV_URL has a % in/],
    [
      'METRICS_PORT equal to PORT',
      { PORT: '5999', METRICS_PORT: '5999' },
      /METRICS_PORT is 5999, and so is PORT/,
    ],
  ]
  for (const [what, env, words] of cases) {
    it(what, async () => {
      await using program = new Installation()

      const { code, stderr } = await program.run(['serve'], env)

      assert.equal(code, 1)
      assert.match(plainOf(stderr), words)
      assert.match(plainOf(stderr), /^[^\n]*\n$/)
    })
  }

  it('an argument that a command does not have is exit code 2', async () => {
    await using program = new Installation()
    const commands = [
      ['serve', '--port', '3'],
      ['serve', 'now'],
      ['prepare', '--again'],
      ['doctor', '--all'],
      ['status', '--all'],
      ['scopes', '--all'],
    ]

    const ended = await Promise.all(commands.map((words) => program.run(words)))

    assert.deepEqual(
      ended.map(({ code, stdout }) => [code, stdout]),
      commands.map(() => [2, '']),
    )
  })

  it('an address, shard, file or cursor that a command cannot work with', async () => {
    await using program = new Installation()
    const text = join(program.dataDir, 'notes.txt')
    await program.run(['prepare'])
    writeFileSync(text, 'Some notes that are no database, long enough to have a header. '.repeat(4))
    const mistaken: readonly (readonly [readonly string[], RegExp])[] = [
      [['admin', 'reset-factors', 'nobody@example.com'], /no user with the address nobody@example\.com/],
      [
        ['shards', 'move-user', 'admin@example.com', 'mars-1'],
        /no shard mars-1; see `gatehouse shards list`/,
      ],
      [['shards', 'empty', 'mars-1'], /no shard mars-1; see `gatehouse shards list`/],
      [['import', '--from', 'better-auth', text], /notes\.txt cannot be read; is it a SQLite database\?/],
      [['events', '--after', 'yesterday'], /--after must be a cursor that was printed before, or latest/],
    ]

    for (const [words, expected] of mistaken) {
      const { code, stderr } = await program.run(words)

      assert.notEqual(code, 0, words.join(' '))
      assert.match(plainOf(stderr), /^gatehouse[^\n]*\n$/, words.join(' '))
      assert.match(stderr, expected)
    }
  })

  it('a file of JSON with other fields than the command reads', async () => {
    await using empty = new Installation()
    const users = join(empty.dataDir, 'users.jsonl')
    writeFileSync(users, '{"email":"ann@example.com"}\n')

    const imported = await empty.run(['import', users])
    writeFileSync(join(empty.dataDir, 'secrets.json'), '{"authSecret":7}', { mode: 0o600 })
    const prepared = await empty.run(['prepare'])

    assert.equal(
      imported.stderr,
      'gatehouse: this is not a gatehouse export, or it is damaged; for the users of another service, add --from\n',
    )
    assert.match(prepared.stderr, /^gatehouse: [^\n]*secrets\.json is damaged; restore it from a backup\n$/)
  })

  it('a place for its output that is not a folder', async () => {
    await using program = new Installation()
    await program.run(['prepare'])
    const [missing, text] = [join(program.dataDir, 'missing'), join(program.dataDir, 'secrets.json')]

    for (const command of ['backup', 'export']) {
      const inMissing = await program.run([command, join(missing, 'all')])
      const inText = await program.run([command, join(text, 'all')])

      assert.deepEqual([inMissing.code, inText.code], [1, 1])
      assert.match(
        inMissing.stderr,
        new RegExp(`^gatehouse: ${missing} does not exist; make it, or choose another folder [^\n]*\n$`),
      )
      assert.match(inText.stderr, new RegExp(`^gatehouse: ${text} is not a folder; choose one [^\n]*\n$`))
    }
  })

  it('a folder, or nothing, where a command reads a file', async () => {
    await using prepared = new Installation()
    await prepared.run(['prepare'])
    await using empty = new Installation()
    const folder = prepared.dataDir
    const secrets = join(folder, 'secrets.json')
    const files = readdirSync(folder)
    const commands: readonly (readonly [Installation, (file: string) => readonly string[]])[] = [
      [empty, (file) => ['restore', file]],
      [empty, (file) => ['import', file]],
      [prepared, (file) => ['import', '--from', 'users', file]],
      [prepared, (file) => ['import', '--from', 'better-auth', file]],
      [prepared, (file) => ['import', '--from', 'firebase', file, '--hash-config', secrets]],
      [prepared, (file) => ['import', '--from', 'firebase', secrets, '--hash-config', file]],
    ]

    for (const [program, command] of commands) {
      const isFolder = await program.run(command(folder))
      const isMissing = await program.run(command(join(folder, 'nothing')))

      assert.deepEqual([isFolder.code, isMissing.code], [1, 1])
      assert.equal(isFolder.stderr, `gatehouse: ${folder} is a folder, not a file\n`)
      assert.match(isMissing.stderr, /^gatehouse: ENOENT: no such file or directory, [^\n]*nothing'\n$/)
    }
    assert.deepEqual([readdirSync(empty.dataDir), readdirSync(folder)], [[], files])
  })

  it('a store whose file is damaged is named, by serve and by backup', async () => {
    await using program = new Installation()
    await program.run(['prepare'])
    writeFileSync(join(program.dataDir, 'oc-1.sqlite'), 'No database any more. '.repeat(10))

    for (const words of [['serve'], ['backup', join(program.dataDir, 'archive')]]) {
      const { code, stderr } = await program.run(words)

      assert.equal(code, 1)
      assert.equal(plainOf(stderr), 'gatehouse: store oc-1 is not available (file is not a database)\n')
    }
  })

  it('--version works everywhere', async () => {
    await using program = new Installation()

    const ended = await Promise.all(
      [['--version'], ['serve', '--version']].map((words) => program.run(words)),
    )
    const doctor = await program.run(['doctor', '--json'])
    const { url } = await program.serve()
    const health = await fetch(`${url}/api/health`)
    const figures = await fetch(`${url}/metrics`)

    assert.deepEqual(
      ended.map(({ code, stdout }) => [code, stdout]),
      [
        [0, `gatehouse ${version}\n`],
        [0, `gatehouse ${version}\n`],
      ],
    )
    assert.equal(JSON.parse(doctor.stdout).version, version)
    assert.deepEqual(await health.json(), { version })
    assert.ok((await figures.text()).includes(`gatehouse_build_info{version="${version}"} 1`))
  })
})

describe('the log as JSON', () => {
  it('is one stream of lines: start, migrations, ready, failed sign-ins and stop; no account is named', async () => {
    await using program = new Installation()
    const { child, url, output } = await program.serve({ LOG_FORMAT: 'json' })
    const signIn = { email: 'somebody@example.com', password: 'a password typed amiss' }
    await fetch(`${url}/api/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(signIn),
    })
    child.kill('SIGTERM')

    const { stdout, stderr } = await output

    const lines = stderr.trim().split('\n')
    const messages = lines.map((line) => JSON.parse(line).msg)
    const start = JSON.parse(lines[0] ?? '')
    assert.match(stdout, TWO_LINES)
    assert.deepEqual(
      [...new Set(messages)],
      [
        'Gatehouse starts',
        'schema migrated',
        'Gatehouse is ready',
        'sign-in failed',
        'Gatehouse stops',
        'Gatehouse has stopped',
      ],
    )
    assert.deepEqual([start.version, start.address, start.stores.data_dir], [version, url, program.dataDir])
    const failed = lines.find((line) => line.includes('sign-in failed')) ?? ''
    assert.equal(JSON.parse(failed).code, 'INVALID_EMAIL_OR_PASSWORD')
    assert.equal(addressIn(failed), '127.0.0.1')
    assert.doesNotMatch(stderr, /somebody|amiss/)
  })
})

/** What fail2ban finds with the filter of docs/operations.md. */
function addressIn(line: string): string | undefined {
  const guide = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
  const [, filter = ''] = /^failregex = (.+)$/m.exec(guide) ?? []
  return new RegExp(filter.replace('<HOST>', '(?<host>[0-9a-f.:]+)')).exec(line)?.groups?.host
}
