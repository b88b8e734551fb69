import { useQuery } from '@tanstack/react-query'
import { ownNameOf } from '../../../own-name.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { RowButton } from '../../../ui/controls/row-button.tsx'
import { SearchField } from '../../../ui/controls/search-field.tsx'
import { Badge } from '../../../ui/facts/badge.tsx'
import { PersonText } from '../../../ui/facts/person-text.tsx'
import { Time } from '../../../ui/facts/time.tsx'
import { EmptyState } from '../../../ui/lists/empty-state.tsx'
import { FilterBar } from '../../../ui/lists/filter-bar.tsx'
import { List } from '../../../ui/lists/list.tsx'
import type { Column } from '../../../ui/lists/table.tsx'
import { Page } from '../../../ui/page.tsx'
import { filterNames, pageSizes, usersQuery } from '../queries.ts'
import type { UserRow } from '../rows.ts'
import { useFilters } from '../use-filters.ts'
import { UserDetail } from './user-detail.tsx'

export function ConsoleUsers() {
  const { people } = useTexts()
  const { values, page, open, set, setPage, setOpen } = useFilters(filterNames.users)
  const list = useQuery(usersQuery({ values, page }))
  return (
    <Page title={people.title} lead={people.lead}>
      <FilterBar>
        <SearchField
          label={people.search}
          value={values.search ?? ''}
          onSearch={(text) => set('search', text)}
        />
      </FilterBar>
      <List
        label={people.title}
        query={list}
        rowKey={({ id }) => id}
        columns={useColumns(setOpen)}
        empty={<EmptyState icon="users" title={people.emptyTitle} text={people.emptyText} />}
        page={page}
        pageSize={pageSizes.users}
        onPage={setPage}
      />
      {open && <UserDetail key={open} id={open} onClose={() => setOpen(undefined)} />}
    </Page>
  )
}

function useColumns(onOpen: (id: string) => void): readonly Column<UserRow>[] {
  const { people, profile } = useTexts()
  return [
    {
      key: 'email',
      title: people.email,
      cell: ({ id, email }) => (
        <RowButton onPress={() => onOpen(id)}>
          <PersonText>{email}</PersonText>
        </RowButton>
      ),
    },
    { key: 'name', title: people.name, cell: (user) => <PersonText>{ownNameOf(user)}</PersonText> },
    {
      key: 'state',
      title: people.state,
      width: 'w-56',
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
      width: 'w-40',
      cell: ({ created_at }) => <Time at={created_at} />,
    },
  ]
}
