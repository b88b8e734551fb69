import { useQuery } from '@tanstack/react-query'
import { inOneResponse } from '../../server/all-pages.ts'
import { call } from '../../server/api.ts'
import { useBytes, useNumber } from '../../texts/numbers.ts'
import { useTexts } from '../../texts/texts.tsx'
import { ActButton } from '../../ui/controls/act-button.tsx'
import { CopyButton } from '../../ui/controls/copy-button.tsx'
import { TextLink } from '../../ui/controls/text-link.tsx'
import { ConfirmedAct } from '../../ui/dialogs/confirmed-act.tsx'
import { Badge } from '../../ui/facts/badge.tsx'
import { actColumn } from '../../ui/lists/columns.tsx'
import { EmptyState } from '../../ui/lists/empty-state.tsx'
import { List } from '../../ui/lists/list.tsx'
import { Page } from '../../ui/page.tsx'
import { NewShard } from './new-shard.tsx'
import { CurrentStoreTrouble } from './overview/store-trouble.tsx'
import { consoleKeys, shardsQuery } from './queries.ts'
import type { ShardRow } from './rows.ts'

export function ConsoleShards() {
  const { shards } = useTexts()
  return (
    <Page title={shards.title} lead={shards.lead}>
      <Shards />
      <CurrentStoreTrouble />
      <NewShard />
    </Page>
  )
}

function Shards() {
  const { shards, common } = useTexts()
  const query = useQuery(shardsQuery)
  const active = query.data?.items.filter(({ state }) => state === 'active').length
  const most = Math.max(1, ...(query.data?.items ?? []).map(({ users }) => users))
  return (
    <List<ShardRow>
      name="shards"
      label={shards.title}
      query={query}
      rowKey={({ id }) => id}
      read={inOneResponse(shardsQuery.queryFn)}
      empty={<EmptyState icon="layers" title={shards.emptyTitle} text={shards.emptyText} />}
      columns={[
        {
          key: 'id',
          title: shards.shard,
          cell: (shard) => (
            <>
              <span className="block font-medium">{shard.id}</span>
              <Moves shard={shard} />
            </>
          ),
        },
        { key: 'region', title: shards.region, width: 'w-28', cell: ({ region }) => region },
        { key: 'users', title: shards.users, cell: (shard) => <Fill shard={shard} most={most} /> },
        { key: 'room', title: shards.room, width: 'w-36', leaves: 3, cell: (shard) => <Room shard={shard} /> },
        {
          key: 'state',
          title: common.status,
          width: 'w-28',
          cell: ({ state }) => <Badge look={state === 'active' ? 'accent' : 'warning'}>{shards.states[state]}</Badge>,
        },
        actColumn(common.actions, 'w-60', (row) => (
          <Switchover row={row} isLast={row.state === 'active' && active === 1} />
        )),
      ]}
    />
  )
}

/** A file has the room of its disk; of a database on a server only its size is known. */
function Room({ shard: { free_bytes, size_bytes } }: { readonly shard: ShardRow }) {
  const { shards } = useTexts()
  const bytes = useBytes()
  if (free_bytes !== null) return shards.free(bytes(free_bytes))
  return size_bytes === null ? shards.unreachable : shards.size(bytes(size_bytes))
}

function Fill({ shard: { id, users }, most }: { readonly shard: ShardRow; readonly most: number }) {
  const number = useNumber()
  return (
    <span className="flex items-center gap-3">
      <span className="tabular min-w-12">
        <TextLink to={`/console/users?shard=${id}`}>{number(users)}</TextLink>
      </span>
      <svg aria-hidden="true" viewBox="0 0 100 6" preserveAspectRatio="none" className="h-1.5 w-24 max-sm:hidden">
        <rect width="100" height="6" rx="3" className="fill-sunken" />
        <rect width={(users / most) * 100} height="6" rx="3" className="fill-accent" />
      </svg>
    </span>
  )
}

/** How far emptying has come, or what it takes. */
function Moves({ shard: { id, users, state, leaving, arriving } }: { readonly shard: ShardRow }) {
  const { shards } = useTexts()
  const isEmptied = state === 'draining' && users === 0
  const words = [
    isEmptied && shards.empty,
    leaving > 0 && shards.leaving(users, leaving),
    arriving > 0 && shards.arriving(arriving),
  ]
  const command = `gatehouse shards empty ${id}`
  return (
    <span role="status" className="text-ink-soft text-small">
      {words.filter(Boolean).join(' ')}
      {state === 'draining' && users > 0 && leaving === 0 && (
        <span className="flex flex-wrap items-center gap-x-2">
          {shards.moveHint} <code className="wrap-anywhere text-ink">{command}</code> <CopyButton text={command} />
        </span>
      )}
    </span>
  )
}

interface SwitchoverProps {
  readonly row: ShardRow
  readonly isLast: boolean
}

function Switchover({ row: { id, state }, isLast }: SwitchoverProps) {
  const { shards } = useTexts()
  if (isLast) return <span className="text-small text-ink-soft">{shards.last}</span>
  if (state === 'active') {
    return (
      <ConfirmedAct
        size="small"
        look="quiet"
        label={shards.actions.draining}
        name={`${shards.actions.draining}: ${id}`}
        title={shards.drainTitle(id)}
        text={shards.drainText}
        act={() => call('/api/admin/update_shard', { id, state: 'draining' })}
        done={shards.changed(id, shards.states.draining)}
        refreshes={[consoleKeys.shards]}
      />
    )
  }
  return (
    <ActButton
      size="small"
      label={shards.actions.active}
      name={`${shards.actions.active}: ${id}`}
      act={() => call('/api/admin/update_shard', { id, state: 'active' })}
      done={shards.changed(id, shards.states.active)}
      refreshes={[consoleKeys.shards]}
    />
  )
}
