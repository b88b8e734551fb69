import { describe, it } from 'node:test'
import { assertPagesStayStill } from '../support/still-pages.ts'

describe('nothing that can be clicked moves when a response comes late', () => {
  it('on any page of a wide screen', () =>
    assertPagesStayStill({ next: 'oldest', viewport: { width: 1280, height: 832 } }))
})
