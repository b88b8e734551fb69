import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Table } from '../../ui/table.tsx'
import { useToast } from '../../ui/toast.tsx'
import type { ShardRow } from './rows.ts'

export function ConsoleShards() {
  const { shards } = useTexts()
  const list = useQuery({
    queryKey: ['console', 'shards'],
    queryFn: () => call('/api/admin/list_shards', {}),
  })
  const most = Math.max(1, ...(list.data?.items.map(({ users }) => users) ?? []))
  return (
    <Page title={shards.title} lead={shards.lead}>
      <Failure error={list.error} />
      {list.isPending && <Skeleton rows={3} />}
      {list.data && (
        <Table
          label={shards.title}
          rows={list.data.items}
          rowKey={({ id }) => id}
          columns={[
            { key: 'id', title: shards.shard, cell: ({ id }) => <span className="font-medium">{id}</span> },
            { key: 'region', title: shards.region, isExtra: true, cell: ({ region }) => region },
            { key: 'users', title: shards.users, cell: ({ users }) => <Fill users={users} most={most} /> },
            {
              key: 'state',
              title: shards.state,
              cell: ({ state }) => (
                <Badge look={state === 'active' ? 'accent' : 'warning'}>{shards.states[state]}</Badge>
              ),
            },
            { key: 'act', title: '', align: 'end', cell: (row) => <Switchover row={row} /> },
          ]}
        />
      )}
      <p className="text-[0.867rem] text-ink-soft">{shards.moveHint}</p>
    </Page>
  )
}

function Fill({ users, most }: { readonly users: number; readonly most: number }) {
  return (
    <span className="flex items-center gap-3">
      <span className="tabular w-12">{users}</span>
      <svg
        aria-hidden="true"
        viewBox="0 0 100 6"
        preserveAspectRatio="none"
        className="h-1.5 w-24 max-sm:hidden"
      >
        <rect width="100" height="6" rx="3" className="fill-sunken" />
        <rect width={(users / most) * 100} height="6" rx="3" className="fill-accent" />
      </svg>
    </span>
  )
}

function Switchover({ row }: { readonly row: ShardRow }) {
  const { shards } = useTexts()
  const queryClient = useQueryClient()
  const say = useToast()
  const next = row.state === 'active' ? 'draining' : 'active'
  const update = useMutation({
    mutationFn: () => call('/api/admin/update_shard', { id: row.id, state: next }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['console', 'shards'] })
      say(shards.changed(row.id, shards.states[next]))
    },
  })
  return (
    <div className="flex flex-col items-end gap-2">
      <Button
        size="small"
        isPending={update.isPending}
        onPress={() => update.mutate()}
        aria-label={`${shards.actions[next]}: ${row.id}`}
      >
        {shards.actions[next]}
      </Button>
      <Failure error={update.error} />
    </div>
  )
}
