import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call } from '../../api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Failure } from '../../ui/failure.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { Page } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Table } from '../../ui/table.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { Time } from '../../ui/time.tsx'
import { useFilters } from './use-filters.ts'

const pageSize = 50

export function ConsoleAudit() {
  const { audit } = useTexts()
  const { values, page, set, setPage } = useFilters(['action', 'actor_id', 'subject_id'])
  const list = useQuery({
    queryKey: ['console', 'audit', values, page],
    queryFn: () => call('/api/admin/list_audit_entries', { ...values, page, page_size: pageSize }),
    placeholderData: keepPreviousData,
  })
  return (
    <Page title={audit.title} lead={audit.lead}>
      <FilterBar>
        <SearchField
          label={audit.action}
          value={values.action ?? ''}
          onSearch={(text) => set('action', text)}
        />
        <SearchField
          label={audit.actor}
          value={values.actor_id ?? ''}
          onSearch={(text) => set('actor_id', text)}
        />
        <SearchField
          label={audit.subject}
          value={values.subject_id ?? ''}
          onSearch={(text) => set('subject_id', text)}
        />
      </FilterBar>
      <Failure error={list.error} />
      {list.isPending && <Skeleton rows={8} />}
      {list.data?.items.length === 0 && (
        <EmptyState icon="scroll" title={audit.emptyTitle} text={audit.emptyText} />
      )}
      {list.data && list.data.items.length > 0 && (
        <Table
          label={audit.title}
          rows={list.data.items}
          rowKey={({ id }) => id}
          columns={[
            { key: 'when', title: audit.when, cell: ({ created_at }) => <Time at={created_at} /> },
            { key: 'action', title: audit.action, cell: ({ action }) => <code>{action}</code> },
            {
              key: 'actor',
              title: audit.actor,
              cell: ({ actor_id, actor_email }) => <Person id={actor_id} email={actor_email} />,
            },
            { key: 'subject', title: audit.subject, isExtra: true, cell: (row) => <Subject {...row} /> },
            {
              key: 'details',
              title: audit.details,
              isExtra: true,
              cell: ({ details }) => <Details of={details} />,
            },
            { key: 'from', title: audit.from, isExtra: true, cell: ({ ip }) => ip ?? '' },
          ]}
        />
      )}
      {list.data && <Pager page={page} pageSize={pageSize} total={list.data.total} onChange={setPage} />}
    </Page>
  )
}

interface SubjectProps {
  readonly subject_type: string | null
  readonly subject_id: string | null
}

function Subject({ subject_type: type, subject_id: id }: SubjectProps) {
  if (type === 'user') return <Person id={id} email={null} />
  return type === null ? null : <span title={id ?? ''}>{type}</span>
}

interface PersonProps {
  readonly id: string | null
  readonly email: string | null
}

/** Whoever is gone is known by the end of the id only. */
function Person({ id, email }: PersonProps) {
  if (id === null) return null
  return (
    <TextLink to={`/console/users?open=${id}`}>
      <span title={id}>{email ?? `…${id.slice(-6)}`}</span>
    </TextLink>
  )
}

/** Facts of any kind, as short as they can be said. */
function Details({ of: details }: { readonly of: Readonly<Record<string, unknown>> }) {
  return (
    <span className="break-words text-[0.867rem] text-ink-soft">
      {Object.entries(details)
        .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
        .join(', ')}
    </span>
  )
}
