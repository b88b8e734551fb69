import { answersTo, jsonRequest } from '../../load/load.ts'
import { atLeast, atMost, type Measure, median, type Outcome, round } from '../../load/measure.ts'
import { QUESTIONS, type Question } from './asked.ts'
import { type Filled, filledFolder, filledPostgres, versionBefore } from './fill.ts'

const FEW = 10_000
const MANY = 1_000_000
const ROUNDS = 3
const ENOUGH_MILLISECONDS = 500

/** Both sizes run side by side and get requests in turn. */
export const measure: Measure = {
  title: '1,000,000 users with 2,000,000 sessions, 10,000,000 events and 3,000,000 feedbacks against 10,000 users',
  async run() {
    return together([await compared('SQLite', filledFolder), await compared('PostgreSQL', filledPostgres)])
  },
}

async function compared(engine: 'SQLite' | 'PostgreSQL', filled: (users: number) => Promise<Filled>) {
  // Fails here if it must, and not after an hour.
  const before = versionBefore(engine)
  await using few = await filled(FEW)
  const started = performance.now()
  await using many = await filled(MANY)
  const seconds = Math.round((performance.now() - started) / 1000)
  const made = { what: `${engine}, made in seconds`, [`${MANY} users`]: seconds }
  const parts: Outcome[] = [{ figures: [made], ratios: [] }]
  for (const question of QUESTIONS) parts.push(await costsOf(engine, question, few, many))
  parts.push(await joinsOf(engine, many), await startsOf(engine, before, few, many))
  return together(parts)
}

function together(parts: readonly Outcome[]): Outcome {
  return { ratios: parts.flatMap(({ ratios }) => ratios), figures: parts.flatMap(({ figures }) => figures) }
}

/** Sixteen at a time; each is a decision that locks the organisation. */
async function joinsOf(engine: string, { server, cpuMilliseconds, invited }: Filled): Promise<Outcome> {
  const calls = (await invited()).map(({ token, ...sent }) =>
    jsonRequest('/api/auth/organization/accept-invitation', sent, { authorization: `Bearer ${token}` }),
  )
  const [before, started] = [cpuMilliseconds(), performance.now()]
  await answersTo(server.port, calls.length, (i) => calls[i] ?? '')
  const what = `${engine}, joins a second into one organisation`
  const rate = round((calls.length * 1000) / (performance.now() - started))
  const figure = { what, [`CPU ms, ${MANY} users`]: round((cpuMilliseconds() - before) / calls.length) }
  return { figures: [figure], ratios: [atLeast(what, rate, 200, 'a second')] }
}

async function startsOf(engine: string, before: readonly string[], few: Filled, many: Filled): Promise<Outcome> {
  const what = `${engine}, seconds of a start with the newest schema step`
  const [small, large] = [await few.restarted(before), await many.restarted(before)]
  return {
    figures: [{ what, [`seconds, ${FEW} users`]: small, [`seconds, ${MANY} users`]: large }],
    ratios: [atMost(what, round(large / small), 2)],
  }
}

/** Medians of the rounds; the first warms up. */
async function costsOf(engine: string, question: Question, few: Filled, many: Filled): Promise<Outcome> {
  const sizes = [few, many].map((filled) => ({ filled, costs: [] as number[] }))
  let turn = 0
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { filled, costs } of sizes) {
      const { cost, calls } = await costOf(question, filled, turn)
      turn += calls
      costs[round] = cost
    }
  }
  const [small = 0, large = 0] = sizes.map(({ costs }) => median(costs.slice(1)))
  const what = `${engine}, ${question.what}`
  const cost = { what, [`CPU ms, ${FEW} users`]: round(small), [`CPU ms, ${MANY} users`]: round(large) }
  if (question.readsAll) return { figures: [{ ...cost, reads: 'every row that it counts' }], ratios: [] }
  return { figures: [cost], ratios: [atMost(what, round(large / small), 2)] }
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
