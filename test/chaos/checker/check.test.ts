import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { type Deed, History, type Outcome, OWN_BROWSER } from '../history.ts'
import { actsOf, administratorsActs, faultsOf } from '../plan.ts'
import { told } from '../report.ts'
import { check } from './check.ts'

interface How {
  readonly chain?: string
  readonly at?: string
  readonly outcome?: Outcome
  readonly status?: string
}

/** A history, one act after the other; `during` runs while an act is under way. */
class Told extends History {
  add(deed: Deed, { chain = 'ann1', at = 'one', outcome = 'done', status = '200' }: How = {}, during?: () => void) {
    const entry = this.begin(deed, chain, at)
    during?.()
    this.end(entry, outcome, status)
    return this
  }
}

const signUp: Deed = { kind: 'sign-up', user: 'ann', password: 'ann begins', session: 's1' }
const alive: Deed = { kind: 'use-session', user: 'ann', session: 's1', alive: true }
const dead: Deed = { kind: 'use-session', user: 'ann', session: 's1', alive: false }
const changed: Deed = { kind: 'set-password', user: 'ann', to: 'new', by: 'change everywhere', session: 's9' }
const provenByOwner: Deed = { kind: 'verify', user: 'ann', by: OWN_BROWSER, code: 'ann.code1' }
const connect: Deed = { kind: 'connect', user: 'ann', grant: 'g1' }
const useGrant: Deed = { kind: 'use-grant', user: 'ann', grant: 'g1', issued: 2, alive: true }
const actAs: Deed = { kind: 'act-as', user: 'ann', acting: 'a1' }
const acts: Deed = { kind: 'use-acting', user: 'ann', acting: 'a1', alive: true }
const published: Deed = { kind: 'publish', notification: 'n1' }
const REFUSED = { outcome: 'refused', status: '401 INVALID_EMAIL_OR_PASSWORD' } as const
const QUIET = { chain: '#1' }

function signedIn(password: string, session: string): Deed {
  return { kind: 'sign-in', user: 'ann', password, session }
}

function listed(version: number, read = false): Deed {
  return {
    kind: 'list-notifications',
    user: 'ann',
    items: [{ notification: 'n1', version, read }],
    total: 1,
  }
}

const nothingListed: Deed = { kind: 'list-notifications', user: 'ann', items: [], total: 0 }

function feedbackOf(contents: readonly string[], total = contents.length): Deed {
  return { kind: 'list-feedback', user: 'ann', contents, total, whole: false }
}

function saved(expected: number, version: number, value: string): Deed {
  return { kind: 'save', expected, version, value }
}

