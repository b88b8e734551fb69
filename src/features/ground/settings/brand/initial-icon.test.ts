import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { initialOf } from './initial-icon.ts'

describe('the letter instead of a logo', () => {
  for (const [name, letter] of [
    ['ostrea', 'O'],
    ['"Acme"', 'A'],
    ['<b>', 'B'],
    ['e\u0301clair', 'E\u0301'],
    ['شركة', 'ش'],
    ['🇩🇪 Reisen', 'R'],
    ['🇩🇪', '🇩🇪'],
    ['👨‍👩‍👧', '👨‍👩‍👧'],
    ['7up', '7'],
  ] as const) {
    it(`of ${name} is ${letter}`, () => assert.equal(initialOf(name), letter))
  }
})
