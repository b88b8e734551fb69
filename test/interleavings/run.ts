import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { ACTS } from './acts.ts'
import { explore } from './explore.ts'
import type { Names } from './pair.ts'
import { openScheduledStage } from './stage.ts'

const USAGE = 'npm run interleavings -- [--seed TEXT] [--orders N] [--from N] [--pair "ACT,ACT"]'
const all = Object.keys(ACTS)

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: randomBytes(4).toString('hex') },
    orders: { type: 'string', default: '300' },
    from: { type: 'string', default: '0' },
    pair: { type: 'string' },
  },
})
const budget = { seed: values.seed, orders: Number(values.orders), from: Number(values.from) }
const pairs = values.pair === undefined ? everyPair() : [namesIn(values.pair)]
if (!(budget.orders > 0) || !(budget.from >= 0)) refuse()

process.stdout.write(`interleavings --seed ${budget.seed} --orders ${budget.orders}\n`)
await using stage = await openScheduledStage()
const before = process.cpuUsage()
const failures: string[] = []
let different = 0
for (const pair of pairs) {
  const explored = await explore(stage, pair, budget)
  different += explored.different
  if (explored.failure === undefined) continue
  failures.push(explored.failure)
  process.stdout.write(`${pair.join(' beside ')}\n${explored.failure}\n`)
}
const { user, system } = process.cpuUsage(before)
const seconds = (user + system) / 1_000_000
const orders = pairs.length * budget.orders
process.stdout.write(
  `${pairs.length} pairs, ${orders} orders, ${different} of them different; ` +
    `${Math.round(orders / seconds)} a second of processor time; ${failures.length} pairs failed\n`,
)
process.exitCode = failures.length === 0 ? 0 : 1

function everyPair(): readonly Names[] {
  return all.flatMap((first, i) => all.slice(i).map((second): Names => [first, second]))
}

function namesIn(pair: string): Names {
  const [first, second] = pair.split(',')
  if (first === undefined || second === undefined || !all.includes(first) || !all.includes(second)) refuse()
  return [first, second]
}

function refuse(): never {
  process.stderr.write(`${USAGE}\nACT is one of: ${all.join(', ')}\n`)
  process.exit(2)
}
