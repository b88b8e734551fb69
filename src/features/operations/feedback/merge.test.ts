import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { mergedPage, type Source } from './merge.ts'
import type { Key } from './store.ts'

const ROWS = 2_000

describe('a page of the rows of several shards', () => {
  for (const [where, offset, expected] of [
    ['in the middle', 2_000, 20],
    ['at the end', 3_990, 10],
    ['far after the end', 1_000_000, 0],
  ] as const)
    it(`${where} fetches few rows before its own`, async () => {
      const fetched: number[] = []
      const sources = [0, 1].map((shard) => sourceOf(shard, fetched))

      const { total, items } = await mergedPage(sources, { offset, limit: 20 }, 'oldest')

      const first = items.length === 0 ? [] : [offset]
      assert.deepEqual([total, items.length], [2 * ROWS, expected])
      assert.deepEqual(
        items.slice(0, 1).map(({ created_at }) => created_at),
        first,
      )
      assert.ok(Math.max(...fetched) < 200, `${fetched}`)
    })
})

/** One source has the rows of even times, the other those of odd ones. */
function sourceOf(shard: number, fetched: number[]): Source<Key> {
  const all = Array.from({ length: ROWS }, (_, i) => ({ id: `${shard}-${i}`, created_at: 2 * i + shard }))
  const rest = (after: Key | undefined) =>
    all.filter(({ created_at }) => after === undefined || created_at > after.created_at)
  return {
    keyAfter: async (after, steps) => rest(after)[steps - 1],
    async totalAndKeys(after, limit) {
      const keys = rest(after).slice(0, limit)
      fetched.push(keys.length)
      return { total: all.length, keys }
    },
    rowsWith: async (ids) => all.filter(({ id }) => ids.includes(id)),
  }
}
