import { atMost, type Figure, type Measure, median, type Ratio, round } from '../../load/measure.ts'
import { QUESTIONS } from './asked.ts'
import { type Filled, filledFolder, filledPostgres } from './fill.ts'
import { type Engine, versionBefore } from './migration.ts'

const FEW = 10_000
const MANY = 1_000_000
const ROUNDS = 3
const ENOUGH_MILLISECONDS = 500

type Question = (typeof QUESTIONS)[number]

/** Both sizes run side by side and get requests in turn. */
export const measure: Measure = {
  title: '1,000,000 users with 2,000,000 sessions, 10,000,000 events and 3,000,000 feedbacks against 10,000 users',
  async run() {
    const parts = [await compared('SQLite', filledFolder), await compared('PostgreSQL', filledPostgres)]
    return { ratios: parts.flatMap(({ ratios }) => ratios), figures: parts.flatMap(({ figures }) => figures) }
  },
}

async function compared(engine: Engine, filled: (users: number) => Promise<Filled>) {
  await using few = await filled(FEW)
  const started = performance.now()
  await using many = await filled(MANY)
  const seconds = Math.round((performance.now() - started) / 1000)
  const figures: Figure[] = [{ what: `${engine}, made in seconds`, [`${MANY} users`]: seconds }]
  const ratios: Ratio[] = []
  for (const question of QUESTIONS) {
    const [small, large] = await costs(question, few, many)
    figures.push({
      what: `${engine}, ${question.what}`,
      [`CPU ms, ${FEW} users`]: round(small),
      [`CPU ms, ${MANY} users`]: round(large),
      ...(question.readsAll && { reads: 'every row that it counts' }),
    })
    if (!question.readsAll) ratios.push(atMost(`${engine}, ${question.what}`, round(large / small), 2))
  }
  for (const part of [await plansOf(engine, many), await startsOf(engine, few, many)]) {
    figures.push(...part.figures)
    ratios.push(...part.ratios)
  }
  return { ratios, figures }
}

interface Part {
  readonly figures: readonly Figure[]
  readonly ratios: readonly Ratio[]
}

/** SQLite plans without regard to what a table holds, so tests of plans hold at any size. */
async function plansOf(engine: string, many: Filled): Promise<Part> {
  const tables = await many.tablesReadWhole((server) => askEach({ ...many, server }))
  if (!tables) return { figures: [], ratios: [] }
  const what = `${engine}, tables that a plan reads from end to end`
  return { figures: [{ what, reads: tables.join(', ') || 'none' }], ratios: [atMost(what, tables.length, 0, '')] }
}

async function startsOf(engine: Engine, few: Filled, many: Filled): Promise<Part> {
  const before = versionBefore(engine)
  const what = `${engine}, seconds of a start with the newest schema step`
  if (!before) {
    // Left out, it would look like a goal that nobody has set.
    const unmet = { ...atMost(what, Number.POSITIVE_INFINITY, 2), value: 0 }
    return {
      figures: [{ what, reads: 'not measured: this measure knows another newest step' }],
      ratios: [{ ...unmet, goal: 'at most 2 ×, not measured' }],
    }
  }
  const [small, large] = [await few.restarted(before), await many.restarted(before)]
  return {
    figures: [{ what, [`seconds, ${FEW} users`]: small, [`seconds, ${MANY} users`]: large }],
    ratios: [atMost(what, round(large / small), 2)],
  }
}

/** Sends each request that reads no more rows than it returns. */
async function askEach(filled: Filled): Promise<void> {
  for (const question of QUESTIONS.filter(({ readsAll }) => !readsAll))
    for (let turn = 0; turn < 10; turn++) await question.ask(filled, LATE + turn)
}

/** A turn that no round reaches, so that the users still exist. */
const LATE = 100_000

/** Medians of the rounds; the first warms up. */
async function costs(question: Question, few: Filled, many: Filled): Promise<readonly [number, number]> {
  const small: number[] = []
  const large: number[] = []
  let turn = 0
  for (let round = -1; round < ROUNDS; round++) {
    for (const [filled, kept] of [
      [few, small],
      [many, large],
    ] as const) {
      const { cost, calls } = await costOf(question, filled, turn)
      turn += calls
      if (round >= 0) kept.push(cost)
    }
  }
  return [median(small), median(large)]
}

async function costOf(question: Question, filled: Filled, first: number) {
  const before = filled.cpuMilliseconds()
  const started = performance.now()
  let calls = 0
  while (performance.now() - started < ENOUGH_MILLISECONDS) {
    await question.ask(filled, first + calls)
    calls++
  }
  return { cost: (filled.cpuMilliseconds() - before) / calls, calls }
}
