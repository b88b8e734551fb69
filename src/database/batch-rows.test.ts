import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it } from '../../test/service/it.ts'
import { BatchRows } from './batch-rows.ts'

describe('the rows of a batch', () => {
  it('are found by their statement, wherever it is in the batch', async ({ service }) => {
    const { meta } = service.platform
    const insertion = meta.insertInto('key_value').values({ key: 'a', value: 'one', expires_at: 1 }).returning('key')
    const count = meta
      .selectFrom('key_value')
      .where('key', '=', 'a')
      .select(({ fn }) => fn.countAll<number>().as('count'))

    const before = await meta.batch([count, insertion])
    const after = await meta.batch([meta.deleteFrom('key_value').where('key', '=', 'a'), count])

    assert.deepEqual([before.of(insertion), before.of(count)], [[{ key: 'a' }], [{ count: 0 }]])
    assert.deepEqual(after.of(count), [{ count: 0 }])
  })

  it('are refused for a statement that was not in the batch', async ({ service }) => {
    const { meta } = service.platform
    const read = () => meta.selectFrom('key_value').select('key')
    const inTheBatch = read()

    const rows = await meta.batch([inTheBatch])

    assert.deepEqual(rows.of(inTheBatch), [])
    assert.throws(() => rows.of(read()), /was not in the batch/)
  })

  it('have no position', () => {
    const rows = new BatchRows([], [])

    // @ts-expect-error: the rows of a batch are not a list.
    assert.throws(() => [...rows], TypeError)
    // @ts-expect-error: nor can they be indexed.
    assert.equal(rows[0], undefined)
  })
})
