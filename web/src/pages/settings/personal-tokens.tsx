import { Suspense, useDeferredValue, useState } from 'react'
import { useProductWords } from '../../product-words.ts'
import { call } from '../../server/api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Card } from '../../ui/card.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Entry } from '../../ui/facts/entry.tsx'
import { SentenceWith } from '../../ui/facts/person-text.tsx'
import { Since } from '../../ui/facts/time.tsx'
import { latePart } from '../../ui/late.tsx'
import { LoadFailure } from '../../ui/lists/loaded.tsx'
import { areSettled } from '../../ui/lists/settled.ts'
import { ActiveOrPast, useActiveOrPast } from './active-or-past.tsx'
import { type PersonalToken, personalTokensQuery } from './queries.ts'

const { Part: NewToken } = latePart(async () => (await import('./new-token.tsx')).NewToken)

export function PersonalTokens() {
  const { tokens, settings } = useTexts()
  const list = useActiveOrPast(personalTokensQuery, 'token-')
  const { query: products, words } = useProductWords()
  const [isMaking, setMaking] = useState(false)
  const isSettled = useDeferredValue(areSettled([list.shown.query, products]))
  const begin = (
    <Button size="small" onPress={() => setMaking(true)}>
      {tokens.add}
    </Button>
  )
  return (
    <Card title={settings.tokens} lead={tokens.lead} action={isSettled && !isMaking && begin}>
      <Tokens list={list} words={words} />
      {isSettled && isMaking && (
        <Suspense>
          <NewToken productScopes={words} />
        </Suspense>
      )}
      {products.error && <LoadFailure query={products} />}
    </Card>
  )
}

interface TokensProps {
  readonly list: ReturnType<typeof useActiveOrPast<PersonalToken>>
  /** Descriptions of the product's permissions. */
  readonly words: Readonly<Record<string, string>>
}

function Tokens({ list, words }: TokensProps) {
  const { access, tokens, settings } = useTexts()
  return (
    <ActiveOrPast<PersonalToken>
      name="access-tokens"
      label={settings.tokens}
      list={list}
      rowName={({ name }) => name}
      columns={[
        {
          key: 'name',
          title: tokens.name,
          cell: (token) => (
            <Entry
              entry={token}
              name={token.name}
              words={words}
              facts={[
                <Since key="made" label={tokens.made} at={token.created_at} />,
                token.status === 'active' && <Since key="ends" label={tokens.expires} at={token.expires_at} />,
              ]}
            />
          ),
        },
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
  )
}
