import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Outcome, Ratio, Series } from '../load/measure.ts'
import { PALETTES, plotOf } from './plot.ts'
import type { Run } from './report.ts'

const PAGE = 'docs/performance.md'
const BEGIN = '<!-- results: written by npm run bench -->'
const END = '<!-- end of results -->'

export interface Result extends Outcome {
  readonly name: string
  readonly title: string
  readonly at: string
  readonly run: Run
}

/** The results of one run on one machine. */
export function writePage(folder: string, run: Run): void {
  const results = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file): Result => JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')))
    .filter((result) => result.run?.id === run.id)
  const page = readFileSync(PAGE, 'utf8')
  const [before = '', rest = ''] = page.split(BEGIN)
  const after = rest.split(END)[1] ?? ''
  writeFileSync(PAGE, `${before}${BEGIN}\n\n${resultsOf(results, run)}\n\n${END}${after}`)
  drawPlots(results.flatMap(({ series }) => series ?? []))
}

/** Missed goals come first. */
export function resultsOf(results: readonly Result[], run: Run): string {
  const rows = results.flatMap(({ name, ratios }) => ratios.map((ratio) => ({ name, ...ratio })))
  const [missed, met] = [rows.filter(({ isMet }) => !isMet), rows.filter(({ isMet }) => isMet)]
  return [
    `One run, begun at a load of ${run.loadBefore}: ${run.processor}, ${run.cores} cores, ${run.memoryGigabytes} GB; Node ${run.node}, SQLite ${run.sqlite}; ${versionsOf(run)}.`,
    missed.length === 0 ? '### Every goal was reached' : `### Goals that were missed\n\n${goals(missed)}`,
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

function goals(rows: readonly (Ratio & { readonly name: string })[]): string {
  const lines = rows.map(({ name, what, goal, value }) => `| \`${name}\` | ${what} | ${goal} | ${value} |`)
  return ['| Measure | What | Goal | Result |', '|---|---|---|---:|', ...lines].join('\n')
}

function details({ title, figures, at, name }: Result): string {
  const heading = `**${name}.** ${title}. ${at.slice(0, 16).replace('T', ' ')} UTC.`
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
  if (series.length === 0) return
  for (const [name, colours] of Object.entries(PALETTES)) {
    writeFileSync(`docs/performance-${name}.svg`, plotOf(series, colours))
  }
}
