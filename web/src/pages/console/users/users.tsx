import { useQuery } from '@tanstack/react-query'
import { ownNameOf } from '../../../own-name.ts'
import { userOrders } from '../../../routing/filters.ts'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { RowLink } from '../../../ui/controls/row-link.tsx'
import { SearchField } from '../../../ui/controls/search-field.tsx'
import { Badge } from '../../../ui/facts/badge.tsx'
import { PersonText } from '../../../ui/facts/person-text.tsx'
import { Time } from '../../../ui/facts/time.tsx'
import type { BulkAct } from '../../../ui/lists/bulk-bar.tsx'
import { EmptyState } from '../../../ui/lists/empty-state.tsx'
import { List } from '../../../ui/lists/list.tsx'
import type { Column } from '../../../ui/lists/table.tsx'
import { Page } from '../../../ui/page.tsx'
import { useFilters } from '../../use-filters.ts'
import { useOrder } from '../../use-order.ts'
import { consoleKeys, filterNames, usersQuery } from '../queries.ts'
import type { UserRow } from '../rows.ts'
import { useDayChips } from '../use-day-chips.ts'
import { Invite } from './invite.tsx'

/** In the address, for the dialog that adds a user. */
const newOne = 'new'

export function ConsoleUsers() {
  const { people, invite } = useTexts()
  const view = useFilters(filterNames.users)
  const { values, set } = view
  const query = usersQuery(view)
  const list = useQuery(query)
  return (
    <Page
      title={people.title}
      lead={people.lead}
      actions={
        <Button look="primary" onPress={() => view.setOpen(newOne)}>
          {invite.open}
        </Button>
      }
    >
      <List
        name="users"
        label={people.title}
        query={list}
        rowKey={({ id }) => id}
        rowName={({ email }) => email}
        columns={useColumns()}
        empty={<EmptyState icon="users" title={people.emptyTitle} text={people.emptyText} />}
        filters={
          <SearchField
            label={people.search}
            value={values.search ?? ''}
            maxLength={254}
            onSearch={(text, options) => set('search', text, options)}
          />
        }
        chips={useDayChips(values.day, people.since, () => set('day', undefined))}
        order={useOrder(query.order, userOrders)}
        csv={{ columns: csvColumns, read: query.read }}
        bulk={useBulkActs()}
        view={view}
      />
      {view.open === newOne && <Invite onClose={() => view.setOpen(undefined)} />}
    </Page>
  )
}

const csvColumns = [
  'id',
  'email',
  'name',
  'email_verified',
  'role',
  'suspended_at',
  'shard_id',
  'aff_code',
  'registration_utm_source',
  'created_at',
] as const

function useBulkActs(): readonly BulkAct<UserRow>[] {
  const { people, lists } = useTexts()
  return [
    {
      label: people.endSessions,
      question: { title: lists.signOutMany, text: people.endSessionsText },
      done: people.endedSessionsOf,
      refreshes: [consoleKeys.users],
      act: ({ id }) => call('/api/admin/revoke_user_sessions', { id }),
    },
  ]
}

function useColumns(): readonly Column<UserRow>[] {
  const { people, person, profile } = useTexts()
  return [
    {
      key: 'email',
      title: people.email,
      cell: ({ id, email }) => (
        <RowLink to={`/console/users/${id}`}>
          <PersonText>{email}</PersonText>
        </RowLink>
      ),
    },
    {
      key: 'name',
      title: people.name,
      cell: (user) => ownNameOf(user) && <PersonText>{ownNameOf(user)}</PersonText>,
    },
    {
      key: 'state',
      title: people.state,
      width: 'w-56',
      cell: ({ email_verified, role, suspended_at }) => (
        <span className="flex flex-wrap gap-1.5">
          {suspended_at !== null && <Badge look="danger">{person.suspendedState}</Badge>}
          {role === 'administrator' && <Badge look="accent">{people.administrator}</Badge>}
          <Badge look={email_verified ? 'plain' : 'warning'}>
            {email_verified ? profile.confirmed : profile.unconfirmed}
          </Badge>
        </span>
      ),
    },
    {
      key: 'since',
      title: people.since,
      width: 'w-40',
      cell: ({ created_at }) => <Time at={created_at} />,
    },
  ]
}
