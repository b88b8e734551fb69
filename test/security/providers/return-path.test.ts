import assert from 'node:assert/strict'
import { describe, it } from 'vitest'

interface Addresses {
  readonly ownPath: (next: string | null) => string
  readonly productAddress: (to: string | null, origins: readonly string[]) => string | undefined
  readonly productWanted: (query: string) => string | null
}

Object.assign(globalThis, { location: { origin: 'http://localhost:5173' } })
const PAGES = new URL('../../../web/src/routing/safe-address.ts', import.meta.url).href
const { ownPath, productAddress, productWanted }: Addresses = await import(PAGES)

describe('where the pages go after sign-in', () => {
  for (const next of [
    '/.//evil',
    '/x/..//evil',
    '/%2e//evil',
    '//evil',
    '/\\evil',
    '/\t/evil',
    'http://[',
    '//[',
    null,
  ]) {
    it(`is home for ${next}`, () => assert.equal(ownPath(next), '/'))
  }

  it('is a path of their own, with its query', () => {
    assert.equal(ownPath('/settings/sessions?a=b#c'), '/settings/sessions?a=b')
  })
})

describe('which products the pages return to', () => {
  const origins = ['http://localhost:5173', 'https://app.example.com']

  for (const to of [
    'https://evil.example/',
    'https://app.example.com.evil.example/',
    'https://app.example.com@evil.example/',
    'https://ann:pw@app.example.com/',
    'http://app.example.com/',
    'https://app.example.com:8443/',
    'blob:https://app.example.com/1',
    'javascript:alert(1)//https://app.example.com',
    'data:text/html,x',
    '//evil.example',
    'https:\\\\evil.example',
    'https://app.example.com/\n',
    `https://app.example.com/${'a'.repeat(2_048)}`,
    '',
    null,
  ]) {
    it(`not to ${to?.slice(0, 60)}`, () => assert.equal(productAddress(to, origins), undefined))
  }

  it('to pages of allowed origins, however a proxy wrote them', () => {
    const wanted = ['return_to=/shop/?a=1&b=2', 'x=1&return_to=https%3A%2F%2Fapp.example.com%2F%3Fa%3D1%26b%3D2&y=2']

    assert.deepEqual(
      wanted.map((query) => productAddress(productWanted(`?${query}`), origins)),
      ['http://localhost:5173/shop/?a=1&b=2', 'https://app.example.com/?a=1&b=2'],
    )
  })
})
