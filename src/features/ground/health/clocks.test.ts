import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { clockOffset } from './clocks.ts'

const NOW = 1_764_500_000_000

describe('the offset of a clock', () => {
  const offset = (at: number, roundTripMilliseconds: number) =>
    clockOffset({ examine: async () => ({ at, roundTripMilliseconds }) }, () => NOW)

  it('has half of the round trip taken off: the store told its time in the middle of it', async () => {
    assert.equal(await offset(NOW - 400, 800), 0)
    assert.equal(await offset(NOW - 2_900, 800), 2_500)
  })

  it('is unknown after a slow response, which under load waits on its way', async () => {
    assert.equal(await offset(NOW - 5_000, 1_001), undefined)
  })
})
