import { type Deed, type Entry, OWN_BROWSER } from '../history.ts'
import { type Fact, type Facts, isBefore, mayPrecede, type Violation, violation } from './facts.ts'

/** An act that ends a session or a grant, unless it was before the beginning. */
type Ender = Entry
/** The beginning of an access, and everything that could have ended it. */
interface Access {
  readonly began: Entry
  readonly enders: readonly Ender[]
  /** Acts that may have ended it, and need not. */
  readonly perhaps: readonly Ender[]
}

const DEAD = 'what was ended stays ended, in every process'
const ALIVE = 'what was not ended goes on'

export function sessionsStayEnded(facts: Facts): readonly Violation[] {
  const began = sessionsOf(facts)
  const enders = Map.groupBy(
    [
      ...facts.of('end-session'),
      ...facts.of('end-sessions'),
      ...facts.of('set-password'),
      ...facts.of('verify'),
      ...facts.of('erase'),
    ],
    ({ deed }) => deed.user,
  )
  return facts.done('use-session').flatMap((use) => {
    const { session, user, alive } = use.deed
    const start = began.get(session)
    if (!start || alive === undefined) return []
    const all = enders.get(user) ?? []
    const access = {
      began: start,
      enders: all.filter((ender) => endsSession(ender, session)),
      perhaps: all.filter((ender) => endsFormerOf(start, ender)),
    }
    return judged(use, alive, access, [user, session])
  })
}

/** A sign-out at the moment of a change of the password ends the session that the change puts in its place. */
function endsFormerOf(began: Entry, ender: Ender): boolean {
  const former = began.deed.kind === 'set-password' ? began.deed.ended : undefined
  return ender.deed.kind === 'end-session' && ender.deed.session === former && !isBefore(began, ender)
}

/** Verifying an address ends what others began; who began what is not checked here. */
function endsSession({ deed }: Ender, session: string): boolean {
  switch (deed.kind) {
    case 'end-session':
      return deed.session === session
    case 'end-sessions':
      return deed.kept !== session
    case 'set-password':
      return deed.session !== session && (deed.by !== 'change' || deed.ended === session)
    case 'verify':
      return deed.by !== session && deed.by !== OWN_BROWSER
    default:
      return true
  }
}

function sessionsOf(facts: Facts): ReadonlyMap<string, Entry> {
  const makers = [...facts.of('sign-up'), ...facts.of('sign-in'), ...facts.of('set-password')]
  return new Map(makers.flatMap((entry) => (entry.deed.session ? [[entry.deed.session, entry] as const] : [])))
}

export function grantsStayEnded(facts: Facts): readonly Violation[] {
  const began = new Map(facts.of('connect').map((entry) => [entry.deed.grant, entry]))
  const enders = Map.groupBy(
    [
      ...facts.of('end-grant'),
      ...facts.of('end-sessions'),
      ...facts.of('set-password'),
      ...facts.of('verify'),
      ...facts.of('erase'),
    ],
    ({ deed }) => deed.user,
  )
  const refreshes = Map.groupBy(facts.of('refresh'), ({ deed }) => deed.grant)
  return facts.done('use-grant').flatMap((use) => {
    const { grant, user, alive, issued } = use.deed
    const start = began.get(grant)
    if (!start || alive === undefined) return []
    const all = (enders.get(user) ?? []).filter((ender) => endsGrant(ender, grant))
    // A newer access token soon ends the older one; a refresh that may have been lost ends certainty.
    const newer = (refreshes.get(grant) ?? []).filter(
      (refresh) => mayPrecede(refresh, use) && (refresh.ended > issued || refresh.outcome === 'unknown'),
    )
    if (!alive && newer.length > 0) return []
    return judged(use, alive, { began: start, enders: all, perhaps: [] }, [user, grant])
  })
}

/** It may end by itself, so only what goes on after an end is wrong. */
export function actingStaysEnded(facts: Facts): readonly Violation[] {
  const began = new Map(facts.of('act-as').map((entry) => [entry.deed.acting, entry]))
  const enders = Map.groupBy(
    [...facts.of('end-acting'), ...facts.of('end-sessions'), ...facts.of('set-password'), ...facts.of('erase')],
    ({ deed }) => deed.user,
  )
  return facts.done('use-acting').flatMap((use) => {
    const { acting, user, alive } = use.deed
    const start = began.get(acting)
    if (!start || !alive) return []
    const all = (enders.get(user) ?? []).filter((ender) => endsActing(ender, acting))
    return judged(use, alive, { began: start, enders: all, perhaps: [] }, [user, acting])
  })
}

function endsActing({ deed }: Ender, acting: string): boolean {
  if (deed.kind === 'end-acting') return deed.acting === acting
  return deed.kind !== 'set-password' || deed.by !== 'change'
}

function endsGrant({ deed }: Ender, grant: string): boolean {
  switch (deed.kind) {
    case 'end-grant':
      return deed.grant === grant
    case 'end-sessions':
      return deed.tools
    case 'set-password':
      return deed.by !== 'change'
    case 'verify':
      return deed.by !== OWN_BROWSER
    default:
      return true
  }
}

function judged(
  use: Fact<'use-session'> | Fact<'use-grant'> | Fact<'use-acting'>,
  isAlive: boolean,
  { began, enders, perhaps }: Access,
  about: readonly string[],
): readonly Violation[] {
  const where = `${about.at(-1)} at ${use.at}`
  const killer = enders.find(
    (ender) => ender.outcome === 'done' && isBefore(began, ender) && isBefore(ender, use) && isCertain(ender),
  )
  if (isAlive && killer) return [violation(DEAD, about, `${where} was ended, and is alive`, began, killer, use)]
  const possible = [...enders, ...perhaps].some((ender) => mayPrecede(ender, use) && !isBefore(ender, began))
  const isLost = !isAlive && began.outcome === 'done' && isBefore(began, use) && !possible
  return isLost ? [violation(ALIVE, about, `${where} was not ended, and is dead`, began, use)] : []
}

/** The first proof of an address ends what a stranger began; here everybody is the owner, and it may end nothing. */
function isCertain({ deed }: Ender): boolean {
  return deed.kind !== 'verify'
}

/** A sign-in with a password that was replaced everywhere meanwhile leaves nothing, whichever was first. */
export function oldPasswordsLeaveNoSession(facts: Facts): readonly Violation[] {
  const signIns = new Map(facts.done('sign-in').map((entry) => [entry.deed.session, entry]))
  const writes = Map.groupBy([...facts.of('sign-up'), ...facts.of('set-password')], ({ deed }) => deed.user)
  return facts.done('use-session').flatMap((use) => {
    const signIn = signIns.get(use.deed.session)
    if (!signIn || use.deed.alive !== true) return []
    const { user, password } = signIn.deed
    const all = writes.get(user) ?? []
    const source = all.find(({ deed }) => passwordOf(deed) === password)
    const replaced = all.find(
      (change) => source && isBefore(source, change) && isBefore(change, use) && replacesEverywhere(change),
    )
    if (!replaced) return []
    const words = `${use.deed.session} was opened with a password that was replaced everywhere`
    return [violation('an old password opens nothing', [user, use.deed.session], words, signIn, replaced, use)]
  })
}

function replacesEverywhere({ outcome, deed }: Entry): boolean {
  return outcome === 'done' && deed.kind === 'set-password' && deed.by !== 'change'
}

export function passwordOf(deed: Deed): string | undefined {
  if (deed.kind === 'set-password') return deed.to
  return deed.kind === 'sign-up' ? deed.password : undefined
}
