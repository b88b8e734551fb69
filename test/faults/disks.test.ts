import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'vitest'
import type { Env, Installation, Life } from '../processes/installation.ts'
import { it } from '../processes/it.ts'
import { Person } from '../service/people.ts'
import { canMount, fill, freeBytes, mountSmallDisk, unmount } from './support/small-disk.ts'
import { CHANGES, canTrace, interfere } from './support/strace.ts'

const MEGABYTE = 1024 * 1024
const DISK_MEGABYTES = 16
const BALLAST_MEGABYTES = 4
const ROOM_MEGABYTES = 2
const ROOM_FOR_LOCKS_BYTES = 64 * 1024
const PAGE_BYTES = 4096
const ATTEMPTS = 20
const SHARD = 'apac-1'
const ADVICE = 'free some space, and run this again'

/** A small disk of its own, mounted for one test. */
const onDisk = it.extend<{ disk: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  disk: async ({}, use) => {
    const disk = mountSmallDisk(DISK_MEGABYTES) ?? assert.fail()
    await use(disk)
    unmount(disk)
  },
})

describe('a full disk', () => {
  onDisk.skipIf(!canMount)(
    'is a clear 503 for writes, leaves reads alone, corrupts nothing and ends when there is space (needs root on Linux)',
    async ({ disk, program }) => {
      const env = { DATA_DIR: join(disk, 'data') }
      await program.prepare(env)
      fill(disk, 'ballast', BALLAST_MEGABYTES * MEGABYTE)
      const life = await program.serve(env)
      const ann = await life.signedUp('ann')
      // Full before the writing user reaches the limit for writes.
      fill(disk, 'more', freeBytes(disk) - ROOM_MEGABYTES * MEGABYTE)

      const answers = [await write(ann)]
      while (answers.at(-1)?.status === 200) answers.push(await write(ann))
      const refused = answers.pop()
      const [, [, full]] = await storesOf(life)
      const session = await ann.get('/api/auth/get-session')
      rmSync(join(disk, 'ballast'))
      const [, [, recovered]] = await storesOf(life)
      answers.push(await write(ann))
      await life.end()

      assert.deepEqual([refused?.status, refused?.body.code], [503, 'STORE_UNAVAILABLE'])
      assert.deepEqual([full, recovered], ['degraded', 'up'])
      assert.ok(refused?.headers.get('retry-after'))
      assert.equal(session.body.user.email, 'ann@example.com')
      assertSound(program, answers, env)
    },
  )
})

describe('a file system that becomes read-only under a running process', () => {
  it.skipIf(!canTrace)(
    'is a 503 for writes, leaves reads alone, corrupts nothing and ends by itself (needs strace)',
    async ({ program }) => {
      await program.prepare()
      const life = await program.serve()
      const ann = await life.signedUp('ann')
      const writes = [await write(ann)]

      const readOnly = await interfere(life.child, program, ['meta', SHARD], `${CHANGES}:error=EROFS`)
      const refused = []
      for (let i = 0; i < ATTEMPTS; i++) refused.push(await write(ann))
      const ben = new Person(life, 'ben@example.com', 'a raft of seven logs')
      refused.push(await ben.signUp(), await ann.post('/api/auth/sign-out'))
      const reads = [
        await ann.get('/api/auth/get-session'),
        await ann.post('/api/list_notifications'),
        await ann.post('/api/get_credit_summary'),
        await ann.get('/healthz'),
      ]
      // The statement finds no row, so its commit has nothing to write and succeeds.
      const idle = await ann.post('/api/auth/two-factor/revoke-trusted-device', { id: 'unknown' })
      const health = await storesOf(life)
      await readOnly.detach()

      const recovered = await storesOf(life)
      for (let i = 0; i < ATTEMPTS; i++) writes.push(await write(ann))
      const signedUp = await ben.signUp()
      const { code } = await life.end()

      for (const { status, body, headers } of refused)
        assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'STORE_UNAVAILABLE', '2'])
      assert.deepEqual(
        reads.map(({ status }) => status),
        [200, 200, 200, 200],
      )
      assert.equal(reads[0]?.body.user.email, 'ann@example.com')
      assert.deepEqual([idle.status, signedUp.status, code], [404, 200, 0])
      assert.deepEqual(health, [503, ['degraded', 'degraded', 'up']])
      assert.deepEqual(recovered, [200, ['up', 'up', 'up']])
      assertSound(program, writes)
    },
  )
})

