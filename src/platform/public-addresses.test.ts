import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { addressesOutside } from './public-addresses.ts'

const FOUND = [
  { address: '10.0.0.1', family: 4 },
  { address: '93.184.216.34', family: 4 },
  { address: '2001:db8::1', family: 6 },
]

describe('the look-up of a connection', () => {
  const lookUp = (found: typeof FOUND, protocol: string, options: object) =>
    new Promise((resolve) => {
      const find = async () => found
      addressesOutside(['10.0.0.0/30']).lookupFor(protocol, find)('name.example', options, (error, address) =>
        resolve(error?.message ?? address),
      )
    })

  it('gives the addresses that are public or allowed, and says if there is none', async () => {
    assert.deepEqual(await lookUp(FOUND, 'https:', { all: true }), FOUND.slice(0, 2))
    assert.deepEqual(await lookUp(FOUND, 'https:', {}), '10.0.0.1')
    assert.deepEqual(await lookUp(FOUND, 'http:', { all: true }), FOUND.slice(0, 1))
    assert.match(String(await lookUp(FOUND.slice(2), 'https:', {})), /private network/)
    assert.match(String(await lookUp(FOUND.slice(1), 'http:', {})), /Only https/)
  })

  it('passes on why a name has no address', async () => {
    const find = () => Promise.reject(new Error('There is no address.'))
    const { promise, resolve } = Promise.withResolvers()

    addressesOutside([]).lookupFor('https:', find)('name.example', {}, (error) => resolve(error?.message))

    assert.equal(await promise, 'There is no address.')
  })
})
