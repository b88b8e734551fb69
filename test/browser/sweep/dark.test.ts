import { describe, it } from 'node:test'
import { lookAtEveryPage, READERS } from '../support/every-page.ts'

describe('every page in dark, in Chinese', () => {
  it('passes axe, fits 320 pixels and 200 %, and does not move, whatever people have written', () =>
    lookAtEveryPage(READERS.dark))
})
