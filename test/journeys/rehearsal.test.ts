import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { describe } from 'vitest'
import { packed } from '../../src/operator/backup/tar.ts'
import { bringSecrets, unpackRelease } from '../fixtures/lived-in.ts'
import { oldProgram } from '../fixtures/old-program.ts'
import { patchedProgram, withMigration } from '../fixtures/patched-program.ts'
import { Installation } from '../processes/installation.ts'
import { it as ofProgram } from '../processes/it.ts'
import { isRunning } from '../processes/process-tree.ts'
import { temporaryFolder } from '../service/temporary-folder.ts'
import {
  ALL_OF_META,
  assertFindsMigration,
  assertFindsWayBack,
  assertInterrupted,
  assertSendsNothing,
  type House,
  RELEASE,
  rehearsalIn,
  rehearseWhileServed,
  WRONG_MIGRATIONS,
} from './rehearsing.ts'

interface Embedded extends House {
  readonly archive: string
  readonly env: Readonly<Record<'DATA_DIR' | 'TMPDIR', string>>
}

const it = ofProgram.extend<{ house: Embedded }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  house: async ({}, use) => {
    await using stack = new AsyncDisposableStack()
    const folder = temporaryFolder()
    unpackRelease(RELEASE, folder)
    const [DATA_DIR, TMPDIR] = [join(folder, 'data'), join(folder, 'tmp')]
    mkdirSync(TMPDIR)
    await use({
      ...{ folder, old: oldProgram(stack, RELEASE), archive: join(folder, 'backup.tar.gz'), env: { DATA_DIR, TMPDIR } },
      rows: async (statement) => {
        using meta = new DatabaseSync(join(DATA_DIR, 'meta.sqlite'))
        return meta
          .prepare(statement)
          .all()
          .map((row) => ({ ...row }))
      },
      remains: async () => readdirSync(TMPDIR).filter((name) => name.startsWith('gatehouse-rehearsal-')),
    })
  },
})

