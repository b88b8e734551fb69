import { Dice } from '../chaos/dice.ts'
import { isOneOf, type Names, words } from './end.ts'
import { Pair } from './pair.ts'
import type { ScheduledStage } from './stage.ts'

export interface Budget {
  readonly seed: string
  /** The number of the first order. */
  readonly from?: number
  readonly orders: number
}

export interface Explored {
  /** Orders that ran, which are fewer than planned if one broke a promise. */
  readonly tried: number
  /** The number of orders that differed from all earlier ones. */
  readonly different: number
  /** The result of the first order that broke a promise, and how to repeat it. */
  readonly failure: string | undefined
}

/** Runs one pair through its orders, up to the first that ends in a wrong way. */
export async function explore(stage: ScheduledStage, names: Names, budget: Budget): Promise<Explored> {
  const { seed, from = 0, orders } = budget
  const pair = await Pair.prepared(stage, names)
  const broken: string[] = []
  const allowed = await pair.allowed(async (order, told) => {
    const words = await pair.brokenPromise(order, told)
    if (words !== undefined) broken.push(words)
  })
  if (broken.length > 0) return { tried: 0, different: 0, failure: broken.join('\n') }
  const seen = new Set<string>()
  for (let n = from; n < from + orders; n++) {
    const end = await pair.scheduled(new Dice(`${seed}/${names.join('/')}/${n}`))
    seen.add(end.order)
    if (isOneOf(end, allowed)) continue
    const again = `npm run interleavings -- --seed "${seed}" --pair "${names.join(',')}" --from ${n} --orders 1`
    const failure = `${again} (${end.order}): ${words(end)} is none of\n${allowed.map(words).join('\n')}`
    return { tried: n - from + 1, different: seen.size, failure }
  }
  return { tried: orders, different: seen.size, failure: undefined }
}
