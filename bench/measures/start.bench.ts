import { execFileSync } from 'node:child_process'
import { atMost, type Figure, type Measure, median, round } from '../load/measure.ts'
import { type Folder, preparedFolder, startOursAs } from '../ours.ts'
import { type Server, startServer } from '../server.ts'

const STARTS = 11
const SETTLED = 3
const SETTLE_MILLISECONDS = 2_000

interface Start {
  readonly milliseconds: number
  readonly cpuMilliseconds: number
  /** Memory when nothing has happened for a while; not measured after every start. */
  readonly idleMegabytes: number | undefined
}

export const measure: Measure = {
  title: 'Start to first healthy answer on prepared data, and memory when idle',
  async run() {
    execFileSync(process.execPath, ['scripts/release/release.ts', PLATFORM], { stdio: 'pipe' })
    await using folder = await preparedFolder()
    const contenders = startersOn(folder)
    const starts = new Map<string, Start[]>(contenders.map(([name]) => [name, []]))
    // In turn; the first of each fills the cache of compiled code.
    for (let number = 0; number <= STARTS; number++) {
      for (const [name, start] of contenders) {
        const one = await startOnce(start, number > STARTS - SETTLED)
        if (number > 0) starts.get(name)?.push(one)
      }
    }
    const figures = [...starts].map(([name, all]) => figureOf(name, all))
    return { ratios: ratiosOf(figures), figures }
  },
}

type Starter = readonly [name: string, start: () => Promise<Server>]

const CLONE = 'from a clone, as npm start'
const PACKAGE = 'the package'
const RELEASE = 'the release'
const PLATFORM = `${process.platform}-${process.arch}`

function startersOn(folder: Folder): readonly Starter[] {
  return [
    ['node:http alone', () => startServer({ ...inline(NODE_ALONE), readyPath: '/' })],
    ['Hono alone', () => startServer({ ...inline(HONO_ALONE), readyPath: '/' })],
    [RELEASE, () => startOursAs([`release/gatehouse-${PLATFORM}`, 'serve'], folder)],
    [PACKAGE, () => startOursAs([process.execPath, 'dist/gatehouse.mjs', 'serve'], folder)],
    [CLONE, () => startOursAs([process.execPath, 'scripts/start.mjs'], folder)],
    ['its sources, unbuilt', () => startOursAs([process.execPath, 'src/main.ts', 'serve'], folder)],
  ]
}

/** What every server on this Node and framework costs before it does anything. */
const NODE_ALONE = `
  import { createServer } from 'node:http'
  createServer((_, response) => response.end('{}')).listen(process.env.PORT, '127.0.0.1')`
const HONO_ALONE = `
  import { serve } from '@hono/node-server'
  import { Hono } from 'hono'
  const app = new Hono().get('/', (context) => context.json({}))
  serve({ fetch: app.fetch, port: process.env.PORT, hostname: '127.0.0.1' })`

function inline(program: string) {
  return { command: process.execPath, args: ['--input-type=module', '--eval', program] }
}

async function startOnce(start: () => Promise<Server>, settle: boolean): Promise<Start> {
  const began = performance.now()
  await using server = await start()
  const milliseconds = performance.now() - began
  const cpuMilliseconds = server.cpuMilliseconds()
  if (!settle) return { milliseconds, cpuMilliseconds, idleMegabytes: undefined }
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MILLISECONDS))
  return { milliseconds, cpuMilliseconds, idleMegabytes: server.memoryMegabytes() }
}

function figureOf(what: string, starts: readonly Start[]) {
  const walls = starts.map(({ milliseconds }) => milliseconds)
  // The system counts processor time in steps of 10 ms, so the mean is more precise than the median.
  const cpu = starts.reduce((sum, { cpuMilliseconds }) => sum + cpuMilliseconds, 0) / starts.length
  return {
    what,
    'median ms': Math.round(median(walls)),
    fastest: Math.round(Math.min(...walls)),
    slowest: Math.round(Math.max(...walls)),
    'CPU ms': Math.round(cpu),
    'idle MB': round(median(starts.flatMap(({ idleMegabytes }) => idleMegabytes ?? []))),
  } satisfies Figure
}

function ratiosOf(figures: readonly ReturnType<typeof figureOf>[]) {
  return figures
    .filter(({ what }) => what === RELEASE || what === CLONE)
    .flatMap((figure) => [
      atMost(`${figure.what}: start, processor time`, figure['CPU ms'], 150, 'ms'),
      atMost(`${figure.what}: idle memory`, figure['idle MB'], 75, 'MB'),
    ])
}
