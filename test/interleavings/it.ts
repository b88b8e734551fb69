import { test } from 'vitest'
import { Dice } from '../chaos/dice.ts'
import type { Answer } from '../service/people.ts'
import { openScheduledStage, type ScheduledStage } from './stage.ts'

/** A test on the stage of its file. */
export const it = test.extend<{ $file: { stage: ScheduledStage } }>({
  stage: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
    async ({}, use) => {
      await using stage = await openScheduledStage()
      await use(stage)
    },
    { scope: 'file' },
  ],
})

/** The answers to acts at once, with their statements in the order that this number chooses. */
export async function atOnce<Body>(
  { scheduler }: ScheduledStage,
  acts: readonly (() => Promise<Answer<Body>>)[],
  n: number,
) {
  const { results, order } = await scheduler.run(acts, new Dice(`${n}`))
  const words = `order ${n} (${order})`
  const answers = results.map((result) => {
    if (result.status === 'rejected') throw new Error(words, { cause: result.reason })
    return result.value
  })
  return { answers, words }
}