/** The fault that each rule has to find, in the fewest acts. */
const FAULTS: Readonly<Record<string, () => History>> = {
  'no request breaks the service': () => new Told().add(signUp, { outcome: 'unknown', status: '500 INTERNAL_ERROR' }),
  'a healed service answers': () => new Told().add(signUp, { ...QUIET, outcome: 'unknown', status: '503' }),
  'what was ended stays ended, in every process': () =>
    new Told().add(signUp).add({ kind: 'end-session', user: 'ann', session: 's1' }).add(alive, { at: 'two' }),
  'what was ended stays ended, in every process: a grant': () =>
    new Told().add(signUp).add(connect).add({ kind: 'end-grant', user: 'ann', grant: 'g1' }).add(useGrant),
  'what was ended stays ended, in every process: a grant after a reset': () =>
    new Told()
      .add(signUp)
      .add(connect)
      .add({ ...changed, by: 'reset' } as Deed)
      .add(useGrant),
  'what was ended stays ended, in every process: acting as a user': () =>
    new Told().add(actAs).add({ kind: 'end-acting', user: 'ann', acting: 'a1' }).add(acts, { at: 'two' }),
  'what was ended stays ended, in every process: acting as a user who has signed out everywhere': () =>
    new Told().add(signUp).add(actAs).add({ kind: 'end-sessions', user: 'ann', kept: 's1', tools: false }).add(acts),
  'what is deleted is gone everywhere: acting as a user': () =>
    new Told().add(signUp).add(actAs).add({ kind: 'erase', user: 'ann' }).add(acts),
  'what was not ended goes on': () => new Told().add(signUp).add(dead),
  'what was not ended goes on: a grant': () =>
    new Told()
      .add(signUp)
      .add(connect)
      .add({ ...useGrant, alive: false } as Deed),
  'an old password opens nothing': () => new Told().add(signUp).add(changed).add(signedIn('ann begins', 's2')),
  'an old password opens nothing: a sign-in beside the change': () => {
    const told = new Told().add(signUp)
    told.add(changed, {}, () => told.add(signedIn('ann begins', 's2'), { chain: 'ann2' }))
    return told.add({ ...alive, session: 's2' } as Deed)
  },
  'nothing acknowledged is lost: a password': () =>
    new Told().add(signUp).add(changed).add(signedIn('new', ''), REFUSED),
  'nothing acknowledged is lost: a password after a proof where the sign-up was': () =>
    new Told().add(signUp).add(changed).add(provenByOwner).add(signedIn('new', ''), REFUSED),
  'what was not ended goes on: a session after a proof where the sign-up was': () =>
    new Told().add(signUp).add(provenByOwner).add(dead),
  'what was not ended goes on: a session after a sign-out from the one before it': () =>
    new Told()
      .add(signUp)
      .add({ ...changed, ended: 's1' } as Deed)
      .add({ kind: 'end-session', user: 'ann', session: 's1' })
      .add({ ...dead, session: 's9' } as Deed),
  'nothing acknowledged is lost: feedback': () =>
    new Told().add({ kind: 'feedback', user: 'ann', content: 'f1' }).add(feedbackOf([])),
  'nothing acknowledged is lost: a user': () =>
    new Told().add(signUp).add({ kind: 'find-user', user: 'ann', found: false }, QUIET),
  'nothing acknowledged is lost: a notification': () => new Told().add(published).add(nothingListed, QUIET),
  'nothing acknowledged is lost: an edit': () =>
    new Told().add(published).add({ kind: 'edit', notification: 'n1', version: 1 }).add(listed(0), QUIET),
  'nothing acknowledged is lost: a beta code': () =>
    new Told().add({ kind: 'bind', user: 'ann', code: 'c1' }).add({ kind: 'list-codes', bound: [] }, QUIET),
  'what was refused is not done': () =>
    new Told()
      .add({ kind: 'feedback', user: 'ann', content: 'f1' }, { outcome: 'refused', status: '400' })
      .add(feedbackOf(['f1'])),
  'nothing is done twice': () => new Told().add(feedbackOf(['f1', 'f1'])),
  'own writes are read: a name': () =>
    new Told()
      .add(signUp)
      .add({ kind: 'rename', user: 'ann', name: 'new' })
      .add({ ...alive, name: 'ann.name0' } as Deed),
  'own writes are read: a name that nobody wrote': () => new Told().add(signUp).add({ ...alive, name: 'eve' } as Deed),
  'own writes are read: a mark': () => new Told().add({ kind: 'mark', user: 'ann', notification: 'n1' }).add(listed(0)),
  'own writes are read: a setting': () =>
    new Told().add(saved(1, 2, 'a')).add({ kind: 'read-settings', version: 1, value: '' }, { at: 'two' }),
  'versions grow by one, and name one content: twice the same': () =>
    new Told().add(saved(1, 2, 'a')).add(saved(1, 2, 'b')),
  'versions grow by one, and name one content: a step too far': () => new Told().add(saved(1, 3, 'a')),
  'versions grow by one, and name one content: a content that nobody saved': () =>
    new Told().add({ kind: 'read-settings', version: 4, value: 'x' }, QUIET),
  'each credit counts once': () => new Told().add({ kind: 'credits', user: 'ann', balance: 14 }),
  'each credit counts once: while being moved': () => new Told().add({ kind: 'credits', user: 'ann', balance: 0 }),
  'each credit counts once: an entry': () =>
    new Told().add({ kind: 'credit-entries', user: 'ann', sources: ['signup', 'signup'], total: 2 }),
  'total counts the rows': () => new Told().add({ ...nothingListed, total: 3 } as Deed),
  'total counts the rows: of feedback': () => new Told().add(feedbackOf(['f1'], 2)),
  'total counts the rows: of the audit log': () =>
    new Told().add({ kind: 'list-audit', user: 'ann', rows: 3, total: 2 }),
  'the read filter filters': () => new Told().add({ ...listed(0, true), read: false } as Deed),
  'reads are monotonic: missing': () => new Told().add(listed(0)).add(nothingListed, { at: 'two' }),
  'reads are monotonic: older': () => new Told().add(listed(3)).add(listed(2), { at: 'two' }),
  'a code counts once: beta': () =>
    new Told().add({ kind: 'bind', user: 'ann', code: 'c1' }).add({ kind: 'bind', user: 'ben', code: 'c1' }),
  'a code counts once: mailed': () =>
    new Told().add({ ...changed, code: '1' } as Deed).add({ ...changed, code: '1', to: 'newer' } as Deed),
  'what is deleted is gone everywhere': () =>
    new Told()
      .add(signUp)
      .add({ kind: 'erase', user: 'ann' })
      .add({ kind: 'find-user', user: 'ann', found: true }, QUIET),
  'every process answers the same': () => new Told().add(listed(0), QUIET).add(listed(1), { ...QUIET, at: 'two' }),
  'unread is the list': () =>
    new Told()
      .add({ ...listed(0), read: false } as Deed, QUIET)
      .add({ kind: 'count-unread', user: 'ann', count: 0 }, QUIET),
}

