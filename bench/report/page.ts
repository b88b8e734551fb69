import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Outcome, Ratio, Series } from '../load/measure.ts'
import { writeCosts } from './cost.ts'
import { between } from './generated.ts'
import { PALETTES, plotOf } from './plot.ts'
import { reasonOf } from './reasons.ts'
import type { Run } from './report.ts'

const PAGE = 'docs/performance.md'
/** The same results, for programs. */
const DATA = 'docs/performance.json'

export interface Result extends Outcome {
  readonly name: string
  readonly title: string
  readonly at: string
  readonly run: Run
  /** In seconds. */
  readonly took: number
}

/** The results of one run on one machine. */
export function writePage(folder: string, run: Run, failed: readonly string[]): void {
  const results = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file): Result => JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')))
    .filter((result) => result.run?.id === run.id)
  writeFileSync(PAGE, between(readFileSync(PAGE, 'utf8'), resultsOf(results, run, failed)))
  writeFileSync(DATA, `${JSON.stringify({ run, failed, results }, null, 1)}\n`)
  writeCosts(results)
  drawPlots(results.flatMap(({ series }) => series ?? []))
}

/** Missed goals come first. */
export function resultsOf(results: readonly Result[], run: Run, failed: readonly string[] = []): string {
  const rows = results.flatMap(({ name, ratios }) => ratios.map((ratio) => ({ name, ...ratio })))
  const [missed, met] = [rows.filter(({ isMet }) => !isMet), rows.filter(({ isMet }) => isMet)]
  return [
    `One run, begun at a load of ${run.loadBefore}: ${run.processor}, ${run.cores} cores, ${run.memoryGigabytes} GB, ${run.system}; Node ${run.node}, SQLite ${run.sqlite}; ${versionsOf(run)}. Version ${run.version}, ${run.rounds} rounds of ${run.secondsOfARound} s each after one to warm up. It took ${minutesOf(results)} minutes.`,
    ...(failed.length === 0 ? [] : [`### Not measured\n\nThese failed in this run: ${failed.join(', ')}.`]),
    missed.length === 0 ? '### Every goal was reached' : missedGoals(missed),
    ...(met.length === 0 ? [] : [`### Goals that were reached\n\n${goals(met)}`]),
    '### What the ratios are made of',
    'Medians of the rounds; of processor time also the lowest and the highest.',
    ...results.map(details),
  ].join('\n\n')
}

function versionsOf({ packages }: Run): string {
  return Object.entries(packages)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ')
}

function minutesOf(results: readonly Result[]): number {
  return Math.round(results.reduce((sum, { took }) => sum + took, 0) / 60)
}

type Row = Ratio & { readonly name: string }

/** Each with its reason, if one is known. */
function missedGoals(missed: readonly Row[]): string {
  const reasons = [...new Set(missed.flatMap(({ name, what }) => reasonOf(name, what) ?? []))]
  return [
    '### Goals that were missed',
    goals(missed),
    ...(reasons.length === 0 ? [] : ['Why:', reasons.map((reason) => `- ${reason}`).join('\n')]),
  ].join('\n\n')
}

function goals(rows: readonly Row[]): string {
  const lines = rows.map(({ name, what, goal, value }) => `| \`${name}\` | ${what} | ${goal} | ${value} |`)
  return ['| Measure | What | Goal | Result |', '|---|---|---|---:|', ...lines].join('\n')
}

function details({ title, figures, at, name, took }: Result): string {
  const heading = `**${name}.** ${title}. ${at.slice(0, 16).replace('T', ' ')} UTC, ${took} s.`
  const columns = [...new Set(figures.flatMap(Object.keys))]
  if (columns.length === 0) return heading
  const lines = figures.map((figure) => `| ${columns.map((column) => figure[column] ?? '').join(' | ')} |`)
  return [
    heading,
    '',
    `| ${columns.join(' | ')} |`,
    `|${columns.map((_, i) => (i === 0 ? '---' : '---:')).join('|')}|`,
    ...lines,
  ].join('\n')
}

function drawPlots(series: readonly Series[]): void {
  for (const [name, colours] of Object.entries(PALETTES)) {
    writeFileSync(`docs/performance-${name}.svg`, plotOf(series, colours))
  }
}
