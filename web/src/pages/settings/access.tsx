import { useClientName } from '../../client-name.ts'
import { useProductWords } from '../../product-words.ts'
import { call } from '../../server/api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmedAct } from '../../ui/dialogs/confirmed-act.tsx'
import { Badge } from '../../ui/facts/badge.tsx'
import { SentenceWith } from '../../ui/facts/person-text.tsx'
import { ScopeList } from '../../ui/facts/scope-list.tsx'
import { Time, useDate } from '../../ui/facts/time.tsx'
import type { BulkAct } from '../../ui/lists/bulk-bar.tsx'
import { EmptyState } from '../../ui/lists/empty-state.tsx'
import { List } from '../../ui/lists/list.tsx'
import { LoadFailure } from '../../ui/lists/loaded.tsx'
import type { Column } from '../../ui/lists/table.tsx'
import { NothingPast, useActiveOrPast } from './active-or-past.tsx'
import { Approvals } from './approvals.tsx'
import { GrantRules, GrantToday } from './grant-rules.tsx'
import { type Grant, grantsQuery } from './queries.ts'

export function Access() {
  const { access } = useTexts()
  const bulk = useBulkActs()
  const nameOf = useClientName()
  // Two connections of one tool differ only in when they were approved.
  const date = useDate()
  const { list, view, isPast, filters, order, read } = useActiveOrPast(grantsQuery)
  const { query: products, words } = useProductWords()
  return (
    <div className="flex flex-col gap-6">
      <Approvals />
      <Card title={access.title} lead={access.lead}>
        <List
          name="api-access"
          label={access.title}
          query={list}
          view={view}
          rowKey={({ id }) => id}
          rowName={(grant) => `${nameOf(grant)} (${date(grant.created_at)})`}
          columns={useColumns(isPast, words)}
          empty={
            isPast ? (
              <NothingPast />
            ) : (
              <EmptyState icon="terminal" title={access.emptyTitle} text={access.emptyText} />
            )
          }
          filters={filters}
          order={order}
          csv={{ columns: csvColumns, read }}
          {...(!isPast && { bulk })}
        />
        {products.error && <LoadFailure query={products} />}
      </Card>
    </div>
  )
}

const csvColumns = [
  'id',
  'client_name',
  'kind',
  'target_origin',
  'scopes',
  'status',
  'created_at',
  'last_used_at',
  'revoked_at',
  'expires_at',
] as const

const revoke = ({ id }: Grant) => call('/api/revoke_grant', { id })

function useBulkActs(): readonly BulkAct<Grant>[] {
  const { access } = useTexts()
  return [
    {
      label: access.revoke,
      done: access.revokedMany,
      question: { title: access.revokeMany, text: access.confirmText },
      refreshes: [grantsQuery.queryKey],
      act: revoke,
    },
  ]
}

function useColumns(isPast: boolean, words: Readonly<Record<string, string>>): readonly Column<Grant>[] {
  const { access } = useTexts()
  const clientName = useClientName()
  const date = useDate()
  // Two connections of one tool differ only in when they were approved.
  const nameOf = (grant: Grant) => `${clientName(grant)} (${date(grant.created_at)})`
  return [
    { key: 'tool', title: access.tool, cell: (grant) => <Tool grant={grant} /> },
    {
      key: 'scopes',
      title: access.scopes,
      cell: ({ scopes }) => <ScopeList scopes={scopes} words={words} />,
    },
    ...(isPast
      ? []
      : [
          {
            key: 'rules',
            title: access.rules,
            width: 'w-60',
            cell: (grant: Grant) => <GrantRules grant={grant} name={nameOf(grant)} />,
          },
        ]),
    {
      key: 'approved',
      title: access.approved,
      width: 'w-32',
      cell: ({ created_at }) => <Time at={created_at} />,
    },
    {
      key: 'used',
      title: access.used,
      width: 'w-32',
      cell: ({ last_used_at }) => (last_used_at === null ? access.neverUsed : <Time at={last_used_at} />),
    },
    isPast
      ? {
          key: 'revoked',
          title: access.ended,
          width: 'w-32',
          cell: ({ revoked_at, expires_at }) => <Time at={revoked_at ?? expires_at} />,
        }
      : {
          key: 'act',
          title: access.revoke,
          isTitleHidden: true,
          width: 'w-28',
          align: 'end',
          cell: (grant) => <Revoke grant={grant} />,
        },
  ]
}

interface Props {
  readonly grant: Grant
}

function Tool({ grant }: Props) {
  const { access } = useTexts()
  const { status, target_origin, acting_services } = grant
  const name = useClientName()(grant)
  return (
    <>
      <span className="flex flex-wrap items-center gap-2 font-medium">
        <bdi>{name}</bdi> <Badge look={status === 'active' ? 'accent' : 'plain'}>{access[status]}</Badge>
      </span>
      <span className="block font-mono text-tiny text-ink-soft leading-6">{target_origin}</span>
      {acting_services.length > 0 && (
        <bdi className="block text-small">{access.actingServices(acting_services.join(', '))}</bdi>
      )}
      {status === 'active' && <GrantToday grant={grant} />}
    </>
  )
}

function Revoke({ grant }: Props) {
  const { access } = useTexts()
  const date = useDate()
  const name = useClientName()(grant)
  return (
    <ConfirmedAct
      size="small"
      label={access.revoke}
      name={`${access.revokeNamed(name)} (${date(grant.created_at)})`}
      title={<SentenceWith sentence={access.confirmTitle} words={name} />}
      text={access.confirmText}
      act={() => revoke(grant)}
      done={access.done}
      refreshes={[grantsQuery.queryKey]}
    />
  )
}
