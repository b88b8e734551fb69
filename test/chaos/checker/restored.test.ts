import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { type Deed, History, type Outcome } from '../history.ts'
import { checkRestored } from './restored.ts'

const QUIET = '#restored'

const signUp: Deed = { kind: 'sign-up', user: 'ann', password: 'ann begins', session: 's1' }
const endSession: Deed = { kind: 'end-session', user: 'ann', session: 's1' }
const feedback: Deed = { kind: 'feedback', user: 'ann', content: 'f1' }

function listed(...contents: readonly string[]): Deed {
  return { kind: 'list-feedback', user: 'ann', contents, total: contents.length, whole: false }
}

function used(alive: boolean): Deed {
  return { kind: 'use-session', user: 'ann', session: 's1', alive }
}

interface Acts {
  readonly before?: readonly Deed[]
  /** Under way while the backup is made. */
  readonly beside?: readonly Deed[]
  readonly after?: readonly Deed[]
  /** Read in the restored service. */
  readonly read: readonly Deed[]
}

function rulesBroken({ before = [], beside = [], after = [], read }: Acts): readonly string[] {
  const history = new History()
  const done = (deed: Deed, chain = 'ann1', outcome: Outcome = 'done') =>
    history.end(history.begin(deed, chain, 'one'), outcome, '200')
  for (const deed of before) done(deed)
  const begun = history.tick()
  const open = beside.map((deed) => history.begin(deed, 'ann1', 'one'))
  const ended = history.tick()
  for (const entry of open) history.end(entry, 'done', '200')
  for (const deed of after) done(deed)
  const elsewhere = new History()
  for (const deed of read) elsewhere.end(elsewhere.begin(deed, QUIET, 'restored'), 'done', '200')
  return checkRestored(history.entries, { begun, ended }, elsewhere.entries).map(({ rule }) => rule)
}

describe('the history of a backup that was restored elsewhere', () => {
  it('has all that was over before the backup', () => {
    assert.deepEqual(rulesBroken({ before: [signUp, feedback], read: [listed('f1'), used(true)] }), [])
    assert.deepEqual(rulesBroken({ before: [signUp, feedback], read: [listed()] }), ['nothing acknowledged is lost'])
  })

  it('has what was under way, or not', () => {
    const acts = { before: [signUp], beside: [feedback, endSession] }

    assert.deepEqual(rulesBroken({ ...acts, read: [listed('f1'), used(false)] }), [])
    assert.deepEqual(rulesBroken({ ...acts, read: [listed(), used(true)] }), [])
  })

  it('has nothing that came after the backup', () => {
    const rule = 'what came after a backup is not in it'
    const found: Deed = { kind: 'find-user', user: 'ann', found: true }

    assert.deepEqual(rulesBroken({ before: [signUp], after: [feedback], read: [listed('f1')] }), [rule])
    assert.deepEqual(rulesBroken({ after: [signUp], read: [found, used(true)] }), [rule, rule])
    assert.deepEqual(rulesBroken({ before: [signUp], after: [feedback, endSession], read: [listed(), used(true)] }), [])
  })

  it('keeps ended what was ended before the backup', () => {
    assert.deepEqual(rulesBroken({ before: [signUp, endSession], read: [used(false)] }), [])
    assert.deepEqual(rulesBroken({ before: [signUp, endSession], read: [used(true)] }), [
      'what was ended stays ended, in every process',
    ])
  })
})
