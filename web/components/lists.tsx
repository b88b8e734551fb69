import { useQuery } from '@tanstack/react-query'
import { ApiError } from '../src/server/api.ts'
import { Button } from '../src/ui/controls/button.tsx'
import { RowButton } from '../src/ui/controls/row-button.tsx'
import { RowLink } from '../src/ui/controls/row-link.tsx'
import { SearchField } from '../src/ui/controls/search-field.tsx'
import { Avatar } from '../src/ui/facts/avatar.tsx'
import { Badge } from '../src/ui/facts/badge.tsx'
import { Time } from '../src/ui/facts/time.tsx'
import { EmptyState } from '../src/ui/lists/empty-state.tsx'
import { FilterBar } from '../src/ui/lists/filter-bar.tsx'
import { FilterValue } from '../src/ui/lists/filter-value.tsx'
import { List } from '../src/ui/lists/list.tsx'
import { LoadFailure } from '../src/ui/lists/loaded.tsx'
import { Skeleton } from '../src/ui/lists/skeleton.tsx'
import { Part } from './part.tsx'

interface Row {
  readonly name: string
  readonly at: number
}

const rows: readonly Row[] = ['Ann', 'Ben', 'Ngô Thị Hạnh', 'أمينة'].map((name, index) => ({
  name,
  at: Date.now() - index * 3_600_000,
}))
const ignore = () => undefined
const view = { page: 2, size: 20, values: {}, setPage: ignore, setSize: ignore, setOrder: ignore, clear: ignore }

export function Lists() {
  const query = useQuery({ queryKey: ['rows'], queryFn: async () => ({ items: rows, total: 96 }) })
  return (
    <>
      <Part name="List">
        <List
          label="People"
          query={query}
          view={view}
          name="people"
          rowKey={({ name }) => name}
          empty={null}
          order={{ value: 'newest', known: ['newest', 'oldest'] }}
          chips={[{ key: 'name', name: 'Name', value: 'ann', onRemove: ignore }]}
          read={async () => ({ items: rows, total: rows.length })}
          bulk={[]}
          columns={[
            {
              key: 'name',
              title: 'Name',
              cell: ({ name }) => (
                <span className="flex items-center gap-3">
                  <Avatar name={name} image={null} /> <bdi>{name}</bdi>
                </span>
              ),
            },
            { key: 'state', title: 'State', cell: () => <Badge look="accent">Active</Badge> },
            { key: 'at', title: 'Joined', cell: ({ at }) => <Time at={at} /> },
            {
              key: 'act',
              title: 'Act',
              isTitleHidden: true,
              align: 'end',
              cell: () => <Button size="small">Act</Button>,
            },
          ]}
        />
      </Part>
      <div className="grid grid-cols-2 gap-8">
        <Part name="Loading, and nothing">
          <Skeleton />
          <EmptyState icon="search" title="Nothing found" text="What to do instead." action={<Button>Do it</Button>} />
        </Part>
        <Part name="Filters, and a list that failed">
          <FilterBar>
            <SearchField maxLength={254} label="Search" value="" onSearch={ignore} />
            <FilterValue onFilter={ignore}>A value that filters</FilterValue>
          </FilterBar>
          <LoadFailure
            query={{
              error: new ApiError(500, { code: 'INTERNAL_ERROR' }),
              isFetching: false,
              refetch: ignore,
            }}
          />
          <RowButton onPress={ignore}>A row that opens</RowButton>
          <RowLink to="/components/">A row that leads to its page</RowLink>
        </Part>
      </div>
    </>
  )
}
