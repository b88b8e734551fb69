import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Recent } from './recent.ts'

describe('what was worked out lately', () => {
  it('is good for its version only', () => {
    const recent = new Recent(10)
    recent.remember('ann', '1', ['a'], 1)

    assert.deepEqual(recent.recall('ann', '1'), ['a'])
    assert.equal(recent.recall('ann', '2'), undefined)
    assert.equal(recent.recall('ben', '1'), undefined)
  })

  it('makes room by weight, the oldest first', () => {
    const recent = new Recent(10)
    recent.remember('ann', '1', 'a', 4)
    recent.remember('ben', '1', 'b', 4)
    recent.remember('ann', '2', 'c', 4)

    recent.remember('carl', '1', 'd', 4)

    assert.deepEqual(
      [recent.recall('ann', '2'), recent.recall('ben', '1'), recent.recall('carl', '1')],
      ['c', undefined, 'd'],
    )
  })

  it('keeps nothing that is heavier than all there may be', () => {
    const recent = new Recent(10)

    recent.remember('ann', '1', 'a', 11)

    assert.equal(recent.recall('ann', '1'), undefined)
  })
})
