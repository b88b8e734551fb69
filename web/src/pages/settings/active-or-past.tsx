import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { ComponentProps, ReactNode } from 'react'
import { useTexts } from '../../texts/texts.tsx'
import { Segments } from '../../ui/controls/segments.tsx'
import { ConfirmedAct } from '../../ui/dialogs/confirmed-act.tsx'
import type { Granted } from '../../ui/facts/entry.tsx'
import { actColumn } from '../../ui/lists/columns.tsx'
import { EmptyState } from '../../ui/lists/empty-state.tsx'
import { List } from '../../ui/lists/list.tsx'
import type { Column } from '../../ui/lists/table.tsx'
import { useFilters } from '../use-filters.ts'

interface Listed extends Granted {
  readonly id: string
}

interface Query<Row> {
  readonly queryKey: readonly string[]
  queryFn(): Promise<readonly Row[]>
}

interface Part {
  readonly page: number
  readonly page_size: number
}

/** Everything that has access, newest first: active entries by default, past ones on request. */
export function useActiveOrPast<Row extends Listed>(query: Query<Row>, prefix?: string) {
  const queryClient = useQueryClient()
  const view = useFilters(['status'], prefix)
  const isPast = view.values.status === 'past'
  const partOf = (all: readonly Row[], { page, page_size }: Part) => {
    const rows = all.filter(({ status }) => (status === 'active') !== isPast)
    return { items: rows.slice((page - 1) * page_size, page * page_size), total: rows.length }
  }
  const list = useQuery({ ...query, select: (all) => partOf(all, { page: view.page, page_size: view.size }) })
  const read = async (part: Part) => partOf(await queryClient.ensureQueryData(query), part)
  return { isPast, shown: { query: list, read, view } }
}

interface Revoking<Row> {
  readonly label: string
  nameOf(row: Row): string
  title(row: Row): ReactNode
  readonly text: string
  act(row: Row): Promise<unknown>
  readonly done: string
  titleOfMany(count: number): string
  doneWithMany(count: number): string
  readonly queryKey: readonly string[]
}

interface Props<Row> extends Pick<ComponentProps<typeof List<Row & object>>, 'name' | 'label'> {
  readonly list: ReturnType<typeof useActiveOrPast<Row & Listed>>
  readonly columns: readonly Column<Row>[]
  readonly emptyTitle: string
  readonly emptyText: string
  rowName(row: Row): string
  readonly revoking: Revoking<Row>
}

/** Each entry can be revoked, and several at once; past ones are only listed. */
export function ActiveOrPast<Row extends Listed>({ list, columns, revoking, ...props }: Props<Row>) {
  const { access, common } = useTexts()
  const { isPast, shown } = list
  const { emptyTitle, emptyText, ...named } = props
  const { label, nameOf, title, text, act, done, titleOfMany, doneWithMany, queryKey } = revoking
  const refreshes = [queryKey]
  const filters = (
    <Segments
      label={common.show}
      value={isPast ? 'past' : 'active'}
      options={{ active: access.active, past: access.past }}
      onChange={(chosen) => shown.view.set('status', chosen === 'past' ? chosen : undefined)}
    />
  )
  if (isPast) {
    const empty = <EmptyState icon="clock" title={access.pastEmptyTitle} text={access.pastEmptyText} />
    return <List {...named} {...shown} {...{ filters, empty, columns }} rowKey={({ id }) => id} />
  }
  const question = { title: titleOfMany, text }
  const revoke = actColumn<Row>(label, 'w-28', (row) => (
    <ConfirmedAct
      {...{ label, text, done, refreshes }}
      size="small"
      name={nameOf(row)}
      title={title(row)}
      act={() => act(row)}
    />
  ))
  return (
    <List
      {...named}
      {...shown}
      rowKey={({ id }) => id}
      columns={[...columns, revoke]}
      empty={<EmptyState icon="terminal" title={emptyTitle} text={emptyText} />}
      filters={filters}
      bulk={[{ label, question, done: doneWithMany, refreshes, act }]}
    />
  )
}
