import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { cores, type Program } from '../load/cores.ts'
import { atMost, type Figure, type Measure, median, round } from '../load/measure.ts'
import { type Folder, HONO_ALONE, NODE_ALONE, preparedFolder, startAlone, startOurs } from '../ours.ts'
import { startPeer } from '../peers.ts'
import type { Server } from '../server.ts'

const STARTS = 11
const SETTLED = 3
const SETTLE_MILLISECONDS = 2_000

const CLONE = 'from a clone, as npm start'
const RELEASE = 'the release'
const PLATFORM = `${process.platform}-${process.arch}`

export const measure: Measure = {
  title: 'Start to first healthy answer on prepared data, and memory when idle',
  async run() {
    execFileSync(process.execPath, ['scripts/release/release.ts', PLATFORM], { stdio: 'pipe' })
    await using folder = await preparedFolder()
    const starters = Object.entries(startersOn(folder))
    const contenders = starters.map(([name, start]) => ({ name, start, starts: [] as Start[] }))
    // In turn; the first of each fills the cache of compiled code.
    for (let number = 0; number <= STARTS; number++) {
      for (const { start, starts } of contenders) {
        const one = await startOnce(start, number > STARTS - SETTLED)
        if (number > 0) starts.push(one)
      }
    }
    const figures = contenders.map(({ name, starts }) => figureOf(name, starts))
    return { ratios: figures.flatMap(ratiosOf), figures }
  },
}

function startersOn(folder: Folder): Readonly<Record<string, () => Promise<Server>>> {
  // The cache that `bin/gatehouse` would give them.
  const env = { NODE_COMPILE_CACHE: 'node_modules/.cache/compiled' }
  const started = (program: Program) => startOurs(folder, env, cores.server, program)
  const ours = (...args: readonly string[]) => started([process.execPath, ...args])
  return {
    'node:http alone': () => startAlone(NODE_ALONE),
    'Hono alone': () => startAlone(HONO_ALONE),
    [RELEASE]: () => started([`release/gatehouse-${PLATFORM}`, 'serve']),
    'the package': () => ours('dist/gatehouse.mjs', 'serve'),
    [CLONE]: () => ours('scripts/start.mjs'),
    'its sources, unbuilt': () => ours('src/main.ts', 'serve'),
    'Better Auth': () => startPeer('better-auth', { DATABASE_FILE: join(folder.path, 'better-auth') }),
    'oidc-provider': () =>
      startPeer('oidc-provider', { DATABASE_FILE: join(folder.path, 'oidc'), TOKENS_FILE: '/dev/null', TOKENS: '0' }),
  }
}

type Start = Awaited<ReturnType<typeof startOnce>>

/** With the memory when nothing has happened for a while, if it is to settle. */
async function startOnce(start: () => Promise<Server>, settle: boolean) {
  const began = performance.now()
  await using server = await start()
  const milliseconds = performance.now() - began
  const cpuMilliseconds = server.cpuMilliseconds()
  if (settle) await wait(SETTLE_MILLISECONDS)
  return { milliseconds, cpuMilliseconds, idleMegabytes: settle ? [server.memoryMegabytes()] : [] }
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
    'idle MB': round(median(starts.flatMap(({ idleMegabytes }) => idleMegabytes))),
  } satisfies Figure
}

function ratiosOf({ what, 'CPU ms': cpu, 'idle MB': idle }: ReturnType<typeof figureOf>) {
  if (what !== RELEASE && what !== CLONE) return []
  return [atMost(`${what}: start, processor time`, cpu, 150, 'ms'), atMost(`${what}: idle memory`, idle, 75, 'MB')]
}
