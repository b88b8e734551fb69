import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { SearchField } from '../../../ui/controls/search-field.tsx'
import { PersonText } from '../../../ui/facts/person-text.tsx'
import { LoadFailure } from '../../../ui/lists/loaded.tsx'

export interface FoundPerson {
  readonly id: string
  readonly email: string
}

interface Props {
  readonly label: string
  /** The message if no user is chosen. */
  readonly problem?: string | undefined
  onFound(person: FoundPerson): void
}

const shownPeople = 5

/** Finds a user by a part of the name or the address. */
export function PersonSearch({ label, problem, onFound }: Props) {
  const { publishing } = useTexts()
  const [search, setSearch] = useState('')
  const found = useQuery({
    queryKey: ['console', 'find-person', search],
    queryFn: () => call('/api/admin/list_users', { search, search_among: 'first', page_size: shownPeople }),
    enabled: search.trim() !== '',
  })
  return (
    <div className="min-w-40 *:not-first:mt-2">
      <SearchField label={label} value={search} problem={problem} maxLength={254} onSearch={setSearch} />
      {found.error && <LoadFailure query={found} />}
      <p role="status" className="text-ink-soft empty:hidden">
        {found.data?.items.length === 0 &&
          (found.data.searched ? publishing.nobodyAmong(found.data.searched) : publishing.nobody)}
      </p>
      <ul className="flex flex-wrap gap-1.5 empty:hidden">
        {found.data?.items.map(({ id, email }) => (
          <li key={id} className="max-w-full">
            <Button
              size="small"
              className="max-w-full"
              onPress={() => {
                setSearch('')
                onFound({ id, email })
              }}
            >
              <PersonText>{email}</PersonText>
            </Button>
          </li>
        ))}
      </ul>
    </div>
  )
}
