import assert from 'node:assert/strict'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { DAY_MILLISECONDS, iso } from './time.ts'

const LAST = 8_640_000_000_000_000

it('a time is sent as `toISOString` writes it, also before 1970 and in five-digit years', () => {
  const times = fc.oneof(fc.double({ min: -LAST, max: LAST, noNaN: true }), fc.integer({ min: -2e12, max: 4e12 }))
  fc.assert(fc.property(times, (time) => assert.equal(iso(time), new Date(time).toISOString())))
  for (const time of [0, -0, -1, 0.9, -0.9, LAST, -LAST, 1_795_991_999_999])
    assert.equal(iso(time), new Date(time).toISOString())
  for (const none of [Number.NaN, LAST + DAY_MILLISECONDS]) expect(() => iso(none)).toThrow(RangeError)
})
