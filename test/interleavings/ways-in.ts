import type { AuthenticatorApp } from '../service/devices/factors.ts'
import type { SecurityKey } from '../service/devices/security-key.ts'

/** Every credential that was made, by name, whether or not it signs in. */
export interface Made {
  readonly passwords: Set<string>
  readonly keys: Map<string, SecurityKey>
  /** Ids of members of the community. */
  readonly members: Map<string, number>
  readonly apps: Map<string, AuthenticatorApp>
  /** One backup code of each ten. */
  readonly codes: Map<string, string>
}

/** The ways to sign in that the user was told of. */
export interface WaysIn {
  readonly password: string | undefined
  readonly keys: readonly string[]
  readonly members: readonly string[]
  readonly app: string | undefined
  readonly codes: string | undefined
  readonly isProven: boolean
  readonly isSuspended: boolean
}

const NONE = { password: undefined, keys: [], members: [], app: undefined, codes: undefined } as const

export function onlyWith(ways: Pick<Partial<WaysIn>, 'password' | 'keys'>): WaysIn {
  return { ...NONE, ...ways, isProven: false, isSuspended: false }
}

type Effect = (before: WaysIn, n: number, prepared: WaysIn) => WaysIn

/**
 * The effect that each act on credentials has acknowledged when it returns `done`. Written from the specification,
 * without a look at the stores.
 */
const EFFECTS: Readonly<Record<string, Effect>> = {
  change: (before, n) => ({ ...before, password: passwordOf('change', n) }),
  reset: afterReset('reset'),
  'reset by code': afterReset('reset by code'),
  verify: (before) => ({ ...before, ...(before.isProven ? {} : NONE), isProven: true }),
  'verify here': (before) => ({ ...before, isProven: true }),
  'verify in a session': (before) => ({ ...before, isProven: true }),
  link: (before, n) => ({ ...before, members: [...before.members, `member ${n}`] }),
  unlink: (before) => ({ ...before, members: [] }),
  'add passkey': (before, n) => ({ ...before, keys: [...before.keys, `passkey ${n}`] }),
  'remove passkey': (before, n) => ({ ...before, keys: without(before.keys, `passkey ${n}`) }),
  'remove first passkey': (before) => ({ ...before, keys: without(before.keys, 'first passkey') }),
  // Its backup codes were shown before; those that were renewed since stay.
  'confirm app': (before, n, prepared) => ({
    ...before,
    app: `app ${n}`,
    codes: before.codes === prepared.codes ? `codes ${n}` : before.codes,
  }),
  'remove app': (before) => ({ ...before, app: undefined }),
  'renew codes': (before, n) => ({ ...before, codes: `renewed ${n}` }),
  'reset factors': (before) => ({ ...before, keys: [], app: undefined }),
  'mark verified': (before) => before,
  'end by administrator': (before) => before,
  suspend: (before) => ({ ...before, isSuspended: true }),
  restore: (before) => ({ ...before, isSuspended: false }),
  erase: (before) => ({ ...before, ...NONE }),
  'accept with a password': (before, n) => ({
    ...before,
    password: passwordOf('accept with a password', n),
    isProven: true,
  }),
  'accept with a passkey': (before, n) => ({
    ...before,
    keys: [...before.keys, `passkey ${n}`],
    isProven: true,
  }),
  'invite again': (before) => before,
}

/** Removes what was there before the proof, which is itself one. An app stays after a proof. */
function afterReset(name: string): Effect {
  return (before, n, prepared) => ({
    ...before,
    password: passwordOf(name, n),
    keys: before.isProven ? without(before.keys, ...prepared.keys) : [],
    members: before.isProven ? without(before.members, ...prepared.members) : [],
    app: before.isProven ? before.app : undefined,
    isProven: true,
  })
}

/** The credential an act sets; `n` tells two of a kind apart. */
export function passwordOf(act: string, n: number): string {
  return `the walk of ${act} ${n}`
}

/** The names of what signs in after these acts, one after the other; undefined if one of them is not about that. */
export function promised(
  prepared: WaysIn,
  names: readonly [string, string],
  told: readonly string[],
  order: readonly (0 | 1)[],
): readonly string[] | undefined {
  let ways = prepared
  for (const i of order) {
    const effect = EFFECTS[names[i]]
    if (!effect) return undefined
    if (told[i] === 'done') ways = withCodesOfFactors(effect(ways, i + 1, prepared))
  }
  const { password, keys, members, app, codes, isSuspended } = ways
  if (isSuspended) return []
  // An app and backup codes are second steps, which are reached by a first one.
  const afterPassword = password === undefined ? [] : [password, app, codes]
  return [...afterPassword, ...keys, ...members].filter((name) => name !== undefined).toSorted()
}

/** Backup codes go with the last factor. */
function withCodesOfFactors(ways: WaysIn): WaysIn {
  return ways.app === undefined && ways.keys.length === 0 ? { ...ways, codes: undefined } : ways
}

function without(names: readonly string[], ...gone: readonly string[]): readonly string[] {
  return names.filter((name) => !gone.includes(name))
}
