import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { readConfig } from '../../src/config/config.ts'
import { closeStores, openStores } from '../../src/database/stores.ts'
import { backUp } from '../../src/operator/backup/backup.ts'
import { restore } from '../../src/operator/backup/restore.ts'
import { wordsFor } from '../../src/operator/commands/program/operator-words.ts'
import { prepareSecrets } from '../../src/platform/secrets/secrets.ts'
import { prepareStores } from '../../src/prepare.ts'
import { Installation } from '../processes/installation.ts'
import { describe, it, type TestContext } from '../running/node-test.ts'

const MEGABYTE = 1024 * 1024
const DISK_MEGABYTES = 16
const BALLAST_MEGABYTES = 4
const ROOM_MEGABYTES = 2
const ROOM_FOR_LOCKS_BYTES = 64 * 1024
const person = { email: 'ann@example.com', password: 'a long walk in the rain', name: 'ann' }

describe('a full disk', () => {
  it('is a clear 503 for writes, leaves reads alone, corrupts nothing and ends when there is space', (t) =>
    onSmallDisk(t, async (disk, program) => {
      const dataDir = join(disk, 'data')
      await prepareCheaply(dataDir)
      const ballast = join(disk, 'ballast')
      writeFileSync(ballast, Buffer.alloc(BALLAST_MEGABYTES * MEGABYTE, 1))
      const { child, url, output } = await program.serve({ DATA_DIR: dataDir })
      const token = await signUp(url)
      // Full before the writing user reaches the limit for writes.
      writeFileSync(
        join(disk, 'more'),
        Buffer.alloc(Math.max(0, freeBytes(disk) - ROOM_MEGABYTES * MEGABYTE), 1),
      )

      const refusal = await writeUntilRefused(url, token)
      const readsWhileFull = await whoIs(url, token)
      rmSync(ballast)
      const afterwards = await write(url, token)
      child.kill('SIGTERM')
      await output

      assert.deepEqual([refusal.status, refusal.body.code], [503, 'STORE_UNAVAILABLE'])
      assert.ok(refusal.retryAfter)
      assert.equal(readsWhileFull, person.email)
      assert.equal(afterwards.status, 200)
      for (const name of ['meta', 'apac-1']) assert.equal(integrityOf(join(dataDir, `${name}.sqlite`)), 'ok')
      assert.equal(feedbacksIn(join(dataDir, 'apac-1.sqlite')), refusal.written + 1)
    }))
})

describe('a command that writes to a full disk', () => {
  it('is one line that names the place and says what to do, and leaves nothing there', (t) =>
    onSmallDisk(t, async (disk, program) => {
      await prepareCheaply(program.dataDir)
      const archive = join(program.dataDir, 'archive.tar.gz')
      const place = readConfig({ DATA_DIR: program.dataDir })
      await prepareSecrets(place)
      await backUp(place, archive, Date.now(), () => undefined)
      const other = join(disk, 'data')
      mkdirSync(other, { mode: 0o700 })
      writeFileSync(join(disk, 'ballast'), Buffer.alloc(freeBytes(disk) - ROOM_FOR_LOCKS_BYTES, 1))

      const said = await Promise.all([
        wordsOf(backUp(place, join(disk, 'archive.tar.gz'), Date.now(), () => undefined)),
        wordsOf(restore(readConfig({ DATA_DIR: other }), archive, () => undefined)),
      ])
      writeFileSync(join(disk, 'more'), Buffer.alloc(freeBytes(disk), 1))
      const exported = await program.run(['export', join(disk, 'all.jsonl')])

      assert.match(said[0] ?? '', new RegExp(`^no space is left in ${disk} \\([^\n]*\\); ${ADVICE}$`))
      assert.match(said[1] ?? '', new RegExp(`^no space is left in ${other} \\([^\n]*\\); ${ADVICE}$`))
      assert.match(
        exported.stderr,
        new RegExp(`(^|\n)gatehouse: no space is left in ${disk} \\([^\n]*\\); ${ADVICE}\n$`),
      )
      assert.deepEqual(readdirSync(disk).toSorted(), ['ballast', 'data', 'more'])
    }))
})

