import { describe, it } from 'node:test'
import { assertPagesStayStill } from '../support/still-pages.ts'

describe('nothing that can be clicked moves when a response overtakes others', () => {
  it('on any page of a phone', () =>
    assertPagesStayStill({ next: 'newest', viewport: { width: 390, height: 844 } }))
})
