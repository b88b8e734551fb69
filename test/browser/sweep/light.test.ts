import { describe, it } from 'node:test'
import { lookAtEveryPage, READERS } from '../support/every-page.ts'

describe('every page in light', () => {
  it('passes axe, fits 320 pixels and 200 %, does not move, and can be used by keyboard in forced colours', () =>
    lookAtEveryPage(READERS.light))
})
