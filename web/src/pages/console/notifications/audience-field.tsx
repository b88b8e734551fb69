import { useQuery } from '@tanstack/react-query'
import type { Input } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { Select } from '../../../ui/controls/select.tsx'
import { PersonText } from '../../../ui/facts/person-text.tsx'
import { LoadFailure } from '../../../ui/lists/loaded.tsx'
import { audienceOfView, reachQuery, viewsQuery } from '../queries.ts'
import { type FoundPerson, PersonSearch } from '../users/person-search.tsx'
import { LabelledSegments } from './labelled-segments.tsx'

export type Audience =
  | { readonly kind: 'all' }
  | { readonly kind: 'view'; readonly id: string }
  | { readonly kind: 'one'; readonly user: FoundPerson | undefined }

interface Props {
  readonly value: Audience
  readonly problem: string | undefined
  onChange(audience: Audience): void
}

const others = { all: { kind: 'all' }, view: { kind: 'view', id: '' }, one: { kind: 'one', user: undefined } } as const

export function AudienceField({ value: audience, problem, onChange }: Props) {
  const { publishing } = useTexts()
  const views = useViewsOfUsers()
  return (
    <div className="flex flex-col gap-3">
      <LabelledSegments
        label={publishing.audience}
        value={audience.kind}
        options={{ all: publishing.everybody, view: publishing.savedView, one: publishing.onePerson }}
        onChange={(kind) => onChange(others[kind])}
      />
      {audience.kind === 'view' && (
        <Select
          label={publishing.savedView}
          hint={publishing.savedViewHint}
          problem={problem}
          value={audience.id}
          options={{ '': publishing.chooseView, ...Object.fromEntries(views.map(({ id, name }) => [id, name])) }}
          onChange={(id) => onChange({ kind: 'view', id })}
        />
      )}
      {audience.kind === 'one' && audience.user && (
        <p className="flex flex-wrap items-center gap-3">
          <span className="font-medium">
            <PersonText>{audience.user.email}</PersonText>
          </span>
          <Button size="small" onPress={() => onChange({ kind: 'one', user: undefined })}>
            {publishing.otherPerson}
          </Button>
        </p>
      )}
      {audience.kind === 'one' && !audience.user && (
        <PersonSearch
          label={publishing.findPerson}
          problem={problem}
          onFound={(user) => onChange({ kind: 'one', user })}
        />
      )}
    </div>
  )
}

function useViewsOfUsers() {
  const { data } = useQuery(viewsQuery)
  return data?.items.filter(({ list }) => list === 'users') ?? []
}

type Aimed = Pick<Input<'/api/admin/create_notification'>, 'target_user_id' | 'audience'>

/** Undefined until somebody is chosen. */
export function useAimedAt(): (audience: Audience) => Aimed | undefined {
  const views = useViewsOfUsers()
  return (audience) => {
    if (audience.kind === 'all') return {}
    if (audience.kind === 'one') return audience.user && { target_user_id: audience.user.id }
    const view = views.find(({ id }) => id === audience.id)
    return view && { audience: audienceOfView(view) }
  }
}

interface ReachProps {
  readonly aimed: Aimed | undefined
  readonly type: string
  readonly isMailed: boolean
}

/** Says whom it reaches before it is published. */
export function Reach({ aimed, type, isMailed }: ReachProps) {
  const { publishing } = useTexts()
  const reach = useQuery({ ...reachQuery({ ...aimed, type: type.trim() || 'system' }), enabled: aimed !== undefined })
  if (reach.error) return <LoadFailure query={reach} />
  const { people, by_email } = (aimed && reach.data) ?? {}
  return (
    <p role="status" className="-order-1 mr-auto self-center font-medium">
      {people !== undefined && publishing.reaches(people)}
      {by_email !== undefined && isMailed && publishing.byEmail(by_email)}
    </p>
  )
}
