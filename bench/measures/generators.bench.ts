import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { cores, pinned } from '../load/cores.ts'
import { rawRequest } from '../load/load.ts'
import { type Bench, type Figure, type Measure, median, round } from '../load/measure.ts'
import { insertPeople, preparedFolder, sessionToken, startBare, startOurs } from '../ours.ts'
import type { Server } from '../server.ts'

const run = promisify(execFile)
const CONNECTIONS = 32
const PEOPLE = 200
const PATH = '/api/auth/get-session'

interface Counted {
  readonly requests: number
  readonly perSecond: number
  readonly p99Milliseconds: number
  readonly failures: number
}

interface Case {
  readonly name: string
  readonly server: Server
  readonly path: string
  readonly headers: readonly Readonly<Record<string, string>>[]
}

/** The same requests by our generator and by autocannon, in turn: the figures must not depend on the generator. */
export const measure: Measure = {
  title: `GET ${PATH} and bare Hono, asked by our generator and by autocannon`,
  async run(bench) {
    await using folder = await preparedFolder()
    insertPeople(folder, PEOPLE)
    await using ours = await startOurs(folder)
    await using hono = await startBare('bare-hono')
    const people = Array.from({ length: PEOPLE }, (_, i) => ({ cookie: `session=${sessionToken(i)}` }))
    const cases = [
      { name: 'session check', server: ours, path: PATH, headers: people },
      { name: 'bare Hono', server: hono, path: '/', headers: [{}] },
    ]
    const asked = [
      ...cases.map((each) => ({ ...each, what: `${each.name}, ours`, ask: byOurs })),
      ...cases.map((each) => ({ ...each, what: `${each.name}, autocannon`, ask: byAutocannon })),
    ]
    const results = await inTurn(bench, asked)
    const costs = new Map(results.map(({ cost, figure }) => [figure.what, cost]))
    const share = (name: string) =>
      round((costs.get(`bare Hono, ${name}`) ?? 0) / (costs.get(`session check, ${name}`) ?? 1))
    const difference = Math.abs(share('ours') / share('autocannon') - 1)
    return {
      ratios: [
        {
          what: `a session check against bare Hono: ${share('ours')} by ours, ${share('autocannon')} by autocannon; apart by`,
          value: round(difference),
          goal: 'at most 0.15',
          isMet: difference <= 0.15,
        },
      ],
      figures: results.map(({ figure }) => figure),
    }
  },
}

interface Asked extends Case {
  readonly what: string
  readonly ask: (bench: Bench, each: Case) => Promise<Counted>
}

type Round = Counted & { readonly cost: number }

/** Each once a round; the first round warms up. */
async function inTurn(bench: Bench, asked: readonly Asked[]) {
  const rounds = asked.map((): Round[] => [])
  for (let i = -1; i < bench.rounds; i++) {
    for (const [place, each] of asked.entries()) {
      const counted = await askOnce(bench, each)
      if (i >= 0) rounds[place]?.push(counted)
    }
  }
  return asked.map(({ what }, place) => mediansOf(what, rounds[place] ?? []))
}

async function askOnce(bench: Bench, each: Asked): Promise<Round> {
  const before = each.server.cpuMilliseconds()
  const counted = await each.ask(bench, each)
  const cost = ((each.server.cpuMilliseconds() - before) * 1000) / counted.requests
  if (counted.failures > 0) throw new Error(`${each.what}: ${counted.failures} requests were refused`)
  return { ...counted, cost }
}

function mediansOf(what: string, rounds: readonly Round[]): { readonly figure: Figure; readonly cost: number } {
  const of = (pick: (one: Round) => number) => round(median(rounds.map(pick)))
  const cost = of((one) => one.cost)
  const figure = {
    what,
    'per second': Math.round(of((one) => one.perSecond)),
    'CPU µs': cost,
    'p99 ms': of((one) => one.p99Milliseconds),
  }
  return { figure, cost }
}

function byOurs({ generator, seconds, core }: Bench, { server, path, headers }: Case): Promise<Counted> {
  const requests = headers.map((each) => rawRequest('GET', path, { ...SENT_BY_BOTH, ...each }))
  return generator.run({ port: server.port, connections: CONNECTIONS, seconds, core, requests })
}

/** Its connection header cannot be left out, so ours sends the same one. */
const SENT_BY_BOTH = { host: 'localhost:5173', connection: 'keep-alive' }

async function byAutocannon({ seconds, core }: Bench, { server, path, headers }: Case): Promise<Counted> {
  const url = `http://127.0.0.1:${server.port}${path}`
  const requests = headers.map((each) => ({ host: SENT_BY_BOTH.host, ...each }))
  const wanted = JSON.stringify({ url, connections: CONNECTIONS, seconds, isAwake: core === 'own', requests })
  const [command, args] = pinned(cores.load, process.execPath, ['bench/peers/autocannon.js', wanted])
  const { stdout } = await run(command, args)
  return JSON.parse(stdout)
}
