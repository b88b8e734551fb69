import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'vitest'
import type { Installation } from '../processes/installation.ts'
import { it } from '../processes/it.ts'
import { plainOf } from '../processes/terminal/plain-text.ts'

const COMMANDS = 'serve prepare doctor backup restore admin shards export import connect completion'.split(' ')

describe('the program’s commands', () => {
  it('are listed, and each describes its own use', async ({ program }) => {
    const help = await program.run(['--help'])
    assert.equal(help.code, 0)
    assert.deepEqual(help, await program.run(['help']))
    for (const name of COMMANDS) {
      const own = await program.run([name, '--help'])

      assert.match(help.stdout, new RegExp(`\\b${name}\\b`))
      assert.equal(own.code, 0)
      assert.match(own.stdout, new RegExp(`Usage: gatehouse ${name}`))
      if (name === 'serve') assert.deepEqual(await program.run(['help', name]), own)
    }
  })
})

describe('a command line that is not understood', () => {
  const one = (words: string) => new RegExp(`^gatehouse${words}\\n$`)
  it.for<[string, RegExp]>([
    ['foo', one(': there is no command "foo"\\. See gatehouse --help\\.')],
    ['srve', one(': there is no command "srve"\\. Did you mean "serve"\\? See gatehouse --help\\.')],
    ['help srve', /there is no command "srve"\. Did you mean "serve"\?/],
    ['serve --port 3', one(" serve: Unknown option '--port'.*")],
    ['serve now', one(' serve: [^\\n]*unexpected argument "now".*')],
    ['prepare --again', one(" prepare: Unknown option '--again'.*")],
    ['doctor --loud', one(" doctor: Unknown option '--loud'\\. See gatehouse doctor --help\\.")],
    ['scopes --all', one(': unknown option "--all" for scopes')],
    ['status --all', /^gatehouse[^\n]*--all[^\n]*\n$/],
    ['connect --loud', one(": Unknown option '--loud'\\. See gatehouse connect --help\\.")],
    ['status --json=yes', one(": Option '--json' does not take an argument\\. See gatehouse status --help\\.")],
    ['request work GET --body -1', one(": Option '--body' argument is ambiguous\\. See gatehouse request --help\\.")],
    ['backup', one(' backup: FILE is missing\\. [^\\n]*--help\\.')],
    ['backup ', one(' backup: FILE is empty\\. See gatehouse backup --help\\.')],
    ['backup a b', /unexpected argument "b"/],
    ['backup - --json', one(' backup: --json would go where the archive goes[^\\n]*')],
    ['backup --record a', /unexpected argument "a"/],
    ['import -', one(' import: FILE cannot be standard input[^\\n]*')],
    [
      'shards',
      /missing subcommand; one of: list, add, drain, activate, move-user, empty, verify, remove-copies, remove-ownerless, replace/,
    ],
    ['shards foo', one(' shards: unknown subcommand "foo"; one of: list, add,.*')],
    ['shards empty apac-1 --rate slowly', /--rate must be a number of users per second/],
    [
      'shards empty apac-1 --rate -1',
      one(" shards: Option '--rate' argument is ambiguous\\. See gatehouse shards --help\\."),
    ],
  ])('is one sentence that says what is wrong: "%s"', async ([words, expected], { program }) => {
    const { code, stdout, stderr } = await program.run(words.split(' '))

    assert.deepEqual([code, stdout], [2, ''])
    assert.match(stderr, expected)
  })
})

