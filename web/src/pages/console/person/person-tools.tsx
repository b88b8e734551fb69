import { useClientName } from '../../../client-name.ts'
import { useProductWords } from '../../../product-words.ts'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { ConfirmedAct } from '../../../ui/dialogs/confirmed-act.tsx'
import { Entry } from '../../../ui/facts/entry.tsx'
import { SentenceWith } from '../../../ui/facts/person-text.tsx'
import { Since, useDate } from '../../../ui/facts/time.tsx'
import { LoadFailure } from '../../../ui/lists/loaded.tsx'
import { ending } from '../receipt.tsx'
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
  const { person, access } = useTexts()
  const { id, created_at, revoked_at } = grant
  const name = useClientName()(grant)
  const date = useDate()
  return (
    <li className="flex flex-wrap items-start justify-between gap-3 py-2.5 first:pt-0 last:pb-0">
      <div className="min-w-0 flex-1 basis-52">
        <Entry
          entry={{ ...grant, status: revoked_at === null ? 'active' : 'revoked', expires_at: null }}
          name={name}
          facts={[<Since key="approved" label={access.approved} at={created_at} />]}
          words={productWords}
        />
      </div>
      {revoked_at === null && (
        <ConfirmedAct
          size="small"
          label={access.revoke}
          asks={`revoke-${id}`}
          name={`${access.revokeNamed(name)} (${date(created_at)})`}
          title={<SentenceWith sentence={access.confirmTitle} words={name} />}
          text={person.revokeText}
          act={() => ending({ kind: 'grant', id }, call('/api/admin/revoke_user_grant', { user_id: userId, id }))}
          done={access.done}
          refreshes={refreshesOf(userId)}
        />
      )}
    </li>
  )
}
