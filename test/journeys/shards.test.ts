import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { Installation } from '../processes/installation.ts'
import { makePasswordsCheap } from '../service/fakes/cheap-passwords.ts'
import { Visitor } from '../service/wire/visitor.ts'

describe('gatehouse shards, beside a service on embedded stores', () => {
  it('drains, empties and verifies a shard while its users go on', async () => {
    await using program = new Installation()
    await makePasswordsCheap({ DATA_DIR: program.dataDir })
    const { url } = await program.serve()
    const ann = await Visitor.signedUp(url, 'ann@example.com')
    await ann.post('/api/submit_feedback', { type: 'idea', content: 'Hello' })

    const hasty = await program.run(['shards', 'empty', 'apac-1'])
    const drained = await program.run(['shards', 'drain', 'apac-1'])
    const emptied = await program.run(['shards', 'empty', 'apac-1', '--to', 'oc-1', '--rate', '1000'])
    const listed = await program.run(['shards', 'list', '--json'])
    const verified = await program.run(['shards', 'verify'])
    const after = await ann.post('/api/submit_feedback', { type: 'idea', content: 'Again' })

    assert.equal(hasty.code, 1)
    assert.equal(
      hasty.stderr,
      'gatehouse: apac-1 still takes new users; `gatehouse shards drain apac-1` first\n',
    )
    assert.deepEqual([drained.code, drained.stdout], [0, 'apac-1 is draining; it has 2 users\n'])
    assert.equal(emptied.stdout, 'apac-1 is empty; 2 users were moved\n')
    assert.match(emptied.stderr, /apac-1 100 %\n$/)
    assert.deepEqual(
      JSON.parse(listed.stdout).map(({ id, state, users }: Row) => [id, state, users]),
      [
        ['apac-1', 'draining', 0],
        ['oc-1', 'active', 2],
        ['weur-1', 'active', 0],
      ],
    )
    assert.deepEqual([verified.code, verified.stderr], [0, 'Global store and shards agree.\n'])
    assert.equal(after.status, 200)
  })

  it('a shard that SHARDS names later is shown as unused until it is added', async () => {
    await using program = new Installation()
    await program.run(['prepare'])
    const places = ['apac-1', 'weur-1', 'oc-1', 'oc-2'].map(
      (id) => `${id}:${id.replace(/-\d$/, '')}=${join(program.dataDir, `${id}.sqlite`)}`,
    )
    const env = { SHARDS: places.join(',') }

    const before = await program.run(['shards', 'list'], env)
    const added = await program.run(['shards', 'add', 'oc-2'], env)
    const unknown = await program.run(['shards', 'add', 'mars-1'], env)
    const after = await program.run(['shards', 'list'], env)

    assert.match(before.stdout, /^oc-2 +oc +unused +0 +\/.*oc-2\.sqlite$/m)
    assert.deepEqual([added.code, added.stdout], [0, 'oc-2 now takes users\n'])
    assert.deepEqual(
      [unknown.code, unknown.stderr],
      [1, 'gatehouse: mars-1 is not in SHARDS; add it there first.\n'],
    )
    assert.match(after.stdout, /^oc-2 +oc +active +0 /m)
  })

  it('a shard whose store is lost is named in one line, and `replace` lets it begin again', async () => {
    await using program = new Installation()
    await makePasswordsCheap({ DATA_DIR: program.dataDir })
    await program.run(['prepare'])
    const env = { SHARDS: `apac-1:apac=${join(program.dataDir, 'mistyped.sqlite')}` }

    const refused = await program.run(['shards', 'list'], env)
    const replaced = await program.run(['shards', 'replace', 'apac-1'], env)
    const again = await program.run(['shards', 'replace', 'apac-1'], env)
    const listed = await program.run(['shards', 'list'], env)

    assert.deepEqual([refused.code, refused.stdout], [1, ''])
    assert.match(refused.stderr, /^gatehouse: users live in shard apac-1, but [^\n]+\n$/)
    assert.deepEqual(
      [replaced.code, replaced.stdout, replaced.stderr],
      [0, 'apac-1 begins again with the empty store at its address\n', ''],
    )
    assert.deepEqual(
      [again.code, again.stderr],
      [1, 'gatehouse: apac-1 is not lost: its store is not empty, or no users live there\n'],
    )
    assert.match(listed.stdout, /^apac-1 +apac +active +1 /m)
  })

  it('lists its subcommands if none is given', async () => {
    await using program = new Installation()

    const nothing = await program.run(['shards'])
    const slow = await program.run(['shards', 'empty', 'apac-1', '--rate', 'slowly'])

    assert.deepEqual([nothing.code, slow.code], [2, 2])
    assert.match(
      nothing.stderr,
      /missing subcommand; one of: list, add, drain, activate, move-user, empty, verify, remove-copies, replace/,
    )
    assert.match(slow.stderr, /--rate must be a number of users per second/)
  })
})

interface Row {
  readonly id: string
  readonly state: string
  readonly users: number
}
