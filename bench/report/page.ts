import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Outcome, Series } from '../load/measure.ts'
import { PALETTES, plotOf } from './plot.ts'

const PAGE = 'docs/performance.md'
const BEGIN = '<!-- results: written by npm run bench -->'
const END = '<!-- end of results -->'

interface Result extends Outcome {
  readonly name: string
  readonly title: string
  readonly at: string
  readonly machine: Readonly<Record<string, unknown>>
}

/** The last result of each measure, as the page shows it. */
export function writePage(folder: string): void {
  const results = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file): Result => JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')))
  const page = readFileSync(PAGE, 'utf8')
  const [before = '', rest = ''] = page.split(BEGIN)
  const after = rest.split(END)[1] ?? ''
  writeFileSync(PAGE, `${before}${BEGIN}\n\n${tableOf(results)}\n\n${END}${after}`)
  drawPlots(results.flatMap(({ series }) => series ?? []))
}

function tableOf(results: readonly Result[]): string {
  const rows = results.flatMap(({ name, ratios }) =>
    ratios.map(
      ({ what, value, goal, isMet }) =>
        `| \`${name}\` | ${what} | ${goal} | ${value} | ${isMet ? 'yes' : '**no**'} |`,
    ),
  )
  const details = results.map(({ title, figures, at, name }) => {
    const columns = [...new Set(figures.flatMap(Object.keys))]
    const lines = figures.map((figure) => `| ${columns.map((column) => figure[column] ?? '').join(' | ')} |`)
    const heading = `**${name}.** ${title}. ${at.slice(0, 16).replace('T', ' ')} UTC.`
    if (columns.length === 0) return heading
    return [
      heading,
      '',
      `| ${columns.join(' | ')} |`,
      `|${columns.map((_, i) => (i === 0 ? '---' : '---:')).join('|')}|`,
      ...lines,
    ].join('\n')
  })
  return [
    '| Measure | Ratio | Goal | Result | Met |\n|---|---|---|---:|---|',
    `${rows.join('\n')}\n`,
    '## What the ratios are made of\n',
    details.join('\n\n'),
    `\nMachine: ${JSON.stringify(results.at(-1)?.machine)}`,
  ].join('\n')
}

function drawPlots(series: readonly Series[]): void {
  if (series.length === 0) return
  for (const [name, colours] of Object.entries(PALETTES)) {
    writeFileSync(`docs/performance-${name}.svg`, plotOf(series, colours))
  }
}
