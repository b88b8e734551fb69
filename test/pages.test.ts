import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'vitest'
import { piecesOf } from '../src/rules/pieces.ts'

const assets = `${import.meta.dirname}/../dist/web/assets`

it('the pages carry no server code', () => {
  const scripts = readdirSync(assets).filter((name) => name.endsWith('.js'))
  const strays = scripts.filter((name) =>
    /kysely|node:sqlite|oauth4webapi|pbkdf2/i.test(readFileSync(`${assets}/${name}`, 'utf8')),
  )

  assert.ok(scripts.length > 0)
  assert.deepEqual(strays, [])
})

describe('the links in what people write', () => {
  it.for([
    ['a million dots', `http://x${'.'.repeat(1_000_000)}a`],
    ['addresses that end in a bracket', 'http://x.)'.repeat(100_000)],
    ['beginnings of addresses', 'http://'.repeat(140_000)],
  ] as const)('are found in one pass, also among %s, for which trying each would take hours', ([, text]) => {
    const pieces = piecesOf(text).map((piece) => piece.text)

    assert.ok(pieces.join('') === text)
  })

  it('end before the punctuation of their sentence', () => {
    const found = (text: string) => piecesOf(text).flatMap(({ url }) => url ?? [])

    assert.deepEqual(found('(See https://example.com/a.b?c=(d)...)!'), ['https://example.com/a.b?c=(d)'])
    assert.deepEqual(found('https://example.com/a, https://example.com/b。'), [
      'https://example.com/a',
      'https://example.com/b',
    ])
  })
})
