import type { ReactNode } from 'react'
import { Link } from '../../../routing/router.tsx'
import { useNumber } from '../../../texts/numbers.ts'
import { useTexts } from '../../../texts/texts.tsx'

interface Props {
  readonly name: string
  /** Null if it is not known now. */
  readonly value: number | null
  readonly to: string
  /** The counts of the last days. */
  readonly days?: readonly number[]
  /** How it has changed, or what it is made of. */
  readonly note: ReactNode
  readonly isWarning?: boolean
}

/** One figure of today, with its last days and their change. */
export function Tile({ name, value, to, days = [], note, isWarning = false }: Props) {
  const { overview } = useTexts()
  const number = useNumber()
  return (
    <Link
      to={to}
      className="flex flex-col rounded-lg border border-line bg-surface p-5 shadow-card transition-colors hover:border-line-strong"
    >
      <span className="text-small text-ink-soft">{name}</span>{' '}
      <span className="mt-1 flex items-end justify-between gap-4">
        <span className="tabular font-semibold text-figure leading-none tracking-[-0.02em]">
          {value === null ? overview.unknownFigure : number(value)}
        </span>{' '}
        <Sparkline days={days} />
      </span>
      <span className={`mt-2 text-tiny ${isWarning ? 'text-warning' : 'text-ink-soft'}`}>{note}</span>
    </Link>
  )
}

const width = 96
const height = 28

/** The charts below have the same figures in words. */
function Sparkline({ days }: { readonly days: readonly number[] }) {
  if (days.length < 2) return null
  const top = Math.max(1, ...days)
  const points = days.map((count, at) => {
    const x = (at / (days.length - 1)) * (width - 4) + 2
    return `${x.toFixed(1)},${(height - 3 - (count / top) * (height - 6)).toFixed(1)}`
  })
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${width} ${height}`}
      className="h-7 w-24 shrink-0 fill-none stroke-2 stroke-accent forced-colors:stroke-[CanvasText]"
    >
      <polyline points={points.join(' ')} strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  )
}
