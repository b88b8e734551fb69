import { useEffect, useState } from 'react'
import { ownNameOf } from '../../../own-name.ts'
import { useLocation } from '../../../routing/router.tsx'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { RowLink } from '../../../ui/controls/row-link.tsx'
import { SearchField } from '../../../ui/controls/search-field.tsx'
import { Select } from '../../../ui/controls/select.tsx'
import { PersonText } from '../../../ui/facts/person-text.tsx'
import type { BulkAct } from '../../../ui/lists/bulk-bar.tsx'
import type { Chip } from '../../../ui/lists/chips.tsx'
import { byAge, timeColumn } from '../../../ui/lists/columns.tsx'
import { DateRange } from '../../../ui/lists/date-range.tsx'
import { EmptyState } from '../../../ui/lists/empty-state.tsx'
import { List } from '../../../ui/lists/list.tsx'
import type { Column } from '../../../ui/lists/table.tsx'
import { Notice } from '../../../ui/messages/notice.tsx'
import { Page } from '../../../ui/page.tsx'
import { useIsWide } from '../../../wide.ts'
import { useFilters } from '../../use-filters.ts'
import { useShown } from '../../use-shown.ts'
import { consoleKeys, filterNames, userFactors, userStatuses, usersQuery } from '../queries.ts'
import { ending } from '../receipt.tsx'
import type { UserRow } from '../rows.ts'
import { SavedViews } from '../saved-views.tsx'
import { BulkForms } from './bulk-forms.tsx'
import { Invite } from './invite.tsx'
import { rememberSearch } from './last-search.ts'
import { Factors, UserState } from './user-state.tsx'

type Filters = ReturnType<typeof useFilters<(typeof filterNames.users)[number]>>

/** Stands in the address for the dialog that adds a user. */
const newOne = 'new'

export function ConsoleUsers() {
  const { people, invite } = useTexts()
  const view = useFilters(filterNames.users)
  const { search } = view.values
  const [whole, setWhole] = useState<string>()
  const among = search === whole ? 'all' : 'first'
  const shown = useShown(usersQuery(view, among), view)
  const searched = among === 'first' ? shown.query.data?.searched : undefined
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
        {...shown}
        rowKey={({ id }) => id}
        rowName={({ email }) => email}
        columns={useColumns(search)}
        notice={searched !== undefined && <Searched users={searched} onAll={() => setWhole(search)} />}
        empty={<EmptyState icon="users" title={people.emptyTitle} text={people.emptyText} />}
        filters={<SearchField {...view.search} label={people.search} maxLength={254} />}
        moreFilters={<UserFilters view={view} />}
        chips={useChips(view)}
        bulk={useBulkActs()}
        moreActs={(selection) => <BulkForms selection={selection} />}
      />
      {view.open === newOne && <Invite onClose={() => view.setOpen(undefined)} />}
    </Page>
  )
}

/** Shown if very many users match the search, or parts of it. */
function Searched({ users, onAll }: { readonly users: number; onAll(): void }) {
  const { people } = useTexts()
  return (
    <Notice look="info" action={<Button onPress={onAll}>{people.searchAll}</Button>}>
      {people.searchedFirst(users)}
    </Notice>
  )
}

function UserFilters({ view: { choice, range } }: { readonly view: Filters }) {
  const { people, common } = useTexts()
  return (
    <>
      <Select {...choice('status', userStatuses)} label={common.status} options={people.statuses} />
      <Select {...choice('factor', userFactors)} label={people.factor} options={people.factors} />
      <DateRange {...range('signed_in')} label={people.lastSignIn} never={people.never} />
      <DateRange {...range('joined')} label={people.since} />
    </>
  )
}

/** The page of shards links to this list with a filter that has no other control. */
function useChips({ values, set }: Filters): readonly Chip[] {
  const { shards } = useTexts()
  if (values.shard === undefined) return []
  return [{ key: 'shard', name: shards.shard, value: values.shard, onRemove: () => set('shard', undefined) }]
}

function useBulkActs(): readonly BulkAct<UserRow>[] {
  const { people, person, lists } = useTexts()
  return [
    {
      label: people.endSessions,
      question: { title: lists.signOutMany, text: people.endSessionsText },
      done: people.endedSessionsOf,
      refreshes: [consoleKeys.users],
      act: ({ id }) => ending({ kind: 'user', id }, call('/api/admin/revoke_user_sessions', { id })),
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

function OwnName({ of: user, search }: { readonly of: UserRow; readonly search: string }) {
  const name = ownNameOf(user)
  if (!name) return null
  return (
    <p className="truncate text-ink-soft text-small">
      <PersonText search={search}>{name}</PersonText>
    </p>
  )
}

/** On a phone a row is two lines: the name stands before the state. */
function useColumns(search = ''): readonly Column<UserRow>[] {
  const { people, common } = useTexts()
  const isWide = useIsWide()
  return [
    {
      key: 'user',
      title: people.user,
      sorts: [{ order: 'email', direction: 'ascending' }],
      cell: (user) => (
        <>
          <RowLink to={`/console/users/${user.id}`}>
            <PersonText search={search}>{user.email}</PersonText>
          </RowLink>
          {isWide && <OwnName of={user} search={search} />}
        </>
      ),
    },
    {
      key: 'state',
      title: common.status,
      width: 'w-36',
      leaves: 4,
      isPlain: true,
      cell: (user) => (
        <div className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
          <div className="max-w-44 empty:hidden">{!isWide && <OwnName of={user} search={search} />}</div>
          <UserState of={user} />
        </div>
      ),
    },
    timeColumn('last-sign-in', people.lastSignIn, ({ last_sign_in_at }) => last_sign_in_at, {
      leaves: 3,
      sorts: [{ order: 'last_sign_in', direction: 'descending' }],
      never: <span className="text-ink-soft">{people.never}</span>,
    }),
    { key: 'factor', title: people.factor, width: 'w-40', leaves: 2, cell: (user) => <Factors of={user} /> },
    timeColumn('since', people.since, ({ created_at }) => created_at, { leaves: 1, sorts: byAge }),
  ]
}
