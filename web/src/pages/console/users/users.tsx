import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { ownNameOf } from '../../../own-name.ts'
import { userOrders } from '../../../routing/filters.ts'
import { useLocation } from '../../../routing/router.tsx'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { RowLink } from '../../../ui/controls/row-link.tsx'
import { SearchField } from '../../../ui/controls/search-field.tsx'
import { Select } from '../../../ui/controls/select.tsx'
import { Badge } from '../../../ui/facts/badge.tsx'
import { PersonText } from '../../../ui/facts/person-text.tsx'
import { Time } from '../../../ui/facts/time.tsx'
import type { BulkAct } from '../../../ui/lists/bulk-bar.tsx'
import type { Chip } from '../../../ui/lists/chips.tsx'
import { DateRange } from '../../../ui/lists/date-range.tsx'
import { EmptyState } from '../../../ui/lists/empty-state.tsx'
import { List } from '../../../ui/lists/list.tsx'
import type { Column } from '../../../ui/lists/table.tsx'
import { Page } from '../../../ui/page.tsx'
import { useFilters } from '../../use-filters.ts'
import { useOrder } from '../../use-order.ts'
import { consoleKeys, filterNames, userFactors, userStatuses, usersQuery } from '../queries.ts'
import type { UserRow } from '../rows.ts'
import { SavedViews } from '../saved-views.tsx'
import { BulkForms } from './bulk-forms.tsx'
import { Invite } from './invite.tsx'
import { rememberSearch } from './last-search.ts'

type Filters = ReturnType<typeof useFilters<(typeof filterNames.users)[number]>>

/** In the address, for the dialog that adds a user. */
const newOne = 'new'

export function ConsoleUsers() {
  const { people, invite } = useTexts()
  const view = useFilters(filterNames.users)
  const { values, set } = view
  const query = usersQuery(view)
  const list = useQuery(query)
  const { search: address } = useLocation()
  useEffect(() => rememberSearch(address), [address])
  return (
    <Page
      title={people.title}
      lead={people.lead}
      actions={
        <>
          <SavedViews list="users" view={view} />
          <Button look="primary" onPress={() => view.setOpen(newOne)}>
            {invite.open}
          </Button>
        </>
      }
    >
      <List
        name="users"
        label={people.title}
        query={list}
        rowKey={({ id }) => id}
        rowName={({ email }) => email}
        columns={useColumns(values.search)}
        empty={<EmptyState icon="users" title={people.emptyTitle} text={people.emptyText} />}
        filters={
          <SearchField
            label={people.search}
            value={values.search ?? ''}
            maxLength={254}
            onSearch={(text, options) => set('search', text, options)}
          />
        }
        moreFilters={<UserFilters view={view} />}
        chips={useChips(view)}
        order={useOrder(query.order, userOrders)}
        csv={{ columns: csvColumns, read: query.read }}
        bulk={useBulkActs()}
        moreActs={(selection) => <BulkForms selection={selection} />}
        view={view}
      />
      {view.open === newOne && <Invite onClose={() => view.setOpen(undefined)} />}
    </Page>
  )
}

function UserFilters({ view: { values, set } }: { readonly view: Filters }) {
  const { people } = useTexts()
  return (
    <>
      <Select
        label={people.state}
        value={userStatuses.find((known) => known === values.status) ?? 'all'}
        options={people.statuses}
        onChange={(chosen) => set('status', chosen === 'all' ? undefined : chosen)}
      />
      <Select
        label={people.factor}
        value={userFactors.find((known) => known === values.factor) ?? 'all'}
        options={people.factors}
        onChange={(chosen) => set('factor', chosen === 'all' ? undefined : chosen)}
      />
      <DateRange
        label={people.lastSignIn}
        value={values.signed_in}
        never={people.never}
        onChange={(range) => set('signed_in', range)}
      />
      <DateRange label={people.since} value={values.joined} onChange={(range) => set('joined', range)} />
    </>
  )
}

/** The page of shards leads here. */
function useChips({ values, set }: Filters): readonly Chip[] {
  const { people } = useTexts()
  if (values.shard === undefined) return []
  return [{ key: 'shard', name: people.shard, value: values.shard, onRemove: () => set('shard', undefined) }]
}

const csvColumns = [
  'id',
  'email',
  'name',
  'email_verified',
  'role',
  'factors',
  'last_sign_in_at',
  'suspended_at',
  'shard_id',
  'aff_code',
  'registration_utm_source',
  'created_at',
] as const

function useBulkActs(): readonly BulkAct<UserRow>[] {
  const { people, person, lists } = useTexts()
  return [
    {
      label: people.endSessions,
      question: { title: lists.signOutMany, text: people.endSessionsText },
      done: people.endedSessionsOf,
      refreshes: [consoleKeys.users],
      act: ({ id }) => call('/api/admin/revoke_user_sessions', { id }),
    },
    {
      label: people.restore,
      question: { title: people.restoreMany, text: person.restoreText, look: 'quiet' },
      done: people.restoredMany,
      refreshes: [consoleKeys.users],
      isFor: ({ suspended_at }) => suspended_at !== null,
      act: ({ id }) => call('/api/admin/restore_user', { id }),
    },
  ]
}

function useColumns(search = ''): readonly Column<UserRow>[] {
  const { people } = useTexts()
  return [
    {
      key: 'user',
      title: people.user,
      cell: (user) => (
        <>
          <RowLink to={`/console/users/${user.id}`}>
            <PersonText search={search}>{user.email}</PersonText>
          </RowLink>
          {ownNameOf(user) && (
            <p className="text-ink-soft text-small">
              <PersonText search={search}>{ownNameOf(user)}</PersonText>
            </p>
          )}
        </>
      ),
    },
    { key: 'state', title: people.state, width: 'w-36', cell: (user) => <State user={user} /> },
    {
      key: 'last-sign-in',
      title: people.lastSignIn,
      width: 'w-36',
      cell: ({ last_sign_in_at: at }) =>
        at === null ? <span className="text-ink-soft">{people.never}</span> : <Time at={at} />,
    },
    { key: 'factor', title: people.factor, width: 'w-40', cell: (user) => <Factors user={user} /> },
    { key: 'since', title: people.since, width: 'w-36', cell: ({ created_at }) => <Time at={created_at} /> },
  ]
}

function State({ user: { email_verified, role, suspended_at } }: { readonly user: UserRow }) {
  const { people, person, profile } = useTexts()
  return (
    <span className="flex flex-wrap gap-1.5">
      {suspended_at !== null && <Badge look="danger">{person.suspendedState}</Badge>}
      {role === 'administrator' && <Badge look="accent">{people.administrator}</Badge>}
      <Badge look={email_verified ? 'plain' : 'warning'}>
        {email_verified ? profile.confirmed : profile.unconfirmed}
      </Badge>
    </span>
  )
}

function Factors({ user: { factors } }: { readonly user: UserRow }) {
  const { people, person } = useTexts()
  const known: Record<string, string> = person.factorKinds
  const kinds = factors.split(' ').filter(Boolean)
  if (kinds.length === 0) return <span className="text-ink-soft">{people.none}</span>
  return kinds.map((kind) => known[kind] ?? kind).join(', ')
}
