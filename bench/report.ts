import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem, type } from 'node:os'
import { cores } from './load/cores.ts'
import type { Bench, Figure, Measure, Outcome } from './load/measure.ts'

/** Prints ratios first, then the figures behind them. Keeps the machine and the versions too, to compare two runs. */
export function report(name: string, { title }: Measure, outcome: Outcome, run: ReturnType<typeof newRun>): void {
  const lines = outcome.ratios.map(
    ({ what, value, goal, isMet }) => `  ${isMet ? 'met ' : 'MISS'}  ${String(value).padEnd(8)} ${what} (${goal})`,
  )
  process.stdout.write(`\n${name}: ${title}\n${lines.join('\n')}\n\n${tableOf(outcome.figures)}\n`)
  mkdirSync(FOLDER, { recursive: true })
  const result = { name, title, ...outcome, run, at: new Date().toISOString() }
  writeFileSync(`${FOLDER}/${name}.json`, `${JSON.stringify(result, null, 2)}\n`)
}

const FOLDER = 'bench/results'

function tableOf(figures: readonly Figure[]): string {
  const columns = [...new Set(figures.flatMap(Object.keys))]
  const rows = [columns, ...figures.map((figure) => columns.map((column) => String(figure[column] ?? '')))]
  const widths = columns.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)))
  const padded = (cell: string, i: number) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))
  return rows.map((row) => `  ${row.map(padded).join('  ')}`).join('\n')
}

/** One start of the program; everything in `docs/performance.md` is from one run. */
export function newRun({ rounds, seconds }: Pick<Bench, 'rounds' | 'seconds'>) {
  return {
    rounds,
    secondsOfARound: seconds,
    version: version(),
    /** The load of the last minute, before anything was measured: near 0 on a quiet machine. */
    loadBefore: loadavg()[0],
    processor: cpus()[0]?.model,
    cores: cpus().length,
    pinned: cores.isPinned,
    system: `${type()} ${release()}`,
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    sqlite: process.versions.sqlite,
  }
}

/** The commit, with a mark if something has changed since. */
function version(): string {
  const git = (...args: readonly string[]) => String(spawnSync('git', args, { encoding: 'utf8' }).stdout ?? '').trim()
  const isChanged = git('status', '--porcelain', '--untracked-files=no') !== ''
  return `${git('log', '-1', '--format=%h') || 'unknown'}${isChanged ? ' with changes' : ''}`
}
