import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { verifyShards } from '../../src/features/moves/verifying.ts'
import { Dice } from '../chaos/dice.ts'
import { ACTS } from './acts.ts'
import { type End, isOneOf, scheduledEnd, serialEnds } from './pair.ts'
import { openStage, type Stage } from './stage.ts'

/** Of each pair; `ORDERS=1000` looks longer, `ORDER_SEED` at others, or again at what a failure has printed. */
const orders = Number(process.env.ORDERS ?? 5)
const seed = process.env.ORDER_SEED ?? 'the same each time'

const names = Object.keys(ACTS)

function words({ told, footprint }: End): string {
  return JSON.stringify({ told, ...footprint })
}

async function disagreementsOf({ service }: Stage): Promise<readonly string[]> {
  const found: string[] = []
  for await (const { words } of verifyShards(service.platform)) found.push(words)
  return found
}

describe('two acts on one user at once, statement by statement', () => {
  for (const [i, first] of names.entries()) {
    describe(first, () => {
      let stage: Stage
      before(async () => {
        stage = await openStage()
      })
      after(() => stage[Symbol.asyncDispose]())

      for (const second of names.slice(i)) {
        it(`beside ${second}: ends as one after the other, or as one alone`, async () => {
          const pair = [first, second] as const
          const allowed = await serialEnds(stage, pair)

          for (let n = 0; n < orders; n++) {
            const end = await scheduledEnd(stage, pair, new Dice(`${seed}/${first}/${second}/${n}`))

            const order = `ORDER_SEED=${seed}, order ${n} (${end.order})`
            assert.ok(
              isOneOf(end, allowed),
              `${order}: ${words(end)} is none of\n${allowed.map(words).join('\n')}`,
            )
          }
          assert.deepEqual(await disagreementsOf(stage), [])
        })
      }
    })
  }

  it('an order is the same for the same seed', async () => {
    const run = async () => {
      await using stage = await openStage()
      return await scheduledEnd(stage, ['sign in', 'change'], new Dice('a seed'))
    }

    const [first, second] = [await run(), await run()]

    assert.equal(first.order, second.order)
    assert.match(first.order, /0.*1.*0|1.*0.*1/)
  })
})
