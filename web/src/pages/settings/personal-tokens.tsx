import { useDeferredValue } from 'react'
import { useProductWords } from '../../product-words.ts'
import { call } from '../../server/api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Card } from '../../ui/card.tsx'
import { SentenceWith } from '../../ui/facts/person-text.tsx'
import { ScopeList } from '../../ui/facts/scope-list.tsx'
import { byAge, timeColumn } from '../../ui/lists/columns.tsx'
import { LoadFailure } from '../../ui/lists/loaded.tsx'
import { areSettled } from '../../ui/lists/settled.ts'
import { ActiveOrPast, NamedWithStatus, useActiveOrPast } from './active-or-past.tsx'
import { NewToken } from './new-token.tsx'
import { type PersonalToken, personalTokensQuery } from './queries.ts'

export function PersonalTokens() {
  const { access, tokens, settings } = useTexts()
  const list = useActiveOrPast(personalTokensQuery)
  const { query: products, words } = useProductWords()
  const isSettled = useDeferredValue(areSettled([list.shown.query, products]))
  return (
    <Card title={settings.tokens} lead={tokens.lead}>
      <ActiveOrPast<PersonalToken>
        name="access-tokens"
        label={settings.tokens}
        list={list}
        rowName={({ name }) => name}
        columns={[
          { key: 'name', title: tokens.name, cell: (token) => <NamedWithStatus {...token} /> },
          {
            key: 'scopes',
            title: tokens.scopes,
            cell: ({ scopes }) => <ScopeList scopes={scopes} words={words} />,
          },
          timeColumn('made', tokens.made, ({ created_at }) => created_at, { leaves: 2, sorts: byAge }),
          timeColumn('used', access.used, ({ last_used_at }) => last_used_at, { leaves: 4, never: access.neverUsed }),
          timeColumn('ends', tokens.expires, ({ expires_at }) => expires_at),
        ]}
        emptyTitle={tokens.emptyTitle}
        emptyText={tokens.emptyText}
        revoking={{
          label: access.revoke,
          nameOf: ({ name }) => tokens.revokeNamed(name),
          title: ({ name }) => <SentenceWith sentence={tokens.revokeTitle} words={name} />,
          text: tokens.revokeText,
          act: ({ id }) => call('/api/revoke_personal_token', { id }),
          done: tokens.revoked,
          titleOfMany: tokens.revokeMany,
          doneWithMany: tokens.revokedMany,
          queryKey: personalTokensQuery.queryKey,
        }}
      />
      {isSettled && <NewToken productScopes={words} />}
      {products.error && <LoadFailure query={products} />}
    </Card>
  )
}
