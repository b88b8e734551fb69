import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { basename } from 'node:path'
import { cores } from '../load/cores.ts'
import type { Figure, Measure, Outcome } from '../load/measure.ts'

/** Ratios first, then the figures behind them. */
export function print(name: string, { title }: Measure, { ratios, figures }: Outcome): void {
  const lines = ratios.map(
    ({ what, value, goal, isMet }) =>
      `  ${isMet ? 'met ' : 'MISS'}  ${String(value).padEnd(8)} ${what} (${goal})`,
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

export function newRun() {
  return {
    id: randomUUID(),
    /** The load of the last minute, before anything was measured: near 0 on a quiet machine. */
    loadBefore: loadavg()[0],
    processor: cpus()[0]?.model,
    cores: cpus().length,
    pinned: cores.isPinned,
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    sqlite: process.versions.sqlite,
    packages: Object.fromEntries(PACKAGES.map((folder) => [basename(folder), versionOf(folder)])),
  }
}

/** The run that the page is about, if this is the same machine with the same versions. */
export function lastRun(): { readonly run: Run; readonly failed: Set<string> } {
  const last: { run: Run; failed: string[] } = JSON.parse(readFileSync('docs/performance.json', 'utf8'))
  const { id, loadBefore } = last.run
  if (JSON.stringify({ ...newRun(), id, loadBefore }) !== JSON.stringify(last.run)) {
    throw new Error('docs/performance.json is from another machine, or from other versions')
  }
  return { run: last.run, failed: new Set(last.failed) }
}

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
