import { useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { call, type Output } from '../../../server/api.ts'
import { sessionQuery, useClientConfig, useSignedIn } from '../../../server/session.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { ActButton } from '../../../ui/controls/act-button.tsx'
import { RowLink } from '../../../ui/controls/row-link.tsx'
import { ConfirmedAct } from '../../../ui/dialogs/confirmed-act.tsx'
import { Badge } from '../../../ui/facts/badge.tsx'
import { PersonText, SentenceWith } from '../../../ui/facts/person-text.tsx'
import { actColumn } from '../../../ui/lists/columns.tsx'
import { EmptyState } from '../../../ui/lists/empty-state.tsx'
import { Loaded, LoadFailure } from '../../../ui/lists/loaded.tsx'
import { areSettled } from '../../../ui/lists/settled.ts'
import { Table } from '../../../ui/lists/table.tsx'
import { OrganizationForm } from '../../organizations/organization-form.tsx'
import { useRoleNames } from '../../organizations/roles.tsx'
import { invitationsToMeQuery, type Membership, membershipsQuery, organizationsKey } from './queries.ts'

/** The organisations that the user is in, and invitations to others. */
export function OwnOrganizations() {
  const { organizations, settings } = useTexts()
  const { user } = useSignedIn()
  const isOpen = useClientConfig().organizations_open || user.role === 'administrator'
  const mine = useQuery(membershipsQuery)
  const toMe = useQuery(invitationsToMeQuery)
  const isSettled = useDeferredValue(areSettled([mine, toMe]))
  return (
    <>
      {toMe.error && <LoadFailure query={toMe} />}
      {isSettled && toMe.data && toMe.data.length > 0 && <InvitationsToMe invitations={toMe.data} />}
      <Card title={settings.organizations} lead={organizations.lead} action={isOpen && <Create />}>
        <Loaded<readonly Membership[]> query={mine}>
          {(memberships) =>
            memberships.length === 0 ? (
              <EmptyState
                icon="users"
                title={organizations.none}
                text={isOpen ? organizations.noneTextOpen : organizations.noneText}
              />
            ) : (
              <Mine memberships={memberships} />
            )
          }
        </Loaded>
      </Card>
    </>
  )
}

function Create() {
  return (
    <OrganizationForm
      asks="new"
      draft="organization"
      act={(sent) => call('/api/auth/organization/create', sent)}
      refreshes={[organizationsKey, sessionQuery.queryKey]}
    />
  )
}

function Mine({ memberships }: { readonly memberships: readonly Membership[] }) {
  const { organizations, settings, common } = useTexts()
  const namesOf = useRoleNames()
  return (
    <Table<Membership>
      label={settings.organizations}
      rows={memberships}
      rowKey={({ id }) => id}
      columns={[
        {
          key: 'organization',
          title: organizations.name,
          cell: ({ id, name, slug }) => (
            <>
              <RowLink to={`/settings/organizations/${id}`}>
                <PersonText>{name}</PersonText>
              </RowLink>
              <p className="truncate text-ink-soft text-small">{slug}</p>
            </>
          ),
        },
        {
          key: 'roles',
          title: organizations.roles,
          width: 'w-40',
          isPlain: true,
          cell: ({ role }) => <PersonText>{namesOf(role.split(','))}</PersonText>,
        },
        actColumn(common.actions, 'w-40', (membership) => <Switch to={membership} />),
      ]}
    />
  )
}

/** Makes it the organisation that this session acts in. */
export function Switch({
  to: { id, name, suspended },
}: {
  readonly to: Pick<Membership, 'id' | 'name' | 'suspended'>
}) {
  const { organizations } = useTexts()
  const { session } = useSignedIn()
  if (suspended) return <Badge look="danger">{organizations.suspended}</Badge>
  if (session.activeOrganizationId === id) return <Badge look="accent">{organizations.active}</Badge>
  return (
    <ActButton
      size="small"
      label={organizations.makeActive}
      name={`${organizations.makeActive}: ${name}`}
      act={() => call('/api/auth/organization/set-active', { organizationId: id })}
      done={organizations.switched(name)}
      refreshes={[sessionQuery.queryKey]}
    />
  )
}

type ToMe = Output<'/api/auth/organization/list-user-invitations'>[number]

function InvitationsToMe({ invitations }: { readonly invitations: readonly ToMe[] }) {
  const { organizations } = useTexts()
  return (
    <Card title={organizations.invitedTo}>
      <ul className="divide-y divide-line">
        {invitations.map((invitation) => (
          <ToMe key={invitation.id} invitation={invitation} />
        ))}
      </ul>
    </Card>
  )
}

function ToMe({ invitation: { id: invitationId, organizationName, role } }: { readonly invitation: ToMe }) {
  const { organizations, invitation } = useTexts()
  const namesOf = useRoleNames()
  const refreshes = [organizationsKey, sessionQuery.queryKey]
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 py-3 first:pt-0 last:pb-0">
      <span className="wrap-anywhere min-w-0">
        <SentenceWith
          sentence={(organization) => organizations.invitedToText(organization, namesOf(role.split(',')))}
          words={organizationName}
        />
      </span>
      <span className="flex flex-wrap gap-2">
        <ActButton
          look="primary"
          size="small"
          label={invitation.accept}
          name={`${invitation.accept}: ${organizationName}`}
          act={() => call('/api/auth/organization/accept-invitation', { invitationId })}
          done={invitation.joined(organizationName)}
          refreshes={refreshes}
        />
        <ConfirmedAct
          size="small"
          label={invitation.reject}
          name={`${invitation.reject}: ${organizationName}`}
          title={`${invitation.reject}?`}
          text={organizations.noneText}
          act={() => call('/api/auth/organization/reject-invitation', { invitationId })}
          done={invitation.rejected}
          refreshes={refreshes}
        />
      </span>
    </li>
  )
}
