import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import { describe, it } from 'vitest'
import { addressesOutside } from './public-addresses.ts'

type Done = (error: Error | null, found?: LookupAddress[]) => void

describe('the look-up of an endpoint’s name', () => {
  it('is shared by the deliveries that need it at the same time, and made again by later ones', () => {
    const asked: { readonly name: string; readonly done: Done }[] = []
    const addresses = addressesOutside([], (name, done) => asked.push({ name, done }))
    const found: unknown[] = []
    const lookUp = (name: string) =>
      addresses.lookupFor('https:')(name, {}, (error, address) => found.push(error ?? address))

    for (let delivery = 0; delivery < 8; delivery++) lookUp('slow.example')
    lookUp('other.example')
    const names = asked.map(({ name }) => name)
    asked[0]?.done(null, [{ address: '93.184.216.34', family: 4 }])
    lookUp('slow.example')
    asked[2]?.done(null, [{ address: '127.0.0.1', family: 4 }])

    assert.deepEqual(names, ['slow.example', 'other.example'])
    assert.deepEqual(found.slice(0, 8), Array(8).fill('93.184.216.34'))
    assert.match(String(found[8]), /private network/)
  })
})