describe('a rehearsed upgrade', () => {
  it('of an installation that serves has the figures of each migration, and leaves everything as it is', async ({
    house,
    program,
  }) => {
    const { migrations } = await rehearseWhileServed(program, house, { args: [] })

    assert.ok(migrations.every(({ ms, longest_lock_ms }) => longest_lock_ms > 0 && longest_lock_ms <= ms))
  })

  it('from a backup reads nothing else than the secrets, and says in words how it went', async ({ house, program }) => {
    bringSecrets(house.folder, program.dataDir)
    const before = readdirSync(program.dataDir)

    const finished = await program.run(['rehearse', house.old, house.archive], { TMPDIR: house.env.TMPDIR })

    assert.equal(finished.code, 0, finished.stderr)
    assert.match(
      finished.stdout,
      /^From 0\.3\.0 to \S+: no problem\nSTORE +MIGRATION +TIME +WRITES WAIT +ROWS +SPACE\n/,
    )
    assert.match(finished.stdout, /^meta +0027-organization-search +\d+ ms +\d+ ms +\d+ +\d+ KiB$/m)
    assert.match(finished.stdout, /^The way back: .* restore the backup$/m)
    assert.deepEqual([readdirSync(program.dataDir), await house.remains()], [before, []])
  })

  it.for(WRONG_MIGRATIONS)('finds and names a migration that %s', async ([, statement, words], { house }) => {
    await assertFindsMigration(house, [house.archive], statement, words)
  })

  it('finds what the new program does not read of what the old one wrote', async ({ house }) => {
    const patched = patchedProgram(
      join(house.folder, 'later'),
      withMigration('9999-wrong', 'update session set expires_at = 0'),
    )
    await using later = new Installation(patched)

    const finished = await later.run(['rehearse', house.old, house.archive, '--json'], house.env)

    const { problems, unread } = rehearsalIn(finished)
    assert.deepEqual([finished.code, unread], [2, ['the new program: the kept session is not good any more']])
    assert.deepEqual(problems, [
      'migration 9999-wrong of meta changes what is in session',
      'the new program does not read what the old program wrote: the kept session is not good any more',
    ])
  })

  it('finds what the new program cannot write', async ({ house }) => {
    const nobody = `create trigger nobody before insert on "user" begin select raise(abort, 'nobody'); end`
    const patched = patchedProgram(join(house.folder, 'later'), withMigration('9999-wrong', nobody))
    await using later = new Installation(patched)

    const finished = await later.run(['rehearse', house.old, house.archive, '--json'], house.env)

    const { problems } = rehearsalIn(finished)
    assert.deepEqual([finished.code, problems.length], [2, 3])
    for (const words of problems) assert.match(words, /^the new program: the sign-up was answered with 5\d\d: /)
  })

  it('says until which step the old program goes on, if it does', async ({ house }) => {
    await assertFindsWayBack(house, [])
  })

  it('tells the last words of an old program that does not start, and goes on', async ({ house, program }) => {
    const old = join(house.folder, 'old.mjs')
    writeFileSync(old, "console.error('there is\\nno such thing as me'); process.exitCode = 3\n")

    const finished = await program.run(['rehearse', old, house.archive, '--json'], house.env)

    const { problems, migrations, from } = rehearsalIn(finished)
    assert.deepEqual(
      [finished.code, from, problems],
      [2, 'unknown', ['the old program does not start; its last words: no such thing as me']],
    )
    assert.ok(migrations.length >= ALL_OF_META.length)
  })

  it('tells the last words of a program that ends while it serves', async ({ house, program }) => {
    const old = join(house.folder, 'old.mjs')
    writeFileSync(
      old,
      `import { createServer } from 'node:http'
       createServer(({ url }, response) => {
         if (url === '/readyz') return response.end()
         console.error('I give up')
         process.exit(5)
       }).listen(Number(process.env.PORT))`,
    )

    const finished = await program.run(['rehearse', old, house.archive, '--json'], house.env)

    const { problems } = rehearsalIn(finished)
    assert.ok(problems.includes('the old program has ended by itself; its last words: I give up'), problems.join('\n'))
  })

  it('ends what an old program has started itself, such as a script that starts the program', async ({
    house,
    program,
  }) => {
    const old = join(house.folder, 'old')
    const pids = join(house.folder, 'pids')
    writeFileSync(
      old,
      `#!/bin/sh\n'${process.execPath}' '${house.old}' "$@" &\n[ "$1" = serve ] && echo $! >> '${pids}'\nwait\n`,
      { mode: 0o700 },
    )

    const finished = await program.run(['rehearse', old, house.archive, '--json'], house.env)

    assert.deepEqual([finished.code, rehearsalIn(finished).problems], [0, []])
    const started = readFileSync(pids, 'utf8').trim().split('\n').map(Number)
    assert.deepEqual([started.length > 0, started.filter(isRunning), await house.remains()], [true, [], []])
  })

  it('copies secrets that are a link elsewhere, so that nothing is written through it', async ({ house, program }) => {
    const [link, secrets] = [join(house.env.DATA_DIR, 'secrets.json'), join(house.folder, 'kept-elsewhere.json')]
    renameSync(link, secrets)
    symlinkSync(secrets, link)
    const before = readFileSync(secrets, 'utf8')
    const old = join(house.folder, 'old.mjs')
    writeFileSync(
      old,
      `import { appendFileSync } from 'node:fs'\nappendFileSync(process.env.DATA_DIR + '/secrets.json', ' ')\n`,
    )

    const finished = await program.run(['rehearse', old, house.archive, '--json'], house.env)

    assert.notEqual(finished.stdout, '', finished.stderr)
    assert.equal(readFileSync(secrets, 'utf8'), before)
  })

  it('refuses in one line, before anything is copied, what cannot be rehearsed', async ({ house, program }) => {
    const damaged = join(house.folder, 'damaged')
    writeFileSync(damaged, readFileSync(house.archive).subarray(0, 200))
    const huge = join(house.folder, 'huge')
    writeFileSync(huge, await archiveOf(2 ** 50))
    const remote = { ...house.env, DATABASE_URL: 'postgres://127.0.0.1:9/gate' }

    for (const [args, words, env] of [
      [[], /OLD is missing/],
      [[join(house.folder, 'nothing')], /nothing does not exist\n/],
      [[house.folder], /is not a file/],
      [[house.archive], /cannot be executed by this user\n/],
      [[house.old, join(house.folder, 'nothing')], /nothing does not exist/],
      [[house.old, damaged], /the archive is damaged/],
      [[house.old, huge], /the copy needs [\d.]+ GiB in .*; set TMPDIR/],
      [[house.old, house.archive, 'more'], /unexpected argument "more"/],
      [[house.old], /meta is on PostgreSQL and apac-1 is a file; stores of one kind/, remote],
      [[house.old, '--scratch', 'postgres://127.0.0.1:9/gate'], /--scratch is for stores on PostgreSQL/],
      [
        [house.old],
        /nothing is installed|cannot be read|does not exist/,
        { ...house.env, DATA_DIR: join(house.folder, 'no') },
      ],
    ] as const) {
      const finished = await program.run(['rehearse', ...args], env ?? house.env)

      assert.deepEqual([finished.code, finished.stdout], [1, ''], finished.stderr)
      assert.match(finished.stderr, words)
      assert.match(finished.stderr, /^[^\n]+\n$/)
      assert.deepEqual(readdirSync(house.env.TMPDIR), [])
    }
  })

  it('removes the copy and ends what it started at Ctrl-C', async ({ house, program }) => {
    const at = ['serves the copy', 'the new program serves it']
    await assertInterrupted(program, house, { args: [house.archive], at })
  })

  it('sends nothing: no letter, no delivery, no trace, no key, and opens no port of the installation', async ({
    house,
    program,
  }) => {
    await assertSendsNothing(program, house, [])
  })
})

/** Says that it has so many bytes, and has none. */
async function archiveOf(bytes: number): Promise<Buffer> {
  const store = { name: 'meta', file: 'meta.sqlite', bytes, sha256: '0'.repeat(64), migrations: [], tables: {} }
  const manifest = Buffer.from(
    JSON.stringify({ format: 'gatehouse-backup-1', created_at: 1, encryption_key_fingerprint: '', stores: [store] }),
  )
  const entry = { name: 'manifest.json', bytes: manifest.length, content: Readable.from([manifest]) }
  return gzipSync(await buffer(packed(Readable.from([entry]), 0)))
}
