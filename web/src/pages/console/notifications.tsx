import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Page } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { RowButton } from '../../ui/row-button.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { NotificationEditor } from './notification-editor.tsx'
import type { Published } from './rows.ts'
import { useFilters } from './use-filters.ts'

const pageSize = 20
const newOne = 'new'

export function ConsoleNotifications() {
  const { publishing } = useTexts()
  const { values, page, open, set, setPage, setOpen } = useFilters(['archived'])
  const archived = values.archived === 'yes'
  const list = useQuery({
    queryKey: ['console', 'notifications', archived, page],
    queryFn: () => call('/api/admin/list_notifications', { archived, page, page_size: pageSize }),
    placeholderData: keepPreviousData,
  })
  const opened = list.data?.items.find(({ id }) => id === open)

  return (
    <Page
      title={publishing.title}
      lead={publishing.lead}
      actions={
        <Button look="primary" onPress={() => setOpen(newOne)}>
          {publishing.write}
        </Button>
      }
    >
      <Segments
        label={publishing.show}
        value={archived ? 'archived' : 'live'}
        options={{ live: publishing.live, archived: publishing.archived }}
        onChange={(value) => set('archived', value === 'archived' ? 'yes' : undefined)}
      />
      <Failure error={list.error} />
      {list.isPending && <Skeleton rows={5} />}
      {list.data?.items.length === 0 && (
        <EmptyState icon="bell" title={publishing.emptyTitle} text={publishing.emptyText} />
      )}
      {list.data && list.data.items.length > 0 && <Rows rows={list.data.items} onOpen={setOpen} />}
      {list.data && <Pager page={page} pageSize={pageSize} total={list.data.total} onChange={setPage} />}
      {(opened || open === newOne) && (
        <NotificationEditor key={open} published={opened} onClose={() => setOpen(undefined)} />
      )}
    </Page>
  )
}

function Rows({ rows, onOpen }: { readonly rows: readonly Published[]; onOpen(id: string): void }) {
  const { publishing } = useTexts()
  return (
    <Table
      label={publishing.title}
      rows={rows}
      rowKey={({ id }) => id}
      columns={[
        {
          key: 'title',
          title: publishing.headline,
          cell: ({ id, title }) => <RowButton onPress={() => onOpen(id)}>{title}</RowButton>,
        },
        { key: 'type', title: publishing.type, isExtra: true, cell: ({ type }) => type },
        {
          key: 'audience',
          title: publishing.audience,
          cell: ({ target_user_id }) => (
            <Badge look={target_user_id ? 'plain' : 'accent'}>
              {target_user_id ? publishing.onePerson : publishing.everybody}
            </Badge>
          ),
        },
        {
          key: 'when',
          title: publishing.when,
          isExtra: true,
          cell: ({ created_at }) => <Time at={created_at} />,
        },
        {
          key: 'act',
          title: '',
          align: 'end',
          cell: (row) => row.archived_at === null && <Archive row={row} />,
        },
      ]}
    />
  )
}

function Archive({ row }: { readonly row: Published }) {
  const { publishing } = useTexts()
  const queryClient = useQueryClient()
  const say = useToast()
  const archive = useMutation({
    mutationFn: () => call('/api/admin/archive_notification', { id: row.id }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['console', 'notifications'] })
      say(publishing.archivedNow)
    },
  })
  return (
    <>
      <Button
        size="small"
        isPending={archive.isPending}
        onPress={() => archive.mutate()}
        aria-label={publishing.archiveNamed(row.title)}
      >
        {publishing.archive}
      </Button>
      <Failure error={archive.error} />
    </>
  )
}
