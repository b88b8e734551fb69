import { isDeepStrictEqual } from 'node:util'
import type { Dice } from '../chaos/dice.ts'
import { ACTS, type Act, COME_AGAIN, newSubject, type Outcome } from './acts.ts'
import { footprintOf } from './footprint.ts'
import type { Stage } from './stage.ts'

/** What came of two acts: what each was told, and what the stores hold. */
export interface End {
  readonly told: readonly Outcome[]
  readonly footprint: Readonly<Record<string, unknown>>
}

type Names = readonly [first: string, second: string]
type Way = (acts: readonly [Act, Act]) => Promise<readonly Outcome[]>

/** One after the other, either first; or the one that was refused left nothing. */
export async function serialEnds(stage: Stage, names: Names): Promise<readonly End[]> {
  const first = await endOf(stage, names, async ([a, b]) => [await a(), await b()])
  const second = await endOf(stage, names, async ([a, b]) => {
    const told = await b()
    return [await a(), told]
  })
  // Overtaken at any moment, an act is refused as if it had come after the other.
  const ofFirst = refusals(second.told[0], ifOvertaken(...names))
  const ofSecond = refusals(first.told[1], ifOvertaken(names[1], names[0]))
  const alone = await endOf(stage, names, async ([a]) => [await a(), ''])
  const otherAlone = await endOf(stage, names, async ([, b]) => ['', await b()])
  const neither = await endOf(stage, names, async () => ['', ''])
  const ends = [
    first,
    second,
    ...ofSecond.map((code) => ({ ...alone, told: [alone.told[0] ?? '', code] })),
    ...ofFirst.map((code) => ({ ...otherAlone, told: [code, otherAlone.told[1] ?? ''] })),
    ...ofFirst.flatMap((code) => ofSecond.map((other) => ({ ...neither, told: [code, other] }))),
  ]
  // Whoever asks for what is done at the same moment may be told that it is done.
  return names[0] === names[1] && CAN_BE_DONE_TWICE.has(names[0])
    ? [
        ...ends,
        ...ends
          .filter(({ told }) => told.includes('done'))
          .map(({ footprint }) => ({ told: ['done', 'done'], footprint })),
      ]
    : ends
}

function refusals(told: Outcome | undefined, others: readonly Outcome[]): readonly Outcome[] {
  return [...(told === undefined || told === 'done' ? [] : [told]), ...others]
}

interface Overtaken {
  readonly act: string
  /** Undefined: any. */
  readonly by?: readonly string[]
  readonly told: readonly Outcome[]
}

const NEW_CREDENTIAL = ['change', 'reset', 'verify']

/** True at that moment, and never said to an act that comes before or after the other. */
const IF_OVERTAKEN: readonly Overtaken[] = [
  { act: 'submit feedback', told: [COME_AGAIN, 'UNAUTHORIZED'] },
  { act: 'bind', told: ['UNAUTHORIZED', 'NOT_FOUND'] },
  { act: 'link', told: ['unauthorized', 'state_invalid'] },
  { act: 'approve', told: ['NOT_FOUND', 'UNAUTHORIZED'] },
  { act: 'refresh', told: ['invalid_grant'] },
  { act: 'redeem', told: ['invalid_grant'] },
  { act: 'reset', told: ['INVALID_OTP'] },
  { act: 'verify', told: ['INVALID_OTP'] },
  { act: 'suspend', by: ['erase'], told: ['NOT_FOUND'] },
  { act: 'change', told: ['UNAUTHORIZED'] },
  { act: 'change', by: [...NEW_CREDENTIAL, 'erase'], told: ['INVALID_EMAIL_OR_PASSWORD'] },
  { act: 'erase', told: ['UNAUTHORIZED'] },
  { act: 'erase', by: [...NEW_CREDENTIAL, 'erase'], told: ['INVALID_EMAIL_OR_PASSWORD', 'NOT_FOUND'] },
  { act: 'move', told: ['MoveTakenOver', 'MoveRefused', 'NotToBeMoved', 'there already', 'erased'] },
]

function ifOvertaken(act: string, by: string): readonly Outcome[] {
  const known = IF_OVERTAKEN.filter((each) => each.act === act && (each.by?.includes(by) ?? true))
  return known.flatMap(({ told }) => told)
}

const CAN_BE_DONE_TWICE: ReadonlySet<string> = new Set(['erase', 'move'])

/** At once, in the order that the dice say. */
export async function scheduledEnd(
  stage: Stage,
  names: Names,
  dice: Dice,
): Promise<End & { readonly order: string }> {
  let order = ''
  const end = await endOf(stage, names, async (acts) => {
    const run = await stage.scheduler.run(acts, dice)
    order = run.order
    return run.results.map((result) => {
      if (result.status === 'rejected')
        throw new Error(`${names.join(' beside ')}, ${order}`, { cause: result.reason })
      return result.value
    })
  })
  return { ...end, order }
}

async function endOf(stage: Stage, names: Names, way: Way): Promise<End> {
  const subject = await newSubject(stage)
  const acts: Act[] = []
  for (const [n, name] of names.entries()) {
    const prepare = ACTS[name]
    if (!prepare) throw new Error(`there is no act "${name}"`)
    acts.push(await prepare(subject, n + 1))
  }
  const [a, b] = acts
  if (!a || !b) throw new Error('a pair has two acts')
  const told = await way([a, b])
  await settle(stage, names)
  return { told, footprint: await footprintOf(subject) }
}

/** What the background would do soon. */
async function settle({ service }: Stage, names: Names): Promise<void> {
  if (!names.includes('move') && !names.includes('erase')) return
  service.clock.advance({ minutes: 1 })
  await service.runJob('moves')
  await service.runJob('erasure')
}

export function isOneOf({ told, footprint }: End, allowed: readonly End[]): boolean {
  return allowed.some((end) => isDeepStrictEqual(end, { told, footprint }))
}
