import { useDeferredValue } from 'react'
import { useProductWords } from '../../product-words.ts'
import { call } from '../../server/api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmedAct } from '../../ui/dialogs/confirmed-act.tsx'
import { Badge } from '../../ui/facts/badge.tsx'
import { SentenceWith } from '../../ui/facts/person-text.tsx'
import { ScopeList } from '../../ui/facts/scope-list.tsx'
import { Time } from '../../ui/facts/time.tsx'
import type { BulkAct } from '../../ui/lists/bulk-bar.tsx'
import { EmptyState } from '../../ui/lists/empty-state.tsx'
import { List } from '../../ui/lists/list.tsx'
import { LoadFailure } from '../../ui/lists/loaded.tsx'
import { areSettled } from '../../ui/lists/settled.ts'
import type { Column } from '../../ui/lists/table.tsx'
import { NothingPast, useActiveOrPast } from './active-or-past.tsx'
import { NewToken } from './new-token.tsx'
import { type PersonalToken, personalTokensQuery } from './queries.ts'

export function PersonalTokens() {
  const { tokens } = useTexts()
  const bulk = useBulkActs()
  const { list, view, isPast, filters, order, read } = useActiveOrPast(personalTokensQuery)
  const { query: products, words } = useProductWords()
  const isSettled = useDeferredValue(areSettled([list, products]))
  return (
    <Card title={tokens.title} lead={tokens.lead}>
      <List
        name="access-tokens"
        label={tokens.title}
        query={list}
        view={view}
        rowKey={({ id }) => id}
        rowName={({ name }) => name}
        columns={useColumns(isPast, words)}
        empty={
          isPast ? (
            <NothingPast />
          ) : (
            <EmptyState icon="terminal" title={tokens.emptyTitle} text={tokens.emptyText} />
          )
        }
        filters={filters}
        order={order}
        csv={{ columns: csvColumns, read }}
        {...(!isPast && { bulk })}
      />
      {isSettled && <NewToken productScopes={words} />}
      {products.error && <LoadFailure query={products} />}
    </Card>
  )
}

const csvColumns = ['id', 'name', 'scopes', 'status', 'created_at', 'last_used_at', 'expires_at'] as const

const revoke = ({ id }: PersonalToken) => call('/api/revoke_personal_token', { id })

function useBulkActs(): readonly BulkAct<PersonalToken>[] {
  const { access, tokens } = useTexts()
  return [
    {
      label: access.revoke,
      done: tokens.revokedMany,
      question: { title: tokens.revokeMany, text: tokens.revokeText },
      refreshes: [personalTokensQuery.queryKey],
      act: revoke,
    },
  ]
}

function useColumns(
  isPast: boolean,
  words: Readonly<Record<string, string>>,
): readonly Column<PersonalToken>[] {
  const { access, tokens } = useTexts()
  return [
    { key: 'name', title: tokens.name, cell: (token) => <Name token={token} /> },
    {
      key: 'scopes',
      title: tokens.scopes,
      cell: ({ scopes }) => <ScopeList scopes={scopes} words={words} />,
    },
    { key: 'made', title: tokens.made, width: 'w-32', cell: ({ created_at }) => <Time at={created_at} /> },
    {
      key: 'used',
      title: access.used,
      width: 'w-32',
      cell: ({ last_used_at }) => (last_used_at === null ? access.neverUsed : <Time at={last_used_at} />),
    },
    { key: 'ends', title: tokens.expires, width: 'w-32', cell: ({ expires_at }) => <Time at={expires_at} /> },
    ...(isPast
      ? []
      : [
          {
            key: 'act',
            title: access.revoke,
            isTitleHidden: true,
            width: 'w-28',
            align: 'end',
            cell: (token) => <Revoke token={token} />,
          } as const satisfies Column<PersonalToken>,
        ]),
  ]
}

interface Props {
  readonly token: PersonalToken
}

function Name({ token: { name, status } }: Props) {
  const { access } = useTexts()
  return (
    <span className="flex flex-wrap items-center gap-2 font-medium">
      <bdi>{name}</bdi> <Badge look={status === 'active' ? 'accent' : 'plain'}>{access[status]}</Badge>
    </span>
  )
}

function Revoke({ token }: Props) {
  const { access, tokens } = useTexts()
  return (
    <ConfirmedAct
      size="small"
      label={access.revoke}
      name={tokens.revokeNamed(token.name)}
      title={<SentenceWith sentence={tokens.revokeTitle} words={token.name} />}
      text={tokens.revokeText}
      act={() => revoke(token)}
      done={tokens.revoked}
      refreshes={[personalTokensQuery.queryKey]}
    />
  )
}
