import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'

const PAGES = new URL('../../../web/src/routing/return-path.ts', import.meta.url).href

describe('where the pages go after sign-in', () => {
  let ownPath: (next: string | null) => string

  before(async () => {
    Object.assign(globalThis, { location: { origin: 'http://localhost:5173' } })
    ;({ ownPath } = await import(PAGES))
  })

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
