import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { Dice } from '../chaos/dice.ts'
import { ACCOUNT_PAIRS, CREDENTIAL_PAIRS } from './account-acts.ts'
import { ACTS } from './acts.ts'
import { explore } from './explore.ts'
import { it } from './it.ts'
import { Pair } from './pair.ts'

/** Orders for each pair; `npm run interleavings` tries more. */
const orders = Number(process.env.ORDERS ?? 10)
const seed = process.env.ORDER_SEED ?? 'the same each time'

const names = Object.keys(ACTS)

describe(`two acts on one user at once, statement by statement, seed "${seed}"`, () => {
  const pairs = [...names.flatMap((first, i) => names.slice(i).map((second) => [first, second] as const))]
  for (const pair of [...pairs, ...ACCOUNT_PAIRS])
    it(`${pair.join(' beside ')}: the result is that of one after the other, or of one alone`, async ({ stage }) => {
      const { failure } = await explore(stage, pair, { seed, orders })

      assert.equal(failure, undefined)
    })

  // Every order has to end as one of those that are judged by what signs in, so a few are enough.
  for (const pair of CREDENTIAL_PAIRS)
    it(`${pair.join(' beside ')}: what was acknowledged last is what signs in`, async ({ stage }) => {
      const { failure } = await explore(stage, pair, { seed, orders: Math.ceil(orders / 4) })

      assert.equal(failure, undefined)
    })

  it('an order is the same for the same seed', async ({ stage }) => {
    const pair = await Pair.prepared(stage, ['sign in', 'change'])

    const [first, second] = [await pair.scheduled(new Dice('a seed')), await pair.scheduled(new Dice('a seed'))]

    assert.deepEqual(first, second)
    assert.match(first.order, /0.*1.*0|1.*0.*1/)
  })
})
