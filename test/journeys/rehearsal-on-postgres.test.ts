import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'vitest'
import { restoreDump, unpackRelease } from '../fixtures/lived-in.ts'
import { oldProgram } from '../fixtures/old-program.ts'
import { patchedProgram, STARTS_ON_NEWER, withMigration } from '../fixtures/patched-program.ts'
import { command, databaseUrl, freshDatabase, rowsIn, schemaUrl, testServer } from '../postgres/databases.ts'
import { type Env, Installation } from '../processes/installation.ts'
import { it as ofProgram } from '../processes/it.ts'
import { lineWith } from '../processes/line-with.ts'
import { environmentOf, storesIn } from '../processes/new-stores.ts'
import { descendants } from '../processes/process-tree.ts'
import { temporaryFolder } from '../service/temporary-folder.ts'
import {
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

const SHARDS = ['apac-1', 'weur-1', 'oc-1']

/** The environment names the empty database for the copy, too. */
interface OnPostgres extends House {
  readonly url: string
  readonly scratch: string
}

const it = ofProgram.extend<{ house: OnPostgres }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  house: async ({}, use) => {
    const server = await testServer()
    await using stack = new AsyncDisposableStack()
    const folder = temporaryFolder()
    unpackRelease(RELEASE, folder)
    const places = await storesIn(stack, server, SHARDS)
    const url = places.DATABASE_URL ?? ''
    await restoreDump(folder, url)
    const scratch = await scratchOf(stack, server)
    const [DATA_DIR, TMPDIR] = [join(folder, 'data'), join(folder, 'tmp')]
    mkdirSync(TMPDIR)
    await use({
      ...{ folder, url, scratch, old: oldProgram(stack, RELEASE) },
      env: { ...places, DATA_DIR, TMPDIR, SCRATCH: scratch },
      rows: (statement) => rowsIn(url, statement),
      remains: async () => [
        ...readdirSync(TMPDIR).filter((name) => name.startsWith('gatehouse-rehearsal-')),
        ...(await schemasIn(scratch)),
      ],
    })
  },
})

const TO_SCRATCH = ['--scratch', 'env:SCRATCH'] as const

