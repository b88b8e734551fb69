import { COME_AGAIN, type Outcome } from './acts.ts'
import type { End, Names } from './end.ts'
import type { Footprint } from './footprint.ts'

/** The results of two acts that do not overlap. */
interface Ends {
  readonly first: End
  readonly second: End
  readonly alone: End
  readonly otherAlone: End
  readonly neither: End
}

/** The allowed ends: one act after the other, either first; or one that was refused and left nothing. */
export function overtaken(names: Names, ends: Ends): readonly End[] {
  const { first, second, alone, otherAlone, neither } = ends
  // Overtaken at any moment, an act is refused as if it had come after the other.
  const ofFirst = refusals(second.told[0], ifOvertaken(...names))
  const ofSecond = refusals(first.told[1], ifOvertaken(names[1], names[0]))
  const all = [
    first,
    second,
    ...ofSecond.map((code) => ({ ...alone, told: [alone.told[0] ?? '', code] })),
    ...ofFirst.map((code) => ({ ...otherAlone, told: [code, otherAlone.told[1] ?? ''] })),
    ...ofFirst.flatMap((code) => ofSecond.map((other) => ({ ...neither, told: [code, other] }))),
    ...[first, second].flatMap((end, i) => (names[i] === 'approve' ? deniedMeanwhile(end, i) : [])),
    // Done, and the user is gone before the response is made.
    ...[first, second].flatMap(({ told, footprint }, i) =>
      names[i] === 'confirm app' && names[1 - i] === 'erase' ? [{ told: told.with(i, 'NOT_FOUND'), footprint }] : [],
    ),
    // Two moves can take over from each other, and a job then finishes the move.
    ...(names.every((name) => name === 'move')
      ? [{ told: ['MoveTakenOver', 'MoveTakenOver'], footprint: first.footprint }]
      : []),
    ...[otherAlone, alone].flatMap((end, i) =>
      names[i] === 'approve' && names[1 - i] === 'sign out' ? leftMeanwhile(end, i) : [],
    ),
  ]
  // A request for something that is done at the same moment can be told that it is done.
  return names[0] === names[1] && CAN_BE_DONE_TWICE.has(names[0])
    ? [
        ...all,
        ...all
          .filter(({ told }) => told.includes('done'))
          .map(({ footprint }) => ({ told: ['done', 'done'], footprint })),
      ]
    : all
}

/** A session that ends between the two requests of an approval takes along what the first of them began. */
function deniedMeanwhile({ told, footprint }: End, approval: number): readonly End[] {
  const { requests, entries, letters } = footprint
  if (!Array.isArray(requests) || !Array.isArray(entries) || !requests.includes('denied')) return []
  const others = entries.toSpliced(entries.indexOf('authorization.approved'), 1)
  return refusedApproval(told, approval, { ...footprint, entries: others, letters: Number(letters) - 1 })
}

/** A sign-out leaves what the session began as it is: nobody can approve it. */
function leftMeanwhile({ told, footprint }: End, approval: number): readonly End[] {
  const { requests } = footprint
  if (!Array.isArray(requests)) return []
  return refusedApproval(told, approval, { ...footprint, requests: [...requests, 'pending'].toSorted() })
}

function refusedApproval(told: End['told'], approval: number, footprint: Footprint): readonly End[] {
  return ['NOT_FOUND', 'UNAUTHORIZED'].map((code) => ({ told: told.with(approval, code), footprint }))
}

function refusals(told: Outcome | undefined, others: readonly Outcome[]): readonly Outcome[] {
  return [...(told === undefined || told === 'done' ? [] : [told]), ...others]
}

interface Overtaken {
  readonly act: string
  /** Undefined for any act. */
  readonly by?: readonly string[]
  readonly told: readonly Outcome[]
}

const NEW_CREDENTIAL = ['change', 'reset', 'reset by code', 'verify']

/** Refusals that only an overlap explains: an act that comes before or after the other never gets them. */
const IF_OVERTAKEN: readonly Overtaken[] = [
  { act: 'submit feedback', told: [COME_AGAIN, 'UNAUTHORIZED'] },
  { act: 'bind', told: ['UNAUTHORIZED', 'NOT_FOUND'] },
  { act: 'link', told: ['unauthorized', 'state_invalid'] },
  { act: 'approve', told: ['NOT_FOUND', 'UNAUTHORIZED'] },
  { act: 'second step', told: ['INVALID_TWO_FACTOR_COOKIE', 'INVALID_CODE'] },
  { act: 'second step', by: ['erase'], told: ['NOT_FOUND'] },
  { act: 'second step', by: ['suspend'], told: ['ACCOUNT_SUSPENDED'] },
  { act: 'sign in with a provider', told: ['unauthorized'] },
  { act: 'verify in a session', told: ['INVALID_OTP'] },
  { act: 'refresh', told: ['invalid_grant'] },
  { act: 'redeem', told: ['invalid_grant'] },
  { act: 'reset', told: ['INVALID_OTP'] },
  { act: 'verify', told: ['INVALID_OTP'] },
  { act: 'verify here', told: ['INVALID_OTP'] },
  { act: 'accept with a password', told: ['INVALID_OTP'] },
  { act: 'accept with a passkey', told: ['INVALID_OTP'] },
  { act: 'invite again', told: ['USER_ALREADY_EXISTS'] },
  { act: 'reset by code', told: ['INVALID_OTP'] },
  { act: 'suspend', by: ['erase'], told: ['NOT_FOUND'] },
  { act: 'change', told: ['UNAUTHORIZED'] },
  { act: 'change', by: [...NEW_CREDENTIAL, 'erase'], told: ['INVALID_EMAIL_OR_PASSWORD'] },
  { act: 'erase', told: ['UNAUTHORIZED'] },
  { act: 'erase', by: [...NEW_CREDENTIAL, 'erase'], told: ['INVALID_EMAIL_OR_PASSWORD', 'NOT_FOUND'] },
  ...['restore', 'reset factors', 'mark verified', 'end by administrator'].map((act) => ({
    act,
    by: ['erase'],
    told: ['NOT_FOUND'],
  })),
  { act: 'remove app', by: [...NEW_CREDENTIAL, 'erase'], told: ['INVALID_EMAIL_OR_PASSWORD'] },
  { act: 'renew codes', by: [...NEW_CREDENTIAL, 'erase'], told: ['INVALID_EMAIL_OR_PASSWORD'] },
  // Without the session that has ended, it is taken for a second step.
  { act: 'confirm app', told: ['NOT_FOUND', 'INVALID_CODE', 'INVALID_TWO_FACTOR_COOKIE'] },
  ...[
    'confirm app',
    'remove app',
    'renew codes',
    'add passkey',
    'remove passkey',
    'remove first passkey',
    'unlink',
    'make token',
  ].map((act) => ({ act, told: ['UNAUTHORIZED'] })),
  ...['end one', 'end others', 'end all'].map((act) => ({ act, told: ['UNAUTHORIZED', 'NOT_FOUND'] })),
  { act: 'move', told: ['MoveTakenOver', 'MoveRefused', 'NotToBeMoved', 'there already', 'erased'] },
]

function ifOvertaken(act: string, by: string): readonly Outcome[] {
  const known = IF_OVERTAKEN.filter((each) => each.act === act && (each.by?.includes(by) ?? true))
  return known.flatMap(({ told }) => told)
}

const CAN_BE_DONE_TWICE: ReadonlySet<string> = new Set(['erase', 'move'])
