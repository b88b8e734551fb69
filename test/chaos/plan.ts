import { Dice } from './dice.ts'

/** The frequency of each act of users. */
const ACTS = {
  'sign in': 8,
  'sign in with an old password': 3,
  'change the password': 3,
  'reset the password': 3,
  'verify the address': 1,
  'verify where the sign-up was': 1,
  'sign out': 3,
  'sign out everywhere': 1,
  'use a session': 10,
  'use an ended session': 8,
  'connect with a code': 3,
  'connect a device': 2,
  refresh: 6,
  'use a grant': 6,
  'use an ended grant': 5,
  'revoke a grant': 2,
  rename: 4,
  'submit feedback': 12,
  'export the account': 5,
  'read credits': 5,
  'bind a code': 2,
  'mark as read': 6,
  'list notifications': 10,
  'count unread': 3,
  erase: 0.7,
} as const

const ADMINISTRATORS_ACTS = {
  publish: 2,
  edit: 6,
  archive: 1,
  'save settings': 8,
  'read settings': 8,
  'make codes': 1,
  'list codes': 2,
  'list feedback': 6,
  'list audit entries': 6,
  'list notifications': 4,
  'sign a user out': 1,
  'revoke a grant': 1,
  'delete a user': 0.4,
  'find a user': 3,
  'act as a user': 3,
  'use what acts': 9,
  'stop acting': 2,
} as const

export type Act = keyof typeof ACTS
export type AdministratorsAct = keyof typeof ADMINISTRATORS_ACTS

interface Planned<Name> {
  readonly act: Name
  /** Decides everything else about it. */
  readonly dice: Dice
}

/** The endless acts of one user's browser, one after the other. */
export function actsOf(seed: string, lane: string): Generator<Planned<Act>> {
  return plannedActs(new Dice(seed).named(lane), ACTS)
}

export function administratorsActs(seed: string, lane: string): Generator<Planned<AdministratorsAct>> {
  return plannedActs(new Dice(seed).named(lane), ADMINISTRATORS_ACTS)
}

function* plannedActs<Name extends string>(
  dice: Dice,
  weights: Readonly<Record<Name, number>>,
): Generator<Planned<Name>> {
  for (let i = 0; ; i++) yield { act: dice.weighed(weights), dice: dice.named(String(i)) }
}

interface PlannedFault<Name> {
  readonly fault: Name
  readonly afterMilliseconds: number
  readonly dice: Dice
}

/** The faults, and when they happen. */
export function* faultsOf<Name extends string>(
  seed: string,
  weights: Readonly<Record<Name, number>>,
): Generator<PlannedFault<Name>> {
  const dice = new Dice(seed).named('nemesis')
  for (let i = 0; ; i++) {
    const afterMilliseconds = 200 + dice.below(1_800)
    yield { fault: dice.weighed(weights), afterMilliseconds, dice: dice.named(String(i)) }
  }
}
