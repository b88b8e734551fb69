import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Segments } from '../../ui/segments.tsx'

interface Found {
  readonly id: string
  readonly email: string
}

export type Audience = { readonly kind: 'all' } | { readonly kind: 'one'; readonly user: Found | undefined }

interface Props {
  readonly audience: Audience
  onChange(audience: Audience): void
}

export function AudienceField({ audience, onChange }: Props) {
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
          <span className="font-medium">{audience.user.email}</span>
          <Button size="small" onPress={() => onChange({ kind: 'one', user: undefined })}>
            {publishing.otherPerson}
          </Button>
        </p>
      )}
      {audience.kind === 'one' && !audience.user && (
        <FindPerson onFound={(user) => onChange({ kind: 'one', user })} />
      )}
    </div>
  )
}

const shownPeople = 5

function FindPerson({ onFound }: { onFound(user: Found): void }) {
  const { publishing } = useTexts()
  const [search, setSearch] = useState('')
  const found = useQuery({
    queryKey: ['console', 'find-person', search],
    queryFn: () => call('/api/admin/list_users', { search, page_size: shownPeople }),
    enabled: search.trim() !== '',
  })
  return (
    <div className="flex flex-col gap-2">
      <SearchField label={publishing.findPerson} value={search} onSearch={setSearch} />
      <Failure error={found.error} />
      {found.data?.items.length === 0 && <p className="text-ink-soft">{publishing.nobody}</p>}
      <ul className="flex flex-col gap-1">
        {found.data?.items.map(({ id, email }) => (
          <li key={id}>
            <Button size="small" onPress={() => onFound({ id, email })}>
              {email}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  )
}
