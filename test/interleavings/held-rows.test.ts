import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { Dice } from '../chaos/dice.ts'
import { testServer } from '../postgres/databases.ts'
import { ACCOUNT_ACTS, ACCOUNT_PAIRS } from './account-acts.ts'
import { ACTS } from './acts.ts'
import { isOneOf, type Names, words } from './end.ts'
import { type HoldingStage, openHoldingStage } from './holding-stage.ts'
import { endOf, Pair, prepare } from './pair.ts'
import { openScheduledStage, type ScheduledStage } from './stage.ts'

/** `EVERY_COMMIT=1` holds each commit of the first act in turn; otherwise one, which the seed chooses. */
const isThorough = process.env.EVERY_COMMIT !== undefined
const seed = process.env.ORDER_SEED ?? 'the same each time'
const names = Object.keys(ACTS)

describe(`two acts on one user on PostgreSQL, the second while the first has its rows locked, seed "${seed}"`, () => {
  let scheduled: ScheduledStage
  let stage: HoldingStage
  const commits = new Map<string, number>()
  beforeAll(async () => {
    scheduled = await openScheduledStage()
    stage = await openHoldingStage(await testServer())
    for (const name of [...names, ...Object.keys(ACCOUNT_ACTS)]) {
      const { acts } = await prepared(['sign in', name])
      commits.set(name, await stage.commitsOf(acts[1]))
    }
  })
  afterAll(async () => {
    await stage[Symbol.asyncDispose]()
    await scheduled[Symbol.asyncDispose]()
  })

  async function prepared(pair: Names) {
    await stage.forgetLimits()
    return prepare(stage, pair)
  }

  function chosenOf([comes, holds]: Names): readonly number[] {
    const count = commits.get(holds) ?? 0
    assert.ok(count > 0, `${holds} commits nothing`)
    if (isThorough) return Array.from({ length: count }, (_, i) => i + 1)
    return [1 + new Dice(`${seed}/${holds}/${comes}`).below(count)]
  }

  const crossed = names.flatMap((holds) => names.map((comes) => [holds, comes] as const))
  const turned = ACCOUNT_PAIRS.filter(([a, b]) => a !== b).map(([a, b]) => [b, a] as const)
  for (const [holds, comes] of [...crossed, ...ACCOUNT_PAIRS, ...turned]) {
    it(`${holds} first, then ${comes}: the result is that of one after the other, or of one alone`, async () => {
      // The act that holds is prepared last, because preparing a second code replaces the first.
      const pair = [comes, holds] as const
      const allowed = await (await Pair.prepared(scheduled, pair)).allowed()

      for (const commit of chosenOf(pair)) {
        const end = await endOf(await prepared(pair), async ([comes, holds]) =>
          (await stage.whileHeld(commit, holds, comes)).toReversed(),
        )

        assert.ok(
          isOneOf(end, allowed),
          `held at commit ${commit}: ${words(end)} is none of\n${allowed.map(words).join('\n')}`,
        )
      }
    })
  }
})
