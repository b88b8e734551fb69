import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem, type } from 'node:os'
import { basename } from 'node:path'
import { cores } from '../load/cores.ts'
import type { Bench, Figure, Measure, Outcome } from '../load/measure.ts'

/** Ratios first, then the figures behind them. */
export function print(name: string, { title }: Measure, { ratios, figures }: Outcome): void {
  const lines = ratios.map(
    ({ what, value, goal, isMet }) => `  ${isMet ? 'met ' : 'MISS'}  ${String(value).padEnd(8)} ${what} (${goal})`,
  )
  process.stdout.write(`\n${name}: ${title}\n${lines.join('\n')}\n\n${tableOf(figures)}\n`)
}

function tableOf(figures: readonly Figure[]): string {
  const columns = [...new Set(figures.flatMap(Object.keys))]
  const rows = [columns, ...figures.map((figure) => columns.map((column) => String(figure[column] ?? '')))]
  const widths = columns.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)))
  return rows.map((row) => `  ${row.map((cell, i) => pad(cell, widths[i] ?? 0, i)).join('  ')}`).join('\n')
}

function pad(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width)
}

const FOLDER = 'bench/results'

/** In seconds. */
type Taken = Outcome & { readonly took: number }

/** What an earlier run left would look like a result of this one if this one fails. */
export function forgetResult(name: string): void {
  rmSync(`${FOLDER}/${name}.json`, { force: true })
}

/** With the machine and versions, so that two runs can be compared. */
export function keepResult(name: string, { title }: Measure, outcome: Taken, run: Run): void {
  mkdirSync(FOLDER, { recursive: true })
  const result = { name, title, ...outcome, run, at: new Date().toISOString() }
  writeFileSync(`${FOLDER}/${name}.json`, `${JSON.stringify(result, null, 2)}\n`)
}

/** One start of the program; everything on a page is from one run. */
export type Run = ReturnType<typeof newRun>

export function newRun({ rounds, seconds }: Pick<Bench, 'rounds' | 'seconds'>) {
  return {
    id: randomUUID(),
    rounds,
    secondsOfARound: seconds,
    version: lastChange(),
    /** The load of the last minute, before anything was measured: near 0 on a quiet machine. */
    loadBefore: loadavg()[0],
    processor: cpus()[0]?.model,
    cores: cpus().length,
    pinned: cores.isPinned,
    system: `${type()} ${release()}`,
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    sqlite: process.versions.sqlite,
    packages: Object.fromEntries(PACKAGES.map((folder) => [basename(folder), versionOf(folder)])),
  }
}

interface LastRun {
  readonly run: Run
  readonly failed: readonly string[]
}

/** The run that the page is about, if `now` is the same program on the same machine, in rounds of the same length. */
export function continued({ run, failed }: LastRun, now: Run, wanted: readonly string[]): LastRun {
  const { id, loadBefore } = run
  if (JSON.stringify({ ...now, id, loadBefore }) !== JSON.stringify(run)) {
    throw new Error('docs/performance.json is from another machine, other versions or other rounds')
  }
  // Otherwise a result that somebody dislikes could be measured until it is better.
  if (wanted.length === 0 || !wanted.every((name) => failed.includes(name))) {
    throw new Error(
      `Only a measure that failed in the last run can be repeated into it: ${failed.join(', ') || 'none did'}`,
    )
  }
  return { run, failed }
}

export function lastRun(): LastRun {
  return JSON.parse(readFileSync('docs/performance.json', 'utf8'))
}

/** The last commit of what is measured and of what measures it; with a mark if something has changed since. */
function lastChange(): string {
  const git = (...args: readonly string[]) =>
    String(spawnSync('git', [...args, '--', ...MEASURED], { encoding: 'utf8' }).stdout ?? '').trim()
  const isChanged = git('status', '--porcelain', '--untracked-files=no') !== ''
  return `${git('log', '-1', '--format=%h') || 'unknown'}${isChanged ? ' with changes' : ''}`
}

/** Without the measures: one that failed is mended before it is repeated, and it had no result to improve. */
const MEASURED = [
  ...['src', 'client', 'packages', 'web', 'bin', 'scripts', 'bench', 'package-lock.json'],
  ...[':!bench/measures', ':!bench/report'],
]

const PACKAGES = [
  'node_modules/hono',
  'node_modules/@hono/node-server',
  'bench/peers/node_modules/better-auth',
  'bench/peers/node_modules/oidc-provider',
  'bench/peers/node_modules/autocannon',
]

/** Peers are installed by the first run. */
function versionOf(folder: string): string {
  if (!existsSync(`${folder}/package.json`)) return 'not installed'
  return JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')).version
}