describe('a command about an installation', () => {
  it.for([
    'events',
    'shards list',
    'admin reset-password',
    'admin reset-factors',
    'admin rotate-signing-keys --now',
    'admin switch-off-challenge',
    'admin remove-former-passkeys',
    'export -',
    'import --from users users.jsonl',
  ])('does not create one, and says what to do: %s', async (words, { program }) => {
    const { code, stdout, stderr } = await program.run(words.split(' '))

    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /^gatehouse: .*check DATA_DIR.*, or run `gatehouse prepare` first/)
    assert.deepEqual(storesIn(program), [])
  })

  it('says in one line which address, shard, file or cursor it cannot work with', async ({ program }) => {
    await program.run(['prepare'])
    const notes = join(program.dataDir, 'notes.txt')
    writeFileSync(notes, 'Some notes that are no database, long enough to have a header. '.repeat(4))

    for (const [words, expected] of [
      ['admin reset-factors nobody@example.com', /no user with the address nobody@example\.com/],
      ['shards move-user admin@example.com mars-1', /no shard mars-1; see `gatehouse shards list`/],
      ['shards empty mars-1', /no shard mars-1; see `gatehouse shards list`/],
      ['shards add mars-1', /^gatehouse: mars-1 is not in SHARDS; add it there first\.\n$/],
      [`import --from better-auth ${notes}`, /notes\.txt cannot be read; is it a SQLite database\?/],
      ['events --after yesterday', /--after must be a cursor that was printed before, or latest/],
    ] as const) {
      const { code, stderr } = await program.run(words.split(' '))

      assert.notEqual(code, 0, words)
      assert.match(plainOf(stderr), /^gatehouse[^\n]*\n$/, words)
      assert.match(stderr, expected)
    }
  })

  it('says in one line that a file of JSON has other fields than it reads', async ({ program }) => {
    const users = join(program.dataDir, 'users.jsonl')
    writeFileSync(users, '{"email":"ann@example.com"}\n')

    const imported = await program.run(['import', users])
    writeFileSync(join(program.dataDir, 'secrets.json'), '{"authSecret":7}', { mode: 0o600 })
    const prepared = await program.run(['prepare'])

    assert.equal(
      imported.stderr,
      'gatehouse: this is not a gatehouse export, or it is damaged; for the users of another service, add --from\n',
    )
    assert.match(prepared.stderr, /^gatehouse: [^\n]*secrets\.json is damaged; restore it from a backup\n$/)
  })

  it('says in one line that a place for its output is not a folder, or that it reads a folder or nothing where a file must be', async ({
    program,
    elsewhere,
  }) => {
    await program.run(['prepare'])
    const folder = program.dataDir
    const secrets = join(folder, 'secrets.json')
    const [missing, noFolder] = [join(elsewhere.dataDir, 'missing'), process.execPath]
    const files = readdirSync(folder)
    const refusal = async (of: Installation, ...words: string[]) => {
      const { code, stderr } = await of.run(words)
      assert.equal(code, 1)
      return stderr
    }

    for (const command of ['backup', 'export']) {
      assert.match(
        await refusal(program, command, join(missing, 'all')),
        new RegExp(`^gatehouse: ${missing} does not exist; make it, or choose another folder\n$`),
      )
      assert.match(
        await refusal(program, command, join(noFolder, 'all')),
        new RegExp(`^gatehouse: ${noFolder} is not a folder; choose one\n$`),
      )
    }
    for (const [of, words] of [
      [elsewhere, 'restore FILE'],
      [elsewhere, 'import FILE'],
      [program, 'import --from users FILE'],
      [program, 'import --from better-auth FILE'],
      [program, `import --from firebase FILE --hash-config ${secrets}`],
      [program, `import --from firebase ${secrets} --hash-config FILE`],
    ] as const) {
      const withFile = (file: string) => refusal(of, ...words.replace('FILE', file).split(' '))
      assert.equal(await withFile(folder), `gatehouse: ${folder} is a folder, not a file\n`)
      assert.match(await withFile(join(folder, 'nothing')), /^gatehouse: [^\n]*nothing does not exist\n$/)
    }
    assert.deepEqual([readdirSync(elsewhere.dataDir), readdirSync(folder)], [[], files])
  })
})

describe('operating a running service', () => {
  it('doctor finds nothing wrong, and backup takes what restore puts elsewhere, but not into its place', async ({
    program,
    elsewhere,
  }) => {
    const life = await program.serve()
    const archive = join(elsewhere.dataDir, 'backup.tar.gz')
    const killed = join(elsewhere.dataDir, '.gatehouse-backup-Ab12Cd')
    mkdirSync(killed)

    const doctor = await program.run(['doctor', '--json'])
    const backup = await program.run(['backup', archive])
    const refused = await program.run(['restore', archive])
    const ready = await life.request('/readyz')
    cpSync(join(program.dataDir, 'secrets.json'), join(elsewhere.dataDir, 'secrets.json'))
    const restored = await elsewhere.run(['restore', archive])
    const prepared = await elsewhere.run(['prepare'])
    const examined = await elsewhere.run(['doctor'])

    assert.equal(JSON.parse(doctor.stdout).isSound, true, doctor.stdout)
    assert.match(backup.stdout, /backup\.tar\.gz: 4 stores, \d+ rows\n$/, backup.stderr)
    const left = `A backup that was killed has left ${killed}: delete it, unless another one is running.\n`
    assert.ok(backup.stderr.includes(left), backup.stderr)
    assert.deepEqual([refused.code, ready.status], [1, 200])
    assert.ok(refused.stderr.includes(`in use by process ${life.child.pid}`), refused.stderr)
    assert.match(restored.stdout, /4 stores as they were at .*, verified\n$/, restored.stderr)
    assert.deepEqual([prepared.code, prepared.stdout], [0, ''])
    assert.deepEqual([examined.code, examined.stdout.endsWith('Nothing is wrong.\n')], [0, true])
  })

  it('admin reset-password gives the one administrator a new password and ends the old sessions', async ({
    program,
  }) => {
    const life = await program.serve()

    const { code, stdout, stderr } = await program.run(['admin', 'reset-password'])
    const password = /^Administrator: admin@example\.com\nPassword: (\S{20,})\n$/.exec(stdout)?.[1] ?? stderr
    const administrator = await life.signedIn({ email: 'admin@example.com', password })
    const again = await program.run(['admin', 'reset-password'])

    assert.deepEqual([code, again.code], [0, 0])
    assert.equal((await administrator.get('/api/auth/get-session')).body, null)
    assert.equal((await administrator.signIn()).status, 401)
  })

  it('doctor exits with 1 and says what to do if nothing is prepared', async ({ program }) => {
    const { code, stdout } = await program.run(['doctor'])

    assert.equal(code, 1)
    assert.match(stdout, /^wrong +store meta +.* does not exist yet; run `gatehouse prepare`$/m)
  })
})

function storesIn({ dataDir }: Installation): readonly string[] {
  return readdirSync(dataDir).filter((name) => name.endsWith('.sqlite'))
}
