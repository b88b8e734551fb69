import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { readConfig } from '../../src/config/config.ts'
import { prepare, serve } from '../../src/serve.ts'
import { freePort } from '../../test/processes/free-port.ts'
import type { Ask, Generator, Told } from '../load/generator.ts'
import { atMost, type Figure, type Measure, round } from '../load/measure.ts'
import { installationOnPostgres } from '../on-postgres.ts'
import { ASKED_BY_STRANGERS } from '../rows/asked-by-strangers.ts'
import { type Question, questions } from '../rows/asked-of-routes.ts'
import { fillTables, TOKENS, type World } from '../rows/full-tables.ts'

const CALLS = 4
/** Otherwise the list of hops is not read. */
const BEHIND_A_PROXY = { TRUSTED_PROXIES: '127.0.0.0/8' }
const MOST_MILLISECONDS = 20
const MOST_MEGABYTES = 50

/** The service runs in this process, so that its event loop and its memory can be watched. */
export const measure: Measure = {
  title: 'What one request holds up and takes: every route at every quota, and the largest that strangers can send',
  async run({ generator }) {
    const outcomes: Outcome[] = []
    for (const engine of ['SQLite', 'PostgreSQL'] as const) {
      await using opened = new AsyncDisposableStack()
      outcomes.push(...(await everyRoute(engine, await environmentOn(engine, opened), generator)))
    }
    const worst = (of: (outcome: Outcome) => number) => Math.max(...outcomes.map(of))
    return {
      ratios: [
        atMost('longest stop of the event loop', round(worst(({ stop }) => stop)), MOST_MILLISECONDS, 'ms'),
        atMost('most memory beside what was there', round(worst(({ memory }) => memory)), MOST_MEGABYTES, 'MB'),
      ],
      figures: outcomes.toSorted((a, b) => b.stop - a.stop || b.memory - a.memory).map(figureOf),
    }
  },
}

interface Outcome {
  readonly what: string
  readonly status: number
  readonly kilobytes: number
  readonly stop: number
  readonly memory: number
}

const figureOf = ({ what, status, kilobytes, stop, memory }: Outcome): Figure => ({
  what,
  status,
  'KB sent': Math.round(kilobytes),
  'longest stop ms': round(stop),
  'MB taken': round(memory),
})

type Environment = Readonly<Record<string, string>>

async function environmentOn(engine: 'SQLite' | 'PostgreSQL', opened: AsyncDisposableStack): Promise<Environment> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const stores = engine === 'SQLite' ? {} : opened.use(await installationOnPostgres()).env
  return { DATA_DIR: folder, ...stores }
}

async function everyRoute(engine: string, env: Environment, generator: Generator): Promise<Outcome[]> {
  const port = await freePort()
  const own = { PORT: String(port), LOG_LEVEL: 'error', USER_LIMIT_FACTOR: '1000' }
  const config = readConfig({ ...env, ...own, ...BEHIND_A_PROXY })
  const world = await filled(config)
  const { stop } = await serve(config, () => undefined)
  const outcomes: Outcome[] = []
  for (const question of questions(world)) {
    outcomes.push({
      what: `${engine} ${question.what}`,
      ...(await asked((i) => called(generator, requestOf(question, i, port)))),
    })
  }
  for (const [what, ask] of Object.entries(ASKED_BY_STRANGERS)) {
    const sent = { ...ask, url: `http://127.0.0.1:${port}${ask.url}` }
    outcomes.push({ what: `${engine} ${what}`, ...(await asked(() => called(generator, sent))) })
  }
  await stop()
  return outcomes
}

/** The quietest of several calls, after the first, which compiles. */
async function asked(call: (i: number) => Promise<Call>): Promise<Omit<Outcome, 'what'>> {
  await call(0)
  const calls: Call[] = []
  const least = (of: (one: Call) => number) => Math.min(...calls.map(of))
  for (let i = 1; i < CALLS; i++) calls.push(await call(i))
  const { status, bytes } = calls[0]?.told ?? { status: 0, bytes: 0 }
  return { status, kilobytes: bytes / 1000, stop: least(({ stop }) => stop), memory: least(({ memory }) => memory) }
}

async function filled(config: ReturnType<typeof readConfig>): Promise<World> {
  const { platform } = await prepare(config)
  try {
    return await fillTables(platform)
  } finally {
    await platform.close()
  }
}

interface Call {
  readonly told: Told
  readonly stop: number
  readonly memory: number
}

async function called(generator: Generator, ask: Ask): Promise<Call> {
  collectGarbage()
  writeFileSync('/proc/self/clear_refs', '5')
  const before = statusMegabytes('VmRSS')
  const longestTurn = watchTurns()
  const told = await generator.ask(ask)
  return { told, stop: longestTurn(), memory: statusMegabytes('VmHWM') - before }
}

/** Measures the processor time of each turn of the event loop: the clock also counts what else the machine does. */
function watchTurns(): () => number {
  const used = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let [longest, before, isOver] = [0, used(), false]
  const turn = () => {
    const now = used()
    longest = Math.max(longest, now - before)
    before = now
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  return () => {
    isOver = true
    return longest
  }
}

function requestOf({ route, sentAt }: Question, i: number, port: number): Ask {
  const { by, body, query, form } = sentAt(i)
  const url = `http://127.0.0.1:${port}${route.path}${query ? `?${query}` : ''}`
  const headers = {
    ...(by !== 'nobody' && { authorization: `Bearer ${TOKENS[by]}` }),
    'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json',
  }
  if (route.method === 'GET') return { url, method: 'GET', headers }
  const sent = form ? new URLSearchParams(form).toString() : JSON.stringify(body ?? {})
  return { url, method: 'POST', headers, body: sent }
}

function statusMegabytes(field: 'VmRSS' | 'VmHWM'): number {
  const found = new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync('/proc/self/status', 'utf8'))
  return Number(found?.[1]) / 1024
}

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')