describe('the checker', () => {
  for (const [name, make] of Object.entries(FAULTS)) {
    it(`finds: ${name}`, () => {
      const { entries } = make()

      const violations = check(entries)

      const [rule = ''] = name.split(': ')
      assert.ok(
        violations.some((violation) => violation.rule === rule),
        violations.map((violation) => told(violation, entries)).join('\n') || 'nothing was found',
      )
    })
  }

  it('finds nothing in a history without a fault', () => {
    const told = new Told()
      .add(signUp)
      .add(alive)
      .add(connect)
      .add(useGrant)
      .add(actAs)
      .add(acts)
      .add({ kind: 'feedback', user: 'ann', content: 'f1' })
      .add(feedbackOf(['f1']))
      .add(published)
      .add(listed(0))
      .add({ kind: 'mark', user: 'ann', notification: 'n1' })
      .add(listed(0, true))
      .add(saved(1, 2, 'a'))
      .add({ kind: 'read-settings', version: 2, value: 'a' }, QUIET)
      .add(changed)
      .add(dead)
      .add({ ...useGrant, alive: false } as Deed)
      .add(signedIn('ann begins', ''), REFUSED)
      .add({ kind: 'erase', user: 'ann' })
      .add({ kind: 'find-user', user: 'ann', found: false }, QUIET)

    assert.deepEqual(check(told.entries), [])
  })

  it('allows an act without a response to have happened, or not', () => {
    const unknown = { outcome: 'unknown', status: 'ECONNRESET' } as const
    const write: Deed = { kind: 'feedback', user: 'ann', content: 'f1' }
    const there = new Told().add(write, unknown).add(feedbackOf(['f1']))
    const absent = new Told().add(write, unknown).add(feedbackOf([]))
    const ended = new Told().add(signUp).add({ kind: 'end-session', user: 'ann', session: 's1' }, unknown)

    assert.deepEqual(check(there.entries), [])
    assert.deepEqual(check(absent.entries), [])
    assert.deepEqual(check(ended.add(alive).add(dead).entries), [])
  })

  it('allows a sign-out during a change of the password to end the session that it makes', () => {
    const told = new Told().add(signUp)
    told.add({ ...changed, ended: 's1' } as Deed, {}, () =>
      told.add({ kind: 'end-session', user: 'ann', session: 's1' }),
    )

    assert.deepEqual(check(told.add({ ...dead, session: 's9' } as Deed).entries), [])
  })

  it('allows what a lossy promotion took to be gone, and nothing that came before it', () => {
    const write: Deed = { kind: 'feedback', user: 'ann', content: 'f1' }
    const within = new Told()
    within.add({ kind: 'lossy' }, { chain: 'nemesis' }, () => within.add(write)).add(feedbackOf([]))
    const before = new Told().add(write).add({ kind: 'lossy' }, { chain: 'nemesis' }).add(feedbackOf([]))

    const named = new Told().add(signUp)
    named.add({ kind: 'lossy' }, { chain: 'nemesis' }, () => named.add({ kind: 'rename', user: 'ann', name: 'new' }))
    named.add({ ...alive, name: 'ann.name0' } as Deed)

    assert.deepEqual(check(within.entries), [])
    assert.deepEqual(check(named.entries), [])
    assert.equal(check(before.entries).length, 1)
  })
})

describe('a plan', () => {
  it('is the same for the same seed, and another one for another', () => {
    const first = (seed: string) => [
      taken(actsOf(seed, 'ann1')).map(({ act, dice }) => [act, dice.share()]),
      taken(administratorsActs(seed, 'editor')).map(({ act }) => act),
      taken(faultsOf(seed, { a: 1, b: 2 })).map(({ fault, afterMilliseconds }) => [fault, afterMilliseconds]),
    ]

    assert.deepEqual(first('a seed'), first('a seed'))
    assert.notDeepEqual(first('a seed'), first('another'))
  })
})

function taken<T>(plan: Generator<T>): readonly T[] {
  return Array.from({ length: 50 }, () => plan.next().value)
}

describe('a report', () => {
  it('shows the acts that contradict, those of their kind, and the faults between; nothing else', () => {
    const history = new Told()
      .add(signUp)
      .add({ kind: 'feedback', user: 'ann', content: 'f0' })
      .add(saved(1, 2, 'a'))
      .add({ kind: 'end-session', user: 'ann', session: 's1' })
      .add({ kind: 'fault', fault: 'a process is killed', words: 'two' }, { chain: 'nemesis' })
      .add(alive, { at: 'two' })
    const [violation] = check(history.entries)
    assert.ok(violation)

    const lines = told(violation, history.entries).split('\n')

    assert.deepEqual(
      lines.slice(1).map((line) => / (sign-up|end-session|fault|use-session) /.exec(line)?.[1]),
      ['sign-up', 'end-session', 'fault', 'use-session'],
    )
    assert.match(lines[0] ?? '', /s1 at two was ended, and is alive/)
  })
})
