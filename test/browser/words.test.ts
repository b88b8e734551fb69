import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { STATUS } from '../../src/rules/refusal.ts'
import { SCOPES } from '../../src/rules/scopes.ts'
import { en } from '../../web/src/texts/en.ts'
import { zh } from '../../web/src/texts/zh.ts'

const catalogues = { English: en, Chinese: zh }

describe('the catalogue', () => {
  for (const [language, texts] of Object.entries(catalogues)) {
    it(`has words in ${language} for every code that the service refuses with`, () => {
      const missing = Object.keys(STATUS).filter((code) => !(code in texts.failures))
      assert.deepEqual(missing, [])
    })

    it(`has words in ${language} for every scope`, () => {
      const missing = Object.keys(SCOPES).filter((scope) => !(scope in texts.scopes))
      assert.deepEqual(missing, [])
    })
  }
})
