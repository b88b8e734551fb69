import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { iso } from './iso-time.ts'
import { DAY_MILLISECONDS } from './time.ts'

const LAST_TIME = 8_640_000_000_000_000

describe('a time as it is sent', () => {
  it('is what the language itself writes, for every day of four centuries and each unit of the day', () => {
    const first = Date.UTC(1801, 0, 1)
    for (let day = 0; day < 400 * 366; day++) {
      const time = first + day * DAY_MILLISECONDS + ((day * 7_919_317) % DAY_MILLISECONDS)
      assert.equal(iso(time), new Date(time).toISOString())
    }
  })

  it('has six digits of a year, with a sign, beyond the year 9999 and before the year 0', () => {
    const sides = [253_402_300_800_000, -62_167_219_200_001, LAST_TIME]
    for (const time of [-1, -0.5, 0, 0.9, 999, DAY_MILLISECONDS - 1, ...sides])
      assert.equal(iso(time), new Date(time).toISOString())
  })

  it('is refused if it is not a time', () => {
    assert.throws(() => iso(Number.NaN), RangeError)
    assert.throws(() => iso(LAST_TIME + DAY_MILLISECONDS), RangeError)
  })
})