describe('a command that writes', () => {
  onDisk.skipIf(!canMount)(
    'to a full disk is one line that names the place and says what to do, and leaves nothing there (needs root on Linux)',
    async ({ disk, program, elsewhere }) => {
      await program.prepare()
      const archive = join(elsewhere.dataDir, 'archive.tar.gz')
      await program.run(['backup', archive])
      const other = join(disk, 'data')
      mkdirSync(other, { mode: 0o700 })
      fill(disk, 'ballast', freeBytes(disk) - ROOM_FOR_LOCKS_BYTES)

      const backup = await program.run(['backup', join(disk, 'archive.tar.gz')])
      const restored = await elsewhere.run(['restore', archive], { DATA_DIR: other })
      fill(disk, 'more', freeBytes(disk))
      const exported = await program.run(['export', join(disk, 'all.jsonl')])

      for (const [{ stderr }, place] of [
        [backup, disk],
        [restored, other],
        [exported, disk],
      ] as const)
        assert.match(stderr, new RegExp(`(^|\n)gatehouse: no space is left in ${place} \\([^\n]*\\); ${ADVICE}\n$`))
      assert.deepEqual(readdirSync(disk).toSorted(), ['ballast', 'data', 'more'])
    },
  )

  onDisk.skipIf(!canMount)(
    'secrets to a disk without room for all of them changes nothing (needs root on Linux)',
    async ({ disk, program, elsewhere }) => {
      await program.prepare()
      const keys = Array.from({ length: 60 }, (_, i) => `service-${i}`)
      const file = join(elsewhere.dataDir, 'settings.json')
      writeFileSync(file, JSON.stringify({ applications: keys.map((key) => ({ key, name: key, kind: 'service' })) }))
      // One page is left, so the beginning can be written.
      fill(disk, 'ballast', freeBytes(disk) - PAGE_BYTES)

      const applied = await program.run(['settings', 'apply', file, '--secrets-out', join(disk, 'secrets')])
      const planned = await program.run(['settings', 'plan', file])

      assert.deepEqual([applied.code, applied.stdout], [1, ''])
      assert.match(applied.stderr, new RegExp(`gatehouse: no space is left in ${disk} .*; ${ADVICE}\n$`))
      assert.equal(planned.stdout.trim().split('\n').length, keys.length)
      assert.deepEqual(readdirSync(disk), ['ballast'])
    },
  )

  onDisk.skipIf(!canMount)(
    'to a read-only file system is one line that names the place and says what to do (needs root on Linux)',
    async ({ disk, program, elsewhere }) => {
      const env = { DATA_DIR: join(disk, 'data') }
      await program.prepare(env)
      await elsewhere.run(['prepare'])
      spawnSync('mount', ['-o', 'remount,ro', disk])

      const fromThere = await program.run(['backup', join(program.dataDir, 'archive')], env)
      const there = await Promise.all([
        elsewhere.run(['backup', join(disk, 'archive')]),
        elsewhere.run(['export', join(disk, 'all.jsonl')]),
      ])

      const readOnly = (place: string) => `^gatehouse: ${place} is on a read-only file system;`
      assert.match(fromThere.stderr, new RegExp(`${readOnly(env.DATA_DIR)} mount it for writing, or set DATA_DIR `))
      for (const { code, stderr } of there) {
        assert.equal(code, 1)
        assert.match(stderr, new RegExp(`${readOnly(disk)} choose another folder, or mount it for writing\n$`))
      }
    },
  )
})

function write(person: Person) {
  return person.post('/api/submit_feedback', { type: 'long', content: 'x'.repeat(10_000) })
}

async function storesOf(life: Life): Promise<readonly [number, readonly (string | undefined)[]]> {
  const response = await life.request('/readyz')
  const { stores }: { stores: Record<string, string> } = JSON.parse(await response.text())
  return [response.status, ['meta', SHARD, 'oc-1'].map((name) => stores[name])]
}

/** All that was acknowledged is there, and nothing else. */
function assertSound(
  program: Installation,
  acknowledged: readonly { readonly status: number; readonly body: { readonly id: string } }[],
  env: Env = {},
): void {
  assert.ok(acknowledged.every(({ status }) => status === 200))
  for (const store of ['meta', SHARD])
    assert.deepEqual(program.rows(store, 'pragma integrity_check', env), [{ integrity_check: 'ok' }])
  const ids = program.rows(SHARD, 'select id from feedbacks order by id', env).map(({ id }) => id)
  assert.deepEqual(ids, acknowledged.map(({ body }) => body.id).toSorted())
}
