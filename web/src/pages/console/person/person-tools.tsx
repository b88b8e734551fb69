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
import { Rows } from '../../../ui/lists/rows.tsx'
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
      <Rows items={grants} none={person.toolsNone} keyOf={({ id }) => id}>
        {(grant) => <Tool userId={user.id} grant={grant} productWords={words} />}
      </Rows>
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
  const { person, access, tokens } = useTexts()
  const { id, created_at, revoked_at } = grant
  const name = useClientName()(grant)
  const date = useDate()
  return (
    <div className="flex flex-wrap items-start justify-between gap-3">
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
          text={grant.kind === 'personal' ? tokens.revokeText : person.revokeText}
          act={() => ending({ kind: 'grant', id }, call('/api/admin/revoke_user_grant', { user_id: userId, id }))}
          done={access.done}
          refreshes={refreshesOf(userId)}
        />
      )}
    </div>
  )
}
