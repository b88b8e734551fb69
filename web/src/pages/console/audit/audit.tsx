import { useQuery } from '@tanstack/react-query'
import type { Output } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { SearchField } from '../../../ui/controls/search-field.tsx'
import { Select } from '../../../ui/controls/select.tsx'
import { PersonText } from '../../../ui/facts/person-text.tsx'
import { Time } from '../../../ui/facts/time.tsx'
import type { Chip } from '../../../ui/lists/chips.tsx'
import { EmptyState } from '../../../ui/lists/empty-state.tsx'
import { FilterValue } from '../../../ui/lists/filter-value.tsx'
import { List } from '../../../ui/lists/list.tsx'
import type { Column } from '../../../ui/lists/table.tsx'
import { Page } from '../../../ui/page.tsx'
import { useFilters } from '../../use-filters.ts'
import { useOrder } from '../../use-order.ts'
import { auditQuery, filterNames } from '../queries.ts'
import { useDayChips } from '../use-day-chips.ts'
import { shortId, useAddressOf } from '../users/person.ts'
import { PersonSearch } from '../users/person-search.tsx'
import { AuditDetails, hasFacts, useActionWords } from './audit-words.tsx'

type Entry = Output<'/api/admin/list_audit_entries'>['items'][number]

type Filters = ReturnType<typeof useFilters<(typeof filterNames.audit)[number]>>

export function ConsoleAudit() {
  const { audit } = useTexts()
  const filters = useFilters(filterNames.audit)
  const query = auditQuery(filters)
  const list = useQuery(query)
  return (
    <Page title={audit.title} lead={audit.lead}>
      <List
        name="audit-log"
        label={audit.title}
        query={list}
        rowKey={({ id }) => id}
        columns={useColumns(filters)}
        empty={<EmptyState icon="scroll" title={audit.emptyTitle} text={audit.emptyText} />}
        filters={<AuditFilters filters={filters} />}
        chips={useChips(filters)}
        order={useOrder(query.order)}
        csv={{ columns: csvColumns, read: query.read }}
        view={filters}
      />
    </Page>
  )
}

const csvColumns = [
  'created_at',
  'action',
  'actor_id',
  'actor_email',
  'subject_type',
  'subject_id',
  'subject_email',
  'ip',
  'details',
  'id',
] as const

function AuditFilters({ filters: { values, set } }: { readonly filters: Filters }) {
  const { audit } = useTexts()
  const wordsOf = useActionWords()
  const known: Record<string, string> = { all: audit.anyAction, ...audit.actions }
  const { action = 'all' } = values
  return (
    <>
      <div className="grow sm:max-w-60 sm:basis-48">
        <SearchField
          label={audit.findAddress}
          value={values.search ?? ''}
          maxLength={254}
          onSearch={(text, options) => set('search', text, options)}
        />
      </div>
      <div className="sm:max-w-56">
        <Select
          label={audit.action}
          value={action}
          options={{ ...known, [action]: known[action] ?? wordsOf(action) }}
          onChange={(chosen) => set('action', chosen === 'all' ? undefined : chosen)}
        />
      </div>
      <div className="grow sm:max-w-52 sm:basis-40">
        <PersonSearch label={audit.findActor} onFound={({ id }) => set('actor_id', id)} />
      </div>
      <div className="grow sm:max-w-52 sm:basis-40">
        <PersonSearch label={audit.findSubject} onFound={({ id }) => set('subject_id', id)} />
      </div>
    </>
  )
}

function useChips({ values, set }: Filters): readonly Chip[] {
  const { audit, person } = useTexts()
  const chips = [
    { key: 'actor_id', name: audit.actor, value: useAddressOf(values.actor_id) },
    { key: 'subject_id', name: audit.subject, value: useAddressOf(values.subject_id) },
    { key: 'user_id', name: person.concerning, value: useAddressOf(values.user_id) },
  ] as const
  const ofDay = useDayChips(values.day, audit.when, () => set('day', undefined))
  return chips
    .filter(({ key }) => values[key] !== undefined)
    .map((chip): Chip => ({ ...chip, onRemove: () => set(chip.key, undefined) }))
    .concat(ofDay)
}

function useColumns({ set }: Filters): readonly Column<Entry>[] {
  const { audit } = useTexts()
  const wordsOf = useActionWords()
  return [
    {
      key: 'when',
      title: audit.when,
      width: 'w-32',
      cell: ({ created_at }) => <Time at={created_at} />,
    },
    {
      key: 'action',
      title: audit.action,
      cell: ({ action }) => (
        <FilterValue title={action} onFilter={() => set('action', action)}>
          {wordsOf(action)}
        </FilterValue>
      ),
    },
    {
      key: 'actor',
      title: audit.actor,
      cell: ({ actor_id: id, actor_email: email }) =>
        id !== null && (
          <FilterValue onFilter={() => set('actor_id', id)}>
            <PersonText>{email ?? shortId(id)}</PersonText>
          </FilterValue>
        ),
    },
    {
      key: 'subject',
      title: audit.subject,
      cell: ({ subject_type: type, subject_id: id, subject_email: email }) =>
        id !== null && (
          <FilterValue title={id} onFilter={() => set('subject_id', id)}>
            {email === null ? <Subject type={type ?? ''} id={id} /> : <PersonText>{email}</PersonText>}
          </FilterValue>
        ),
    },
    {
      key: 'details',
      title: audit.details,
      cell: ({ details }) => hasFacts(details) && <AuditDetails details={details} />,
    },
    { key: 'from', title: audit.from, width: 'w-32', cell: ({ ip }) => ip },
  ]
}

function Subject({ type, id }: { readonly type: string; readonly id: string }) {
  const { audit, config } = useTexts()
  const kinds: Record<string, string> = audit.subjects
  const { authentication, email, credits, ai, brand } = config
  const parts: Record<string, string> = { authentication, email, credits, ai, brand }
  return (
    <>
      {kinds[type] ?? type}{' '}
      <span className="text-ink-soft">{(type === 'settings' && parts[id]) || shortId(id)}</span>
    </>
  )
}
