import { describe, it } from 'node:test'
import { READERS } from '../support/every-page.ts'
import { lookAtEveryState } from '../support/every-state.ts'

describe('dialogs of the console, and the consent of an application', () => {
  it('pass axe in light, fit 320 pixels and 200 %, do not move, and can be used by keyboard in forced colours', () =>
    lookAtEveryState(READERS.light))

  it('pass axe in dark and in Chinese, fit 320 pixels and 200 %, and do not move', () =>
    lookAtEveryState(READERS.dark))
})
