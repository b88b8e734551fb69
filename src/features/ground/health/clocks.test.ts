import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { clockOffset } from './clocks.ts'

const NOW = 1_764_500_000_000

describe('the offset of a clock', () => {
  const offset = (at: number, roundTripMilliseconds: number) =>
    clockOffset({ examine: async () => ({ at, roundTripMilliseconds }) }, () => NOW)

  it('leaves out half of the round trip, in the middle of which the store read its clock', async () => {
    assert.equal(await offset(NOW - 400, 800), 0)
    assert.equal(await offset(NOW - 2_900, 800), 2_500)
  })

  it('is unknown after a slow response, which load can have delayed', async () => {
    assert.equal(await offset(NOW - 5_000, 1_001), undefined)
  })
})
