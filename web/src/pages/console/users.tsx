import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call } from '../../api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Badge } from '../../ui/badge.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Failure } from '../../ui/failure.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { Page } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { RowButton } from '../../ui/row-button.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import type { UserRow } from './rows.ts'
import { useFilters } from './use-filters.ts'
import { UserDetail } from './user-detail.tsx'

const pageSize = 20

export function ConsoleUsers() {
  const { people } = useTexts()
  const { values, page, open, set, setPage, setOpen } = useFilters(['search'])
  const list = useQuery({
    queryKey: ['console', 'users', values.search, page],
    queryFn: () => call('/api/admin/list_users', { ...values, page, page_size: pageSize }),
    placeholderData: keepPreviousData,
  })
  return (
    <Page title={people.title} lead={people.lead}>
      <FilterBar>
        <SearchField
          label={people.search}
          value={values.search ?? ''}
          onSearch={(text) => set('search', text)}
        />
      </FilterBar>
      <Failure error={list.error} />
      {list.isPending && <Skeleton rows={6} />}
      {list.data?.items.length === 0 && (
        <EmptyState icon="users" title={people.emptyTitle} text={people.emptyText} />
      )}
      {list.data && list.data.items.length > 0 && <Rows rows={list.data.items} onOpen={setOpen} />}
      {list.data && <Pager page={page} pageSize={pageSize} total={list.data.total} onChange={setPage} />}
      {open && <UserDetail key={open} id={open} onClose={() => setOpen(undefined)} />}
    </Page>
  )
}

function Rows({ rows, onOpen }: { readonly rows: readonly UserRow[]; onOpen(id: string): void }) {
  const { people, profile } = useTexts()
  return (
    <Table
      label={people.title}
      rows={rows}
      rowKey={({ id }) => id}
      columns={[
        {
          key: 'email',
          title: people.email,
          cell: ({ id, email }) => (
            <RowButton onPress={() => onOpen(id)}>
              <span className="break-all">{email}</span>
            </RowButton>
          ),
        },
        { key: 'name', title: people.name, isExtra: true, cell: ({ name }) => name },
        {
          key: 'state',
          title: people.state,
          cell: ({ email_verified, role }) => (
            <span className="flex flex-wrap gap-1.5">
              {role === 'administrator' && <Badge look="accent">{people.administrator}</Badge>}
              <Badge look={email_verified ? 'plain' : 'warning'}>
                {email_verified ? profile.confirmed : profile.unconfirmed}
              </Badge>
            </span>
          ),
        },
        {
          key: 'since',
          title: people.since,
          isExtra: true,
          cell: ({ created_at }) => <Time at={created_at} />,
        },
      ]}
    />
  )
}
