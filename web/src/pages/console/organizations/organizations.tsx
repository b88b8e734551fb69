import { useState } from 'react'
import { may } from '../../../scope-tiers.ts'
import { call, type Output } from '../../../server/api.ts'
import { useSignedIn } from '../../../server/session.ts'
import { useSpoken, useTexts } from '../../../texts/texts.tsx'
import { RowLink } from '../../../ui/controls/row-link.tsx'
import { SearchField } from '../../../ui/controls/search-field.tsx'
import { Select } from '../../../ui/controls/select.tsx'
import { TextLink } from '../../../ui/controls/text-link.tsx'
import { Badge } from '../../../ui/facts/badge.tsx'
import { PersonText } from '../../../ui/facts/person-text.tsx'
import { timeColumn } from '../../../ui/lists/columns.tsx'
import { EmptyState } from '../../../ui/lists/empty-state.tsx'
import { List } from '../../../ui/lists/list.tsx'
import type { Column } from '../../../ui/lists/table.tsx'
import { Page } from '../../../ui/page.tsx'
import { OrganizationForm } from '../../organizations/organization-form.tsx'
import { useFilters } from '../../use-filters.ts'
import { useShown } from '../../use-shown.ts'
import { consoleKeys, filterNames, organizationStatuses, organizationsQuery } from '../queries.ts'
import { type FoundPerson, PersonSearch } from '../users/person-search.tsx'

type Listed = Output<'/api/admin/list_organizations'>['items'][number]

export function ConsoleOrganizations() {
  const { allOrganizations, common } = useTexts()
  const { user } = useSignedIn()
  const view = useFilters(filterNames.organizations)
  const { query, read } = useShown(organizationsQuery(view), view)
  const search = view.values.search ?? ''
  return (
    <Page
      title={allOrganizations.title}
      lead={
        <>
          {allOrganizations.lead}{' '}
          {may(user, 'config:organizations:read') && (
            <TextLink to="/console/settings/organizations">{allOrganizations.rolesLink}</TextLink>
          )}
        </>
      }
      actions={may(user, 'admin:organizations:write') && <Create />}
    >
      <List<Listed>
        name="organizations"
        label={allOrganizations.title}
        {...{ query, read, view }}
        rowKey={({ id }) => id}
        empty={<EmptyState icon="home" title={allOrganizations.emptyTitle} text={allOrganizations.emptyText} />}
        filters={<SearchField {...view.search} label={allOrganizations.search} maxLength={200} />}
        moreFilters={
          <Select
            {...view.choice('status', organizationStatuses)}
            label={common.status}
            options={allOrganizations.statuses}
          />
        }
        columns={[
          {
            key: 'organization',
            title: allOrganizations.organization,
            cell: ({ id, name, slug }) => (
              <>
                <RowLink to={`/console/organizations/${id}`}>
                  <PersonText search={search}>{name}</PersonText>
                </RowLink>
                <p className="truncate text-ink-soft text-small">
                  <PersonText search={search}>{slug}</PersonText>
                </p>
              </>
            ),
          },
          ...useFactColumns(),
        ]}
      />
    </Page>
  )
}

function useFactColumns(): readonly Column<Listed>[] {
  const { allOrganizations, common } = useTexts()
  const membersOf = useMembersOf()
  return [
    {
      key: 'status',
      title: common.status,
      width: 'w-40',
      isPlain: true,
      cell: (row) => <OrganizationState of={row} />,
    },
    { key: 'members', title: allOrganizations.members, width: 'w-36', leaves: 2, cell: membersOf },
    timeColumn('created', allOrganizations.created, ({ created_at }) => created_at, { leaves: 1 }),
  ]
}

/** With the number of seats, if it has one of its own. */
export function useMembersOf() {
  const { allOrganizations } = useTexts()
  const { language } = useSpoken()
  return ({ members, seats }: Pick<Listed, 'members' | 'seats'>) => {
    const [held, all] = [members.toLocaleString(language), seats?.toLocaleString(language)]
    return all === undefined ? held : allOrganizations.ofSeats(held, all)
  }
}

const looks = { active: 'plain', suspended: 'danger', ownerless: 'warning' } as const

export function OrganizationState({ of: { status } }: { readonly of: Pick<Listed, 'status'> }) {
  const { allOrganizations } = useTexts()
  return <Badge look={looks[status]}>{allOrganizations.statuses[status]}</Badge>
}

function Create() {
  const { allOrganizations } = useTexts()
  const [owner, setOwner] = useState<FoundPerson>()
  return (
    <OrganizationForm
      asks="new"
      text={allOrganizations.createText}
      draft="console-organization"
      act={({ name, slug }) =>
        call('/api/admin/create_organization', { name, ...(slug && { slug }), ...(owner && { owner_id: owner.id }) })
      }
      onDone={() => setOwner(undefined)}
      refreshes={[consoleKeys.organizations]}
    >
      <PersonSearch label={allOrganizations.owners} onFound={setOwner} />
      {owner && <p className="text-small">{allOrganizations.chosen(owner.email)}</p>}
    </OrganizationForm>
  )
}
