import { Fragment } from 'react'
import { useClientName } from '../../../client-name.ts'
import { useProductWords } from '../../../product-words.ts'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { wordOf } from '../../../texts/word-of.ts'
import { Card } from '../../../ui/card.tsx'
import { ConfirmedAct } from '../../../ui/dialogs/confirmed-act.tsx'
import { Badge } from '../../../ui/facts/badge.tsx'
import { FactLine } from '../../../ui/facts/fact-line.tsx'
import { SentenceWith } from '../../../ui/facts/person-text.tsx'
import { useAgo, useDate } from '../../../ui/facts/time.tsx'
import { LoadFailure } from '../../../ui/lists/loaded.tsx'
import { type Person, refreshesOf } from './queries.ts'

type Grant = Person['grants'][number]

/** Everything that can act for this user; active grants first. */
export function PersonTools({ user }: { readonly user: Person }) {
  const { person, settings } = useTexts()
  const { query: products, words } = useProductWords()
  const grants = user.grants.toSorted((a, b) => Number(a.revoked_at !== null) - Number(b.revoked_at !== null))
  return (
    <Card title={settings.access}>
      {grants.length === 0 && <p className="text-ink-soft">{person.toolsNone}</p>}
      <ul className="divide-y divide-line empty:hidden">
        {grants.map((grant) => (
          <Tool key={grant.id} userId={user.id} grant={grant} productWords={words} />
        ))}
      </ul>
      {products.error && <LoadFailure query={products} />}
    </Card>
  )
}

interface ToolProps {
  readonly userId: string
  readonly grant: Grant
  readonly productWords: Readonly<Record<string, string>>
}

function Tool({ userId, grant, productWords }: ToolProps) {
  const { person, scopes: known, access } = useTexts()
  const { id, scopes, created_at, last_used_at, revoked_at } = grant
  const name = useClientName()(grant)
  const words: Readonly<Record<string, string>> = { ...productWords, ...known }
  const ago = useAgo()
  const date = useDate()
  return (
    <li className="flex flex-wrap items-start justify-between gap-3 py-2.5 first:pt-0 last:pb-0">
      <div className="min-w-0">
        <p className="wrap-anywhere font-medium">
          <bdi>{name}</bdi> {revoked_at !== null && <Badge>{person.ended}</Badge>}
        </p>
        <FactLine facts={[last_used_at === null ? access.neverUsed : `${access.used} ${ago(last_used_at)}`]} />
        <p className="wrap-anywhere text-small text-ink-soft">
          {scopes.map((scope, i) => (
            <Fragment key={scope}>
              {i > 0 && ', '}
              <bdi>{wordOf(words, scope)}</bdi>
            </Fragment>
          ))}
        </p>
      </div>
      {revoked_at === null && (
        <ConfirmedAct
          size="small"
          label={access.revoke}
          name={`${access.revokeNamed(name)} (${date(created_at)})`}
          title={<SentenceWith sentence={access.confirmTitle} words={name} />}
          text={person.revokeText}
          act={() => call('/api/admin/revoke_user_grant', { user_id: userId, id })}
          done={access.done}
          refreshes={refreshesOf(userId)}
        />
      )}
    </li>
  )
}
