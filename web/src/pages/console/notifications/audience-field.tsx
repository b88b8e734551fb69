import { useTexts } from '../../../texts/texts.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { Segments } from '../../../ui/controls/segments.tsx'
import { PersonText } from '../../../ui/facts/person-text.tsx'
import { type FoundPerson, PersonSearch } from '../users/person-search.tsx'

export type Audience = { readonly kind: 'all' } | { readonly kind: 'one'; readonly user: FoundPerson | undefined }

interface Props {
  readonly value: Audience
  readonly problem: string | undefined
  onChange(audience: Audience): void
}

export function AudienceField({ value: audience, problem, onChange }: Props) {
  const { publishing } = useTexts()
  return (
    <div className="flex flex-col gap-3">
      <Segments
        label={publishing.audience}
        value={audience.kind}
        options={{ all: publishing.everybody, one: publishing.onePerson }}
        onChange={(kind) => onChange(kind === 'all' ? { kind } : { kind, user: undefined })}
      />
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
