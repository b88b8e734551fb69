import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Output } from '../../../server/api.ts'
import { useNumber } from '../../../texts/numbers.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { Segments } from '../../../ui/controls/segments.tsx'
import { Loaded } from '../../../ui/lists/loaded.tsx'
import { Skeleton } from '../../../ui/lists/skeleton.tsx'
import { figuresQuery } from '../queries.ts'
import { Chart } from './chart.tsx'

type Kind = keyof typeof lists
type Beside = Exclude<Kind, 'sign_ups'>
type Span = '7' | '30' | '90'

/** The list with the rows that a bar counts. */
const lists = {
  sign_ups: (day) => `/console/users?joined=${day}..${day}`,
  sign_ins: (day) => `/console/audit?action=user.sign_in&when=${day}..${day}`,
  people: (day) => `/console/audit?action=user.sign_in&when=${day}..${day}`,
  refused: (day) => `/console/audit?action=user.sign_in_refused&when=${day}..${day}`,
} as const satisfies Record<string, (day: string) => string>

/** Sign-ups by day beside what is chosen of sign-ins, each with the change since the period before. */
export function Figures() {
  const { figures, common } = useTexts()
  const [span, setSpan] = useState<Span>('30')
  const [kind, setKind] = useState<Beside>('sign_ins')
  const { sign_ups: _, ...beside } = figures.kinds
  const query = useQuery({ ...figuresQuery(Number(span)), placeholderData: keepPreviousData })
  return (
    <Card title={figures.title} lead={figures.lead(Number(span))}>
      <div className="mb-5 flex flex-wrap gap-3">
        <Segments label={common.show} value={kind} options={beside} onChange={setKind} />
        <Segments label={figures.days} value={span} options={figures.spans} onChange={setSpan} />
      </div>
      <Loaded query={query} skeleton={<Skeleton rows={3} />}>
        {(data) => (
          <div className="grid gap-8 lg:grid-cols-2">
            {(['sign_ups', kind] as const).map((one) => (
              <OneChart key={one} kind={one} data={data} />
            ))}
          </div>
        )}
      </Loaded>
    </Card>
  )
}

function OneChart({
  kind,
  data: { days, before },
}: {
  readonly kind: Kind
  readonly data: Output<'/api/admin/get_figures'>
}) {
  const { figures } = useTexts()
  const counts = days.map((day) => ({ day: day.day, count: day[kind] }))
  return (
    <div className="min-w-0">
      <h3 className="mb-2 font-semibold text-compact">{figures.kinds[kind]}</h3>
      <Summary counts={counts} before={kind === 'people' ? undefined : before[kind]} />
      <Chart label={figures.kinds[kind]} days={counts} list={{ words: figures.lists[kind], linkOf: lists[kind] }} />
    </div>
  )
}

interface SummaryProps {
  readonly counts: readonly { readonly count: number }[]
  /** A user can sign in on several days, so the users of each day have no sum to compare. */
  readonly before: number | undefined
}

function Summary({ counts, before }: SummaryProps) {
  const { figures } = useTexts()
  const number = useNumber()
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  const most = Math.max(...counts.map(({ count }) => count))
  const shown = before === undefined ? most : total
  return (
    <p className="mb-3 flex flex-wrap items-baseline gap-x-3">
      <span className="text-small text-ink-soft">{before === undefined ? figures.most : figures.total}</span>
      <span className="tabular font-semibold text-page leading-none">{number(shown)}</span>
      <span className="text-small text-ink-soft">
        <Comparison total={total} before={before} />
      </span>
    </p>
  )
}

function Comparison({ total, before }: { readonly total: number; readonly before: number | undefined }) {
  const { figures } = useTexts()
  const percent = useNumber({ style: 'percent', maximumFractionDigits: 0 })
  if (!before) return null
  const change = percent(Math.abs(total - before) / before)
  if (total === before) return figures.same
  return total > before ? figures.more(change) : figures.less(change)
}