describe('a command on a read-only file system', () => {
  it('is one line that names the place and says what to do', (t) =>
    onSmallDisk(t, async (disk, program) => {
      const dataDir = join(disk, 'data')
      await prepareCheaply(dataDir)
      await prepareSecrets(readConfig({ DATA_DIR: dataDir }))
      await program.run(['prepare'])
      spawnSync('mount', ['-o', 'remount,ro', disk])

      const fromThere = await program.run(['backup', join(program.dataDir, 'archive')], { DATA_DIR: dataDir })
      const there = await Promise.all([
        program.run(['backup', join(disk, 'archive')]),
        program.run(['export', join(disk, 'all.jsonl')]),
      ])

      assert.match(
        fromThere.stderr,
        new RegExp(
          `^gatehouse: ${dataDir} is on a read-only file system; mount it for writing, or set DATA_DIR `,
        ),
      )
      for (const { code, stderr } of there) {
        assert.equal(code, 1)
        assert.match(
          stderr,
          new RegExp(
            `^gatehouse: ${disk} is on a read-only file system; choose another folder, or mount it for writing \\([^\n]*\\)\n$`,
          ),
        )
      }
    }))
})

const ADVICE = 'free some space, and run this again'

function wordsOf(work: Promise<unknown>): Promise<string> {
  return work.then(() => 'nothing', wordsFor)
}

function freeBytes(disk: string): number {
  const { bavail, bsize } = statfsSync(disk)
  return bavail * bsize
}

async function writeUntilRefused(url: string, token: string) {
  for (let written = 0; ; written++) {
    const answer = await write(url, token)
    if (answer.status !== 200) return { ...answer, written }
  }
}

async function write(url: string, token: string) {
  const response = await fetch(`${url}/api/submit_feedback`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ type: 'long', content: 'x'.repeat(10_000) }),
  })
  const body: { code?: string } = JSON.parse(await response.text())
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body }
}

async function signUp(url: string): Promise<string> {
  const response = await fetch(`${url}/api/auth/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(person),
  })
  const { token } = JSON.parse(await response.text())
  return token
}

async function whoIs(url: string, token: string): Promise<string> {
  const response = await fetch(`${url}/api/auth/get-session`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { user } = JSON.parse(await response.text())
  return user.email
}

async function prepareCheaply(dataDir: string): Promise<void> {
  const config = readConfig({ DATA_DIR: dataDir })
  const stores = await openStores(config)
  await prepareStores(config, stores, Date.now, 1)
  await closeStores(stores)
}

/** Skips the test where no disk can be mounted. */
async function onSmallDisk(
  t: TestContext,
  act: (disk: string, program: Installation) => Promise<void>,
): Promise<void> {
  const disk = mountSmallDisk()
  if (!disk) return t.skip('a disk of its own cannot be mounted here (needs root on Linux)')
  try {
    await using program = new Installation()
    await act(disk, program)
  } finally {
    unmount(disk)
  }
}

function mountSmallDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MEGABYTES}m`, 'tmpfs', folder])
  if (mounted.status === 0) return folder
  rmdirSync(folder)
  return undefined
}

function unmount(folder: string): void {
  spawnSync('umount', ['-l', folder])
  rmdirSync(folder)
}

function integrityOf(file: string): unknown {
  const database = new DatabaseSync(file, { readOnly: true })
  const row = database.prepare('pragma integrity_check').get()
  database.close()
  return row?.integrity_check
}

function feedbacksIn(file: string): unknown {
  const database = new DatabaseSync(file, { readOnly: true })
  const row = database.prepare('select count(*) as feedbacks from feedbacks').get()
  database.close()
  return row?.feedbacks
}
