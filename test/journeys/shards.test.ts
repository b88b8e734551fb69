import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe } from 'vitest'
import { it } from '../processes/it.ts'
import { environmentOf } from '../processes/new-stores.ts'

describe('gatehouse shards, beside a service on embedded stores', () => {
  it('drains, empties and verifies a shard while its users go on', async ({ program }) => {
    await program.prepare()
    const life = await program.serve()
    const ann = await life.signedUp('ann')
    const write = () => ann.post('/api/submit_feedback', { type: 'idea', content: 'Hello' })
    await write()

    const hasty = await program.run(['shards', 'empty', 'apac-1'])
    const drained = await program.run(['shards', 'drain', 'apac-1'])
    const emptied = await program.run(['shards', 'empty', 'apac-1', '--to', 'oc-1', '--rate', '1000'])
    const listed = await program.run(['shards', 'list', '--json'])
    const verified = await program.run(['shards', 'verify'])

    assert.deepEqual(
      [hasty.code, hasty.stderr],
      [1, 'gatehouse: apac-1 still takes new users; `gatehouse shards drain apac-1` first\n'],
    )
    assert.deepEqual([drained.code, drained.stdout], [0, 'apac-1 is draining; it has 2 users\n'])
    assert.equal(emptied.stdout, 'apac-1 is empty; 2 users were moved\n')
    assert.match(emptied.stderr, /apac-1 100 %\n$/)
    assert.deepEqual(
      JSON.parse(listed.stdout).map((row: Record<string, unknown>) => [row.id, row.state, row.users]),
      [
        ['apac-1', 'draining', 0],
        ['oc-1', 'active', 2],
        ['weur-1', 'active', 0],
      ],
    )
    assert.deepEqual([verified.code, verified.stderr], [0, 'Global store and shards agree.\n'])
    assert.equal((await write()).status, 200)
  })

  it('a shard that SHARDS names later is shown as unused until it is added', async ({ program }) => {
    await program.run(['prepare'])
    const ids = ['apac-1', 'weur-1', 'oc-1', 'oc-2']
    const env = environmentOf(ids, (id) => join(program.dataDir, `${id}.sqlite`))

    const before = await program.run(['shards', 'list'], env)
    const added = await program.run(['shards', 'add', 'oc-2'], env)
    const after = await program.run(['shards', 'list'], env)

    assert.match(before.stdout, /^oc-2 +oc +unused +0 +\/.*oc-2\.sqlite$/m)
    assert.deepEqual([added.code, added.stdout], [0, 'oc-2 now takes users\n'])
    assert.match(after.stdout, /^oc-2 +oc +active +0 /m)
  })

  it('a shard whose store is lost is named in one line, and `replace` lets it begin again', async ({ program }) => {
    await program.prepare()
    const env = environmentOf(['apac-1'], () => join(program.dataDir, 'mistyped.sqlite'))
    const replace = ['shards', 'replace', 'apac-1']

    const refused = await program.run(['shards', 'list'], env)
    const replaced = await program.run(replace, env)
    const again = await program.run(replace, env)
    const listed = await program.run(['shards', 'list'], env)

    assert.deepEqual([refused.code, refused.stdout], [1, ''])
    assert.match(refused.stderr, /^gatehouse: users live in shard apac-1, but [^\n]+\n$/)
    const begins = 'apac-1 begins again with the empty store at its address\n'
    assert.deepEqual(replaced, { code: 0, stdout: begins, stderr: '' })
    const not = 'gatehouse: apac-1 is not lost: its store is not empty, or no users live there\n'
    assert.deepEqual([again.code, again.stderr], [1, not])
    assert.match(listed.stdout, /^apac-1 +apac +active +1 /m)
  })
})
