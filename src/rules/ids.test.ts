import assert from 'node:assert/strict'
import { it } from 'vitest'
import { newId } from './ids.ts'

it('ids follow the order in which one process makes them, also within a millisecond', () => {
  const ids = Array.from({ length: 20_000 }, newId)

  assert.deepEqual(ids.toSorted(), ids)
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ids) assert.match(id, /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
})
