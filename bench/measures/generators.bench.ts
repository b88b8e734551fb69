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
    const figures = new Map<string, Figure>()
    const costs = new Map<string, number>()
    for (const [name, ask] of [
      ['ours', byOurs],
      ['autocannon', byAutocannon],
    ] as const) {
      for (const each of cases) {
        const what = `${each.name}, ${name}`
        const { figure, cost } = await repeated(bench, each, ask)
        figures.set(what, { what, ...figure })
        costs.set(what, cost)
      }
    }
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
      figures: [...figures.values()],
    }
  },
}

async function repeated(bench: Bench, each: Case, ask: (bench: Bench, each: Case) => Promise<Counted>) {
  const rounds: (Counted & { readonly cost: number })[] = []
  for (let i = -1; i < bench.rounds; i++) {
    const before = each.server.cpuMilliseconds()
    const counted = await ask(bench, each)
    const cost = ((each.server.cpuMilliseconds() - before) * 1000) / counted.requests
    if (counted.failures > 0) throw new Error(`${each.name}: ${counted.failures} requests were refused`)
    if (i >= 0) rounds.push({ ...counted, cost })
  }
  const of = (pick: (one: (typeof rounds)[number]) => number) => round(median(rounds.map(pick)))
  const cost = of((one) => one.cost)
  const figure = {
    'per second': Math.round(of((one) => one.perSecond)),
    'CPU µs': cost,
    'p99 ms': of((one) => one.p99Milliseconds),
  }
  return { figure, cost }
}

function byOurs({ generator, seconds, core }: Bench, { server, path, headers }: Case): Promise<Counted> {
  const requests = headers.map((each) => rawRequest('GET', path, each))
  return generator.run({ port: server.port, connections: CONNECTIONS, seconds, core, requests })
}

async function byAutocannon({ seconds }: Bench, { server, path, headers }: Case): Promise<Counted> {
  const url = `http://127.0.0.1:${server.port}${path}`
  const wanted = JSON.stringify({ url, connections: CONNECTIONS, seconds, requests: headers })
  const [command, args] = pinned(cores.load, process.execPath, ['bench/peers/autocannon.js', wanted])
  const { stdout } = await run(command, args)
  return JSON.parse(stdout)
}
