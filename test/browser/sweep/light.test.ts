import { describe, it } from 'node:test'
import { lookAtEveryPage } from '../support/every-page.ts'

describe('every page in light', () => {
  it('passes axe, fits 320 pixels and 200 %, and keeps still, whatever people have written', () =>
    lookAtEveryPage('light'))
})
