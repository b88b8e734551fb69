import { isDeepStrictEqual } from 'node:util'
import type { Dice } from '../chaos/dice.ts'
import { ACCOUNT_ACTS, beginningOf } from './account-acts.ts'
import { ACTS, type Act, newSubject, type Outcome, type Subject } from './acts.ts'
import type { End, Names } from './end.ts'
import { type Footprint, footprintReader } from './footprint.ts'
import { opening } from './opening.ts'
import { overtaken } from './overtaken.ts'
import type { ScheduledStage, Stage } from './stage.ts'
import { promised } from './ways-in.ts'

type Way = (acts: readonly [Act, Act]) => Promise<readonly Outcome[]>

/** A user, and two acts that are ready to be done. */
interface Prepared {
  readonly names: Names
  readonly subject: Subject
  readonly acts: readonly [Act, Act]
  readonly footprint: () => Promise<Footprint>
}

export async function prepare(stage: Stage, names: Names): Promise<Prepared> {
  const subject = await newSubject(stage, beginningOf(...names))
  const [a, b] = names.map((name) => {
    const act = ACTS[name] ?? ACCOUNT_ACTS[name]
    if (!act) throw new Error(`there is no act "${name}"`)
    return act
  })
  if (!a || !b) throw new Error('a pair has two acts')
  const acts = [await a(subject, 1), await b(subject, 2)] as const
  // Rows from before are older than what the acts do.
  stage.service.clock.advance({ milliseconds: 1 })
  return { names, subject, acts, footprint: await footprintReader(subject) }
}

export async function endOf({ names, subject, acts, footprint }: Prepared, way: Way): Promise<End> {
  const told = await way(acts)
  await settle(subject.stage, names)
  return { told, footprint: await footprint() }
}

/** Does what the background would do soon. */
async function settle({ service }: Stage, names: Names): Promise<void> {
  if (!names.includes('move') && !names.includes('erase')) return
  service.clock.advance({ minutes: 1 })
  // An erasure waits for nobody to end the user's move.
  if (!names.includes('erase')) await service.runJob('moves')
  await service.runJob('erasure')
}

/** Two acts on one user, from the same moment any number of times. */
export class Pair {
  readonly #stage: ScheduledStage
  readonly #prepared: Prepared

  private constructor(stage: ScheduledStage, prepared: Prepared) {
    this.#stage = stage
    this.#prepared = prepared
  }

  static async prepared(stage: ScheduledStage, names: Names): Promise<Pair> {
    stage.startOver()
    const prepared = await prepare(stage, names)
    const { browsers, tokens } = prepared.subject
    stage.keep([tokens, ...browsers.map(({ cookies }) => cookies)])
    return new Pair(stage, prepared)
  }

  /** Runs both at once, in the order that the dice choose. */
  async scheduled(dice: Dice): Promise<End & { readonly order: string }> {
    let order = ''
    const end = await this.#end(async (acts) => {
      const run = await this.#stage.scheduler.run(acts, dice)
      order = run.order
      return run.results.map((result) => {
        if (result.status === 'rejected')
          throw new Error(`${this.#prepared.names.join(' beside ')}, ${order}`, { cause: result.reason })
        return result.value
      })
    })
    return { ...end, order }
  }

  /**
   * The allowed ends: one act after the other, either first; or one that was refused and left nothing. `look` is called
   * when the two have just ended, and can leave traces.
   */
  async allowed(
    look: (order: readonly (0 | 1)[], told: readonly Outcome[]) => Promise<void> = async () => undefined,
  ): Promise<readonly End[]> {
    const first = await this.#end(async ([a, b]) => [await a(), await b()])
    await look([0, 1], first.told)
    const second = await this.#end(async ([a, b]) => {
      const told = await b()
      return [await a(), told]
    })
    await look([1, 0], second.told)
    return overtaken(this.#prepared.names, {
      first,
      second,
      alone: await this.#end(async ([a]) => [await a(), '']),
      otherAlone: await this.#end(async ([, b]) => ['', await b()]),
      neither: await this.#end(async () => ['', '']),
    })
  }

  /** Describes the broken promise if what signs in now is not what was acknowledged last. */
  async brokenPromise(order: readonly (0 | 1)[], told: readonly Outcome[]): Promise<string | undefined> {
    const { names, subject } = this.#prepared
    const right = promised(subject.ways, names, told, order)
    if (!right) return undefined
    const found = await opening(subject)
    if (isDeepStrictEqual(found, right)) return undefined
    const acts = order.map((i) => `${names[i]} (${told[i]})`).join(', then ')
    return `${acts}: what signs in is ${JSON.stringify(found)}, not ${JSON.stringify(right)}`
  }

  #end(way: Way): Promise<End> {
    this.#stage.rewind()
    return endOf(this.#prepared, way)
  }
}
