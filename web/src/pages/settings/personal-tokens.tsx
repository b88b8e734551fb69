import { useQuery } from '@tanstack/react-query'
import { call } from '../../server/api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmedAct } from '../../ui/dialogs/confirmed-act.tsx'
import { Badge } from '../../ui/facts/badge.tsx'
import { useAgo } from '../../ui/facts/time.tsx'
import { EmptyState } from '../../ui/lists/empty-state.tsx'
import { List } from '../../ui/lists/list.tsx'
import { NewToken } from './new-token.tsx'
import { type PersonalToken, personalTokensQuery } from './queries.ts'

export function PersonalTokens() {
  const { access, tokens } = useTexts()
  const ago = useAgo()
  const query = useQuery({ ...personalTokensQuery, select: (items) => ({ items }) })
  return (
    <Card title={tokens.title} lead={tokens.lead}>
      <List
        label={tokens.title}
        query={query}
        rowKey={({ id }) => id}
        empty={<EmptyState icon="terminal" title={tokens.emptyTitle} text={tokens.emptyText} />}
        columns={[
          { key: 'name', title: tokens.name, cell: (token) => <Name token={token} /> },
          {
            key: 'scopes',
            title: tokens.scopes,
            cell: ({ scopes }) => <span className="font-mono text-tiny">{scopes.join(' ')}</span>,
          },
          {
            key: 'used',
            title: tokens.used,
            width: 'w-44',
            cell: ({ last_used_at, expires_at }) => (
              <>
                <span className="block">
                  {last_used_at === null ? access.neverUsed : access.lastUsed(ago(last_used_at))}
                </span>
                <span className="block text-small text-ink-soft">{tokens.ends(ago(expires_at))}</span>
              </>
            ),
          },
          {
            key: 'act',
            title: access.revoke,
            isTitleHidden: true,
            width: 'w-32',
            align: 'end',
            cell: (token) => token.status === 'active' && <Revoke token={token} />,
          },
        ]}
      />
      <NewToken />
    </Card>
  )
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

function Revoke({ token: { id, name } }: Props) {
  const { access, tokens } = useTexts()
  return (
    <ConfirmedAct
      size="small"
      label={access.revoke}
      name={tokens.revokeNamed(name)}
      title={tokens.revokeTitle(name)}
      text={tokens.revokeText}
      act={() => call('/api/revoke_personal_token', { id })}
      done={tokens.revoked}
      refreshes={[personalTokensQuery.queryKey]}
    />
  )
}
