import type { Series } from '../load/measure.ts'

interface Colours {
  readonly paper: string
  readonly ink: string
  readonly grid: string
  readonly lines: readonly string[]
}

export const PALETTES: Readonly<Record<'light' | 'dark', Colours>> = {
  light: {
    paper: '#ffffff',
    ink: '#1f2937',
    grid: '#e5e7eb',
    lines: ['#2563eb', '#059669', '#d97706', '#7c3aed', '#dc2626'],
  },
  dark: {
    paper: '#0d1117',
    ink: '#e5e7eb',
    grid: '#30363d',
    lines: ['#60a5fa', '#34d399', '#fbbf24', '#a78bfa', '#f87171'],
  },
}

const TITLE = 'CPU milliseconds per request, by users or rows'
const WIDTH = 760
const HEIGHT = 420
const LEFT = 70
const RIGHT = 230
const TOP = 40
const BOTTOM = 50

/** Cost of one request against how many users or rows there are; both axes count in powers of ten. */
export function plotOf(series: readonly Series[], colours: Colours): string {
  const points = series.flatMap((one) => one.points)
  const x = axis(
    points.map(([count]) => count),
    LEFT,
    WIDTH - RIGHT,
  )
  const y = axis(
    points.map(([, milliseconds]) => milliseconds),
    HEIGHT - BOTTOM,
    TOP,
  )
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12">`,
    `<title>${TITLE}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="${colours.paper}"/>`,
    text(LEFT, 22, TITLE, colours.ink, 'start', 14),
    ...x.ticks.flatMap((tick) => [
      line(x.at(tick), TOP, x.at(tick), HEIGHT - BOTTOM, colours.grid),
      text(x.at(tick), HEIGHT - BOTTOM + 20, tick.toLocaleString('en'), colours.ink, 'middle'),
    ]),
    ...y.ticks.flatMap((tick) => [
      line(LEFT, y.at(tick), WIDTH - RIGHT, y.at(tick), colours.grid),
      text(LEFT - 8, y.at(tick) + 4, String(tick), colours.ink, 'end'),
    ]),
    ...series.flatMap((one, i) => curve(one, i, colours.lines[i % colours.lines.length] ?? colours.ink)),
    '</svg>',
  ]
  return `${parts.join('\n')}\n`

  function curve({ name, points: own }: Series, number: number, colour: string): readonly string[] {
    const path = own.map(([count, ms]) => `${x.at(count).toFixed(1)},${y.at(ms).toFixed(1)}`).join(' ')
    const row = TOP + 10 + number * 22
    return [
      `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      ...own.map(
        ([count, ms]) => `<circle cx="${x.at(count).toFixed(1)}" cy="${y.at(ms).toFixed(1)}" r="3" fill="${colour}"/>`,
      ),
      line(WIDTH - RIGHT + 14, row - 4, WIDTH - RIGHT + 32, row - 4, colour),
      text(WIDTH - RIGHT + 38, row, name, colours.ink, 'start'),
    ]
  }
}

function axis(values: readonly number[], from: number, to: number) {
  const low = Math.floor(Math.log10(Math.min(...values)))
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))))
  return {
    ticks: Array.from({ length: high - low + 1 }, (_, i) => Number(`1e${low + i}`)),
    at: (value: number) => from + ((Math.log10(value) - low) / (high - low)) * (to - from),
  }
}

function line(x1: number, y1: number, x2: number, y2: number, colour: string): string {
  return `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="${colour}"/>`
}

function text(x: number, y: number, words: string, colour: string, anchor: string, size = 12): string {
  return `<text x="${x}" y="${y}" fill="${colour}" text-anchor="${anchor}" font-size="${size}">${words}</text>`
}
