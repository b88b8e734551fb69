import { useTexts } from '../../../texts/texts.tsx'
import { wordOf } from '../../../texts/word-of.ts'
import { Badge } from '../../../ui/facts/badge.tsx'

/** The kinds of a user's second factors. */
export function Factors({ of: { factors } }: { readonly of: { readonly factors: string } }) {
  const { people, person } = useTexts()
  const kinds = factors.split(' ').filter(Boolean)
  if (kinds.length === 0) return <span className="text-ink-soft">{people.none}</span>
  return kinds.map((kind) => wordOf(person.factorKinds, kind)).join(', ')
}

interface StateProps {
  readonly of: {
    readonly suspended_at: number | null
    readonly role: string
    readonly staff_scopes?: readonly string[]
    readonly email_verified: boolean
  }
}

/** Shows whether a user is suspended, the administrator, or confirmed. */
export function UserState({ of: { suspended_at, role, staff_scopes = [], email_verified } }: StateProps) {
  const { people, person, profile } = useTexts()
  return (
    <span className="flex flex-wrap gap-1.5">
      {suspended_at !== null && <Badge look="danger">{person.suspendedState}</Badge>}
      {role === 'administrator' && <Badge look="accent">{people.administrator}</Badge>}
      {staff_scopes.length > 0 && <Badge look="accent">{people.staff}</Badge>}
      <Badge look={email_verified ? 'plain' : 'warning'}>
        {email_verified ? profile.confirmed : profile.unconfirmed}
      </Badge>
    </span>
  )
}
