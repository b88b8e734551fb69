import { writeFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { readConfig } from '../../src/config/config.ts'
import { prepare, serve } from '../../src/serve.ts'
import { freePort } from '../../test/processes/free-port.ts'
import type { Ask, Generator } from '../load/generator.ts'
import { atMost, type Figure, type Measure, round } from '../load/measure.ts'
import { installationOnPostgres } from '../on-postgres.ts'
import { emptyFolder } from '../ours.ts'
import { ASKED_BY_STRANGERS } from '../rows/asked-by-strangers.ts'
import { type Question, questions } from '../rows/asked-of-routes.ts'
import { fillTables, TOKENS } from '../rows/full-tables.ts'
import { type Environment, memoryMegabytes } from '../server.ts'

const CALLS = 4
/** Otherwise the list of hops is not read. */
const BEHIND_A_PROXY = { TRUSTED_PROXIES: '127.0.0.0/8' }
const MOST_MILLISECONDS = 20
const MOST_MEGABYTES = 50

/** The service runs in this process, so that its event loop and its memory can be watched. */
export const measure: Measure = {
  title: 'What one request holds up and takes: every route at every quota, and the largest that strangers can send',
  async run({ generator }) {
    const onSqlite = await everyRoute('SQLite', {}, generator)
    await using installation = await installationOnPostgres()
    const figures = [...onSqlite, ...(await everyRoute('PostgreSQL', installation.env, generator))]
    const worst = (unit: 'longest stop ms' | 'MB taken') => Math.max(...figures.map((figure) => figure[unit]))
    return {
      ratios: [
        atMost('longest stop of the event loop', worst('longest stop ms'), MOST_MILLISECONDS, 'ms'),
        atMost('most memory beside what was there', worst('MB taken'), MOST_MEGABYTES, 'MB'),
      ],
      figures: figures.toSorted((a, b) => b['longest stop ms'] - a['longest stop ms'] || b['MB taken'] - a['MB taken']),
    }
  },
}

type Call = Awaited<ReturnType<typeof called>>
async function everyRoute(engine: string, env: Environment, generator: Generator) {
  await using folder = await emptyFolder()
  const port = await freePort()
  const own = { DATA_DIR: folder.path, PORT: String(port), LOG_LEVEL: 'error', USER_LIMIT_FACTOR: '1000' }
  const config = readConfig({ ...env, ...own, ...BEHIND_A_PROXY })
  const { platform } = await prepare(config)
  const feedbacks = await fillTables(platform)
  await platform.close()
  const { stop } = await serve(config, () => undefined)
  const figures: ReturnType<typeof figureOf>[] = []
  const ask = async (what: string, askAt: (i: number) => Ask) => {
    const calls: Call[] = []
    for (let i = 0; i < CALLS; i++) {
      const { url, ...sent } = askAt(i)
      calls.push(await called(generator, { ...sent, url: `http://127.0.0.1:${port}${url}` }))
    }
    figures.push(figureOf(`${engine} ${what}`, calls))
  }
  for (const question of questions(feedbacks)) await ask(question.what, (i) => requestOf(question, i))
  for (const [what, request] of Object.entries(ASKED_BY_STRANGERS)) await ask(what, () => request)
  await stop()
  return figures
}

/** The quietest of several calls, after the first, which compiles. */
function figureOf(what: string, [, ...calls]: readonly Call[]) {
  const least = (of: (call: Call) => number) => round(Math.min(...calls.map(of)))
  const { status, bytes } = calls[0]?.told ?? { status: 0, bytes: 0 }
  const taken = { 'longest stop ms': least(({ stop }) => stop), 'MB taken': least(({ memory }) => memory) }
  return { what, status, 'KB sent': Math.round(bytes / 1000), ...taken } satisfies Figure
}

async function called(generator: Generator, ask: Ask) {
  collectGarbage()
  writeFileSync('/proc/self/clear_refs', '5')
  const before = memoryMegabytes('self', 'VmRSS')
  const longestTurn = watchTurns()
  const told = await generator.ask(ask)
  return { told, stop: longestTurn(), memory: memoryMegabytes('self', 'VmHWM') - before }
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

function requestOf({ route, sentAt }: Question, i: number): Ask {
  const { by, body, query, form } = sentAt(i)
  const url = `${route.path}${query ? `?${query}` : ''}`
  const headers = {
    ...(by !== 'nobody' && { authorization: `Bearer ${TOKENS[by]}` }),
    'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json',
  }
  if (route.method === 'GET') return { url, method: 'GET', headers }
  const sent = form ? new URLSearchParams(form).toString() : JSON.stringify(body ?? {})
  return { url, method: 'POST', headers, body: sent }
}

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')
