import { useTexts } from '../../texts/texts.tsx'
import { Segments } from '../../ui/controls/segments.tsx'
import { EmptyState } from '../../ui/lists/empty-state.tsx'
import { useFilters } from '../use-filters.ts'
import { useWholeList } from '../use-whole-list.ts'

const filterNames = ['status'] as const

interface Granted {
  readonly status: 'active' | 'revoked' | 'expired'
}

interface Query<Row> {
  readonly queryKey: readonly string[]
  queryFn(): Promise<readonly Row[]>
}

/** What has access: active entries by default, past ones on request. */
export function useActiveOrPast<Row extends Granted>(query: Query<Row>) {
  const { access } = useTexts()
  const view = useFilters(filterNames)
  const isPast = view.values.status === 'past'
  const whole = useWholeList(query, view, ({ status }) => (status === 'active') !== isPast)
  const filters = (
    <Segments
      label={access.state}
      value={isPast ? 'past' : 'active'}
      options={{ active: access.active, past: access.past }}
      onChange={(chosen) => view.set('status', chosen === 'past' ? chosen : undefined)}
    />
  )
  return { ...whole, view, isPast, filters }
}

export function NothingPast() {
  const { access } = useTexts()
  return <EmptyState icon="clock" title={access.pastEmptyTitle} text={access.pastEmptyText} />
}
