import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { readOptions } from '../processes/read-options.ts'
import { ACCOUNT_ACTS, ACCOUNT_PAIRS, CREDENTIAL_PAIRS } from './account-acts.ts'
import { ACTS } from './acts.ts'
import type { Names } from './end.ts'
import type { Explored } from './explore.ts'

const USAGE = 'npm run interleavings -- [--seed TEXT] [--orders N] [--from N] [--pair "ACT,ACT"]'
const crossed = Object.keys(ACTS)
const all = [...crossed, ...Object.keys(ACCOUNT_ACTS)]

const { values } = readOptions(USAGE, {
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
const began = performance.now()
const failures: string[] = []
let orders = 0
let different = 0
const left = pairs.values()
const workers = Math.min(availableParallelism(), pairs.length)
await Promise.all(Array.from({ length: workers }, exploreRest))
const { user, system } = process.cpuUsage()
const each = (seconds: number) => Math.round(orders / seconds)
process.stdout.write(
  `${pairs.length} pairs, ${orders} orders, ${different} of them different; ` +
    `${each((performance.now() - began) / 1_000)} a second on ${workers} cores, ` +
    `${each((user + system) / 1_000_000)} a second of processor time; ${failures.length} pairs failed\n`,
)
process.exitCode = failures.length === 0 ? 0 : 1

/** Takes one pair after the other in a thread of its own, as long as any is left. */
async function exploreRest(): Promise<void> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: budget })
  for (const pair of left) {
    worker.postMessage(pair)
    const [explored]: Explored[] = await once(worker, 'message')
    if (!explored) continue
    orders += explored.tried
    different += explored.different
    if (explored.failure === undefined) continue
    failures.push(explored.failure)
    process.stdout.write(`${pair.join(' beside ')}\n${explored.failure}\n`)
  }
  await worker.terminate()
}

function everyPair(): readonly Names[] {
  const pairs = crossed.flatMap((first, i) => crossed.slice(i).map((second): Names => [first, second]))
  return [...pairs, ...ACCOUNT_PAIRS, ...CREDENTIAL_PAIRS]
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