describe('a rehearsed upgrade on PostgreSQL', () => {
  it('beside a service that runs, by a role that can only read, has the figures and leaves everything as it is', async ({
    house,
    program,
  }) => {
    await using stack = new AsyncDisposableStack()
    const more = await readerOf(stack, house)

    const { migrations } = await rehearseWhileServed(program, house, { args: TO_SCRATCH, more })

    assert.ok(migrations.every(({ ms, longest_lock_ms }) => longest_lock_ms >= 0 && longest_lock_ms <= ms))
  })

  it.for(WRONG_MIGRATIONS)('finds and names a migration that %s', async ([, statement, words], { house }) => {
    await assertFindsMigration(house, TO_SCRATCH, statement, words)
  })

  it('finds what the old program, which serves on beside the new one, cannot do on the migrated stores', async ({
    house,
  }) => {
    const refusesOld = `alter table feedbacks add constraint not_by_old check (note <> 'by old') not valid`
    const notes = { file: 'src/features/operations/feedback/store.ts', replace: "note: ''", by: "note: 'by old'" }
    const [old, later] = [
      patchedProgram(join(house.folder, 'old'), STARTS_ON_NEWER, notes),
      patchedProgram(join(house.folder, 'later'), withMigration('9999-wrong', refusesOld, 'shard')),
    ]
    await using first = new Installation(old)
    await using next = new Installation(later)
    await first.run(['prepare'], house.env)

    const finished = await next.run(['rehearse', old, ...TO_SCRATCH, '--json'], house.env)

    const { problems } = rehearsalIn(finished)
    assert.equal(finished.code, 2)
    assert.match(
      problems[0] ?? '',
      /^the old program does not read what the new program wrote: writing feedback was answered with 5\d\d/,
    )
    assert.ok(
      problems.every((words) => words.startsWith('the old program')),
      problems.join('\n'),
    )
  })

  it('says until which step the old program goes on, if it does', async ({ house }) => {
    await assertFindsWayBack(house, TO_SCRATCH)
  })

  it('refuses in one line, before anything is copied, what cannot be rehearsed', async ({ house, program }) => {
    const { old, env, url } = house
    const [archive, mixed] = [join(house.folder, 'backup.tar.gz'), `apac-1:apac=${join(house.folder, 'apac.sqlite')}`]
    const shard = new URL(house.scratch)
    shard.searchParams.set('pgbouncer', 'true')

    for (const [args, words, other] of [
      [[old], /on PostgreSQL; name an empty database for the copy with --scratch/],
      [[old, archive, ...TO_SCRATCH], /ARCHIVE is for embedded stores/],
      [[old, ...TO_SCRATCH], /apac-1 is a file; stores of one kind/, { SHARDS: mixed }],
      [[old, '--scratch', 'nothing'], /DATABASE is postgres:\/\/…, env:NAME or file:PATH/],
      [[old, '--scratch', 'env:NOBODY'], /NOBODY is not set/],
      [[old, ...TO_SCRATCH], /the scratch database is not empty: it has "apac-1"\.\w+;/, { SCRATCH: url }],
      [[old, ...TO_SCRATCH], /the scratch database: .*ECONNREFUSED/, { SCRATCH: 'postgres://127.0.0.1:9/gate' }],
      [[old, ...TO_SCRATCH], /not several and no PgBouncer/, { SCRATCH: shard.href }],
      [[old, ...TO_SCRATCH], /nothing is installed in/, { DATABASE_URL: databaseUrl(url, 'template1') }],
    ] as const) {
      const finished = await program.run(['rehearse', ...args], { ...env, ...other })

      assert.deepEqual([finished.code, finished.stdout], [1, ''], finished.stderr)
      assert.match(finished.stderr, words)
      assert.match(finished.stderr, /^[^\n]+\n$/)
      assert.deepEqual(await house.remains(), [])
    }
  })

  it('removes the copy and ends what it started at Ctrl-C', async ({ house, program }) => {
    const at = ['are copied', 'serves the copy', 'migrates it', 'the new program serves it', 'serves beside it']
    await assertInterrupted(program, house, { args: TO_SCRATCH, at })
  })

  it('removes the copy of one that was killed, and cannot be in one database with another', async ({
    house,
    program,
  }) => {
    const killed = program.start(['rehearse', house.old, ...TO_SCRATCH], house.env)
    assert.ok(killed.pid !== undefined && killed.stderr)
    await lineWith('serves the copy', killed.stderr)
    const second = await program.run(['rehearse', house.old, ...TO_SCRATCH], house.env)
    const left = descendants(killed.pid)
    const ended = once(killed, 'exit')
    killed.kill('SIGKILL')
    await ended
    for (const pid of left) process.kill(pid, 'SIGKILL')

    assert.match(second.stderr, /^gatehouse.*another rehearsal is in the scratch database/)
    assert.ok((await schemasIn(house.scratch)).length > 0)
    const refused = await program.run(['rehearse', join(house.folder, 'backup.tar.gz'), ...TO_SCRATCH], house.env)
    assert.equal(refused.code, 1)
    const next = await program.run(['rehearse', house.old, ...TO_SCRATCH], house.env)
    assert.deepEqual([next.code, await schemasIn(house.scratch)], [0, []], next.stderr)
  })

  it('sends nothing: no letter, no delivery, no trace, no key, and opens no port of the installation', async ({
    house,
    program,
  }) => {
    await assertSendsNothing(program, house, TO_SCRATCH)
  })
})

async function schemasIn(url: string): Promise<readonly string[]> {
  const found = await rowsIn(
    url,
    `select nspname as name from pg_namespace where nspname not like 'pg\\_%' and nspname not in ('public', 'information_schema')`,
  )
  return found.map(({ name }) => String(name))
}

/** An empty database, for a role that owns it and has no other right. */
async function scratchOf(stack: AsyncDisposableStack, server: string): Promise<string> {
  const role = `scratch_${randomBytes(6).toString('hex')}`
  await command(server, `create role ${role} login password 'fills'`)
  stack.defer(() => command(server, `drop role ${role}`))
  const { url, drop } = await freshDatabase(server)
  stack.defer(drop)
  await command(url, `alter database ${new URL(url).pathname.slice(1)} owner to ${role}`)
  return urlAs(url, role, 'fills')
}

function urlAs(url: string, role: string, password: string): string {
  const own = new URL(url)
  own.username = role
  own.password = password
  return own.href
}

/** As the role of the rehearsal that can read the installation and nothing else. */
async function readerOf(stack: AsyncDisposableStack, { url }: OnPostgres): Promise<Env> {
  const role = `reader_${randomBytes(6).toString('hex')}`
  const schemas = ['public', ...SHARDS.map((id) => `"${id}"`)].join()
  await command(
    url,
    `create role ${role} login password 'reads'; alter role ${role} set default_transaction_read_only = on;
     grant usage on schema ${schemas} to ${role}; grant select on all tables in schema ${schemas} to ${role}`,
  )
  stack.defer(() => command(url, `drop owned by ${role}; drop role ${role}`))
  const own = urlAs(url, role, 'reads')
  return environmentOf(SHARDS, (id) => schemaUrl(own, id), own)
}
