import type { Output } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { RowLink } from '../../../ui/controls/row-link.tsx'
import { PersonText } from '../../../ui/facts/person-text.tsx'
import { FilterValue } from '../../../ui/lists/filter-value.tsx'
import { shortId } from '../users/person.ts'

type Entry = Output<'/api/admin/list_audit_entries'>['items'][number]

/** The name of what an entry is about; for what is gone, the name that the entry noted. */
export function useTargetName(): (entry: Entry) => string | undefined {
  const { config } = useTexts()
  const { authentication, email, credits, ai, brand, assistants } = config
  const parts: Readonly<Record<string, string>> = { authentication, email, credits, ai, brand, assistants }
  return ({ subject_type, subject_id, subject_name, details }) => {
    if (subject_type === 'settings') return parts[subject_id ?? '']
    if (subject_type === 'shard' || subject_type === 'product_scope') return subject_id ?? undefined
    const noted = details.title ?? details.name ?? details.url
    return subject_name ?? (typeof noted === 'string' ? noted : undefined)
  }
}

/** The page of what still exists. */
function pathOf({ subject_type, subject_id: id, subject_name, actor_id, details }: Entry): string | undefined {
  if (subject_type === 'settings') return `/console/settings/${id === 'authentication' ? '' : id}`
  if (subject_type === 'shard') return '/console/shards'
  if (subject_type === 'product_scope') return '/console/applications'
  if (subject_name === null || id === null) return undefined
  const ofGrant = `/console/users/${details.user ?? actor_id}`
  const places: Readonly<Record<string, string>> = {
    application: `/console/applications/${encodeURIComponent(id)}`,
    grant: ofGrant,
    notification: `/console/notifications?open=${id}`,
    organization: `/console/organizations/${id}`,
    webhook: `/console/webhooks/${id}`,
  }
  return places[subject_type ?? '']
}

interface Props {
  readonly entry: Entry
  readonly id: string
  onFilter(): void
}

/** Leads to what the entry is about, or shows only its entries if it is gone. */
export function Target({ entry, id, onFilter }: Props) {
  const name = useTargetName()(entry)
  const to = pathOf(entry)
  if (name !== undefined && to !== undefined)
    return (
      <RowLink to={to}>
        <PersonText>{name}</PersonText>
      </RowLink>
    )
  return (
    <FilterValue title={id} onFilter={onFilter}>
      {name === undefined ? shortId(id) : <PersonText>{name}</PersonText>}
    </FilterValue>
  )
}
