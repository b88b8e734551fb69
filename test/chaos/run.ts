import { randomBytes } from 'node:crypto'
import { readOptions } from '../processes/read-options.ts'
import { runChaos } from './chaos.ts'
import { answersIn, keepIn, printed } from './report.ts'
import { KINDS, type Kind } from './worlds/world.ts'

const USAGE = `npm run chaos -- [--seed TEXT] [--minutes N] [--engine ${KINDS.join('|')}|both] [--keep FOLDER]`

const { values } = readOptions(USAGE, {
  options: {
    seed: { type: 'string', default: randomBytes(4).toString('hex') },
    minutes: { type: 'string', default: '2' },
    engine: { type: 'string', default: 'both' },
    keep: { type: 'string' },
  },
})
const minutes = Number(values.minutes)
if (!(minutes > 0) || ![...KINDS, 'both'].some((kind) => kind === values.engine)) {
  process.stderr.write(`${USAGE}\n`)
  process.exit(2)
}
const both = values.engine === 'both'
const kinds = KINDS.filter((kind) => (both ? kind === 'sqlite' || kind === 'postgres' : kind === values.engine))
process.stdout.write(`chaos --seed ${values.seed} --minutes ${minutes} --engine ${values.engine}\n`)
let isBroken = false
for (const kind of kinds) isBroken = !(await run(kind, minutes / kinds.length)) || isBroken
process.exit(isBroken ? 1 : 0)

async function run(kind: Kind, share: number): Promise<boolean> {
  const { history, violations, faults, errors } = await runChaos(kind, values.seed, share * 60_000)
  const { entries } = history
  const acts = entries.filter(({ deed }) => deed.kind !== 'fault' && deed.kind !== 'lossy')
  const answers = Object.entries(answersIn(acts)).map(([name, count]) => `${count} ${name}`)
  const counts = Object.entries(faults).map(([name, count]) => `${name} ×${count}`)
  process.stdout.write(
    `${kind}: ${acts.length} acts: ${answers.join(', ')}; ${counts.join(', ') || 'no faults'}; ` +
      `${violations.length} promises broken\n`,
  )
  if (violations.length > 0 || values.keep) {
    const folder = `${values.keep ?? 'chaos-history'}/${values.seed}-${kind}`
    keepIn(folder, entries, violations, errors)
    process.stdout.write(`${printed(violations, entries)}\nseed ${values.seed}; the whole history is in ${folder}\n`)
  }
  return violations.length === 0
}
