import type { Output } from '../../../server/api.ts'
import type { Texts } from '../../../texts/en.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { RowLink } from '../../../ui/controls/row-link.tsx'
import { SearchField } from '../../../ui/controls/search-field.tsx'
import { Select } from '../../../ui/controls/select.tsx'
import { PersonText } from '../../../ui/facts/person-text.tsx'
import { TimeOfDay, useDay } from '../../../ui/facts/time.tsx'
import { Icon } from '../../../ui/icon.tsx'
import type { Chip } from '../../../ui/lists/chips.tsx'
import { byAge } from '../../../ui/lists/columns.tsx'
import { DateRange } from '../../../ui/lists/date-range.tsx'
import { EmptyState } from '../../../ui/lists/empty-state.tsx'
import { FilterValue } from '../../../ui/lists/filter-value.tsx'
import { List } from '../../../ui/lists/list.tsx'
import type { Column } from '../../../ui/lists/table.tsx'
import { Page } from '../../../ui/page.tsx'
import { useFilters } from '../../use-filters.ts'
import { useShown } from '../../use-shown.ts'
import { filterNames } from '../queries.ts'
import { SavedViews } from '../saved-views.tsx'
import { shortId, useAddressOf } from '../users/person.ts'
import { actionsOf, groupNames, isNamedGroup, namedGroup } from './action-groups.ts'
import { FoldedDetails, useSentence } from './audit-words.tsx'
import { auditQuery } from './query.ts'
import { Target, useTargetName } from './target.tsx'

type Entry = Output<'/api/admin/list_audit_entries'>['items'][number]

type Filters = ReturnType<typeof useFilters<(typeof filterNames.audit)[number]>>

export function ConsoleAudit() {
  const { audit, people } = useTexts()
  const filters = useFilters(filterNames.audit)
  const day = useDay()
  // A refused sign-in is no event, so nothing announces it. A search can take long.
  const refetchInterval = filters.values.search === undefined && 10_000
  const shown = useShown({ ...auditQuery(filters), refetchInterval }, filters)
  return (
    <Page title={audit.title} lead={audit.lead} actions={<SavedViews list="audit" view={filters} />}>
      <List
        name="audit-log"
        label={audit.title}
        {...shown}
        rowKey={({ id }) => id}
        columns={useColumns(filters)}
        empty={<EmptyState icon="scroll" title={audit.emptyTitle} text={audit.emptyText} />}
        filters={<SearchField {...filters.search} label={people.search} maxLength={254} />}
        moreFilters={<MoreFilters filters={filters} />}
        heading={({ created_at }) => day(created_at)}
        chips={useChips(filters)}
      />
    </Page>
  )
}

function MoreFilters({ filters: { values, set, range } }: { readonly filters: Filters }) {
  const { audit, common } = useTexts()
  const { action = 'all' } = values
  const isKnown = action === 'all' || isNamedGroup(action) || Object.hasOwn(audit.actions, action)
  return (
    <>
      <div className="sm:max-w-64">
        <Select
          label={audit.action}
          value={action}
          options={{ all: audit.anyAction, ...(!isKnown && { [action]: action }) }}
          groups={Object.fromEntries(groupsIn(audit))}
          onChange={(chosen) => set('action', chosen === 'all' ? undefined : chosen)}
        />
      </div>
      <DateRange {...range('when')} label={common.when} />
    </>
  )
}

const groupsIn = ({ groups, actions, allOf }: Texts['audit']) =>
  groupNames.map((group) => [
    groups[group],
    {
      [namedGroup(group)]: allOf(groups[group]),
      ...Object.fromEntries(actionsOf(group).map((action) => [action, actions[action]])),
    },
  ])

function useChips({ values, set }: Filters): readonly Chip[] {
  const { audit, person } = useTexts()
  const chips = [
    { key: 'actor_id', name: audit.actor, value: useAddressOf(values.actor_id) },
    { key: 'subject_id', name: audit.subject, value: useAddressOf(values.subject_id) },
    { key: 'user_id', name: person.concerning, value: useAddressOf(values.user_id) },
    { key: 'ip', name: audit.from, value: values.ip },
  ] as const
  return chips
    .filter(({ key }) => values[key] !== undefined)
    .map((chip): Chip => ({ ...chip, onRemove: () => set(chip.key, undefined) }))
}

/** A row reads as a sentence: when, who, did what to whom. */
function useColumns(filters: Filters): readonly Column<Entry>[] {
  const { audit, common } = useTexts()
  return [
    {
      key: 'when',
      title: common.when,
      width: 'w-34',
      isPlain: true,
      sorts: byAge,
      cell: ({ created_at }) => <TimeOfDay at={created_at} />,
    },
    {
      key: 'action',
      title: audit.action,
      isSentence: true,
      cell: (entry) => <What entry={entry} filters={filters} />,
    },
    {
      key: 'from',
      title: audit.from,
      width: 'w-36',
      leaves: 2,
      cell: ({ ip }) => ip !== null && <FilterValue onFilter={() => filters.set('ip', ip)}>{ip}</FilterValue>,
    },
  ]
}

function What({ entry, filters }: { readonly entry: Entry; readonly filters: Filters }) {
  const sentence = useSentence()
  const { audit } = useTexts()
  const name = useTargetName()(entry)
  const about: Readonly<Record<string, string>> = audit.about
  const { action, actor_id, actor_email, subject_id: id, subject_email: email } = entry
  const { did, facts } = sentence(entry)
  const isOther = id !== null && id !== actor_id
  // The sentence has it already.
  const untold = Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== name))
  return (
    <>
      <div className="flex flex-wrap items-baseline gap-x-1.5">
        {actor_id !== null && <Who id={actor_id} email={actor_email} filters={filters} name="actor_id" />}
        <FilterValue title={action} onFilter={() => filters.set('action', action)}>
          {(actor_id !== null && name !== undefined && about[action]) || did}
        </FilterValue>
        {isOther && email !== null && <Who id={id} email={email} filters={filters} name="subject_id" />}
        {isOther && email === null && <Target entry={entry} id={id} onFilter={() => filters.set('subject_id', id)} />}
      </div>
      <FoldedDetails details={untold} />
    </>
  )
}

interface WhoProps {
  readonly id: string
  /** Null once the user was deleted, and their page with them. */
  readonly email: string | null
  readonly filters: Filters
  readonly name: 'actor_id' | 'subject_id'
}

function Who({ id, email, filters: { values, set }, name }: WhoProps) {
  const { filters: words } = useTexts()
  const filter = () => set(name, id)
  if (email === null) return <FilterValue onFilter={filter}>{shortId(id)}</FilterValue>
  return (
    <span className="inline-flex max-w-full items-start gap-1">
      <RowLink to={`/console/users/${id}`}>
        <PersonText search={values.search ?? ''}>{email}</PersonText>
      </RowLink>
      <button
        type="button"
        aria-label={`${words.only}: ${email}`}
        title={words.only}
        onClick={filter}
        className="grid size-6 shrink-0 place-items-center rounded-sm text-ink-soft hover:bg-sunken hover:text-ink"
      >
        <Icon name="funnel" className="size-3.5" />
      </button>
    </span>
  )
}
