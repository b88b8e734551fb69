import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, it } from 'vitest'
import { idsByMark } from './by-mark.ts'

// So few that most ids have a mark.
const id = fc.string({ unit: fc.constantFrom('a', 'b', '\uffff', '\u{10000}'), maxLength: 2 })
const anyOrder = fc.uniqueArray(id, { maxLength: 15 })
const newestFirst = anyOrder.map((ids) => ids.toSorted().toReversed())
const marksInAnyOrder = fc.uniqueArray(id, { maxLength: 15 })
const marksInOrder = marksInAnyOrder.map((marks) => marks.toSorted())

describe('ids by their marks', () => {
  it('are those of a look-up, in the order of the ids, whatever the order of either list', () => {
    const property = fc.property(
      fc.oneof(anyOrder, newestFirst),
      fc.oneof(marksInAnyOrder, marksInOrder),
      fc.boolean(),
      (ids, marks, isMarked) => {
        assert.deepEqual(
          idsByMark(ids, marks, isMarked),
          ids.filter((one) => marks.includes(one) === isMarked),
        )
      },
    )
    fc.assert(property, { numRuns: 2_000 })
  })

  it('are right if no mark is left below the last id, or there are no marks at all', () => {
    assert.deepEqual(idsByMark(['c', 'b', 'a'], ['b', 'd'], false), ['c', 'a'])
    assert.deepEqual(idsByMark(['c', 'b', 'a'], [], true), [])
    assert.deepEqual(idsByMark([], ['a'], false), [])
  })
})
