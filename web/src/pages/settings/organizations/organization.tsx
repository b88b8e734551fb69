import { useQuery } from '@tanstack/react-query'
import { useLocation, useNavigateNext } from '../../../routing/router.tsx'
import { call } from '../../../server/api.ts'
import { sessionQuery, useClientConfig, useSignedIn } from '../../../server/session.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { TextLink } from '../../../ui/controls/text-link.tsx'
import { ConfirmedAct } from '../../../ui/dialogs/confirmed-act.tsx'
import { Avatar } from '../../../ui/facts/avatar.tsx'
import { PersonText, SentenceWith } from '../../../ui/facts/person-text.tsx'
import { LoadFailure } from '../../../ui/lists/loaded.tsx'
import { comeBack } from '../../../ui/lists/opened-row.ts'
import { areSettled } from '../../../ui/lists/settled.ts'
import { Skeleton } from '../../../ui/lists/skeleton.tsx'
import { idIn } from '../../console/id-in.ts'
import { Missing } from '../../missing.tsx'
import { InviteMember } from '../../organizations/invite-member.tsx'
import { type Member, Members, useMembersView } from '../../organizations/members.tsx'
import { OrganizationForm } from '../../organizations/organization-form.tsx'
import { useRoleNames } from '../../organizations/roles.tsx'
import { StoredData } from '../own-data.tsx'
import { Switch } from './organizations.tsx'
import { OwnRoles } from './own-roles.tsx'
import { Pending } from './pending.tsx'
import {
  type Full,
  fullQuery,
  type Membership,
  membershipsQuery,
  membersQuery,
  organizationsKey,
  rolesQuery,
} from './queries.ts'
import { type Standing, standingOf } from './standing.ts'
import { MemberTeams, Teams } from './teams.tsx'

/** One organisation of the user: its members, and what else they may see and change there. */
export function OwnOrganization() {
  const { organizations } = useTexts()
  const id = idIn(useLocation().pathname)
  const { own_data_shown } = useClientConfig()
  const mine = useQuery(membershipsQuery)
  const membership = mine.data?.find((one) => one.id === id)
  const full = useQuery({ ...fullQuery(id), enabled: membership?.suspended === false })
  const roles = useQuery({ ...rolesQuery(id), enabled: membership?.suspended === false })
  const back = (
    <TextLink to="/settings/organizations" onClick={comeBack}>
      {organizations.all}
    </TextLink>
  )
  const failed = [mine, full, roles].find(({ error }) => error)
  if (failed) return <LoadFailure query={failed} />
  if (mine.data && !membership) return <Missing />
  if (!membership) return <Skeleton rows={5} />
  const isSettled = membership.suspended || areSettled([full, roles])
  const standing = standingOf(membership, roles.data ?? [])
  return (
    <>
      <p className="-mb-3">{back}</p>
      {isSettled ? <Head membership={membership} standing={standing} /> : <Skeleton rows={5} />}
      {full.data && roles.data && (
        <>
          <MembersCard organization={full.data} standing={standing} />
          <Pending organization={full.data} canCancel={standing.can('invitation:cancel')} />
          <Teams organization={full.data} standing={standing} />
          {roles.data.length > 0 && <OwnRoles organizationId={id} roles={roles.data} standing={standing} />}
          {own_data_shown && standing.can('organization:update') && <Data id={id} />}
        </>
      )}
    </>
  )
}

interface HeadProps {
  readonly membership: Membership
  readonly standing: Standing
}

function Head({ membership, standing: { can } }: HeadProps) {
  const { organizations } = useTexts()
  const namesOf = useRoleNames()
  const navigate = useNavigateNext()
  const { id, name, slug, logo, role } = membership
  const refreshes = [organizationsKey, sessionQuery.queryKey]
  const toList = () => navigate('/settings/organizations', { replace: true })
  const left = { refreshes: [sessionQuery.queryKey, membershipsQuery.queryKey], isForNextPage: true, onDone: toList }
  return (
    <Card>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <Avatar name={name} image={logo} className="size-12 text-dialog" />
        <div className="min-w-0 grow basis-48">
          <h2 className="wrap-anywhere font-semibold text-card leading-snug">
            <PersonText>{name}</PersonText>
          </h2>
          <p className="wrap-anywhere text-ink-soft text-small">
            {slug} · <PersonText>{namesOf(role.split(','))}</PersonText>
          </p>
        </div>
        <div className="flex flex-wrap items-center gap-2">
          <Switch to={membership} />
          {can('organization:update') && (
            <OrganizationForm
              of={membership}
              size="small"
              draft={`organization:${id}`}
              act={(data) => call('/api/auth/organization/update', { organizationId: id, data })}
              refreshes={refreshes}
            />
          )}
          <ConfirmedAct
            {...left}
            size="small"
            label={organizations.leave}
            title={<SentenceWith sentence={organizations.leaveTitle} words={name} />}
            text={organizations.leaveText}
            act={() => call('/api/auth/organization/leave', { organizationId: id })}
            done={organizations.left}
          />
          {can('organization:delete') && (
            <ConfirmedAct
              {...left}
              size="small"
              label={organizations.remove}
              title={<SentenceWith sentence={organizations.removeTitle} words={name} />}
              text={organizations.removeText}
              act={() => call('/api/auth/organization/delete', { organizationId: id })}
              done={organizations.removed}
            />
          )}
        </div>
      </div>
    </Card>
  )
}

/** What it tells the product, where the settings show that. */
function Data({ id: organization_id }: { readonly id: string }) {
  return (
    <StoredData
      queryKey={[...organizationsKey, 'data', organization_id]}
      queryFn={() => call('/api/get_organization_data', { organization_id })}
      draft={`organization-data:${organization_id}`}
      save={(own) => call('/api/update_organization_data', { organization_id, own })}
    />
  )
}

interface InsideProps {
  readonly organization: Full
  readonly standing: Standing
}

function MembersCard({ organization: { id: organizationId, teams }, standing }: InsideProps) {
  const { organizations } = useTexts()
  const { user } = useSignedIn()
  const { pathname } = useLocation()
  const view = useMembersView()
  const { read, ...listing } = membersQuery(organizationId, view)
  const refreshes = [organizationsKey, sessionQuery.queryKey]
  const { can, isOwner, offered } = standing
  const isBelow = ({ roles }: Member) => isOwner || !roles.includes('owner')
  const canTeam = teams.length > 0 && can('team:update')
  const invite = !can('invitation:create') ? null : !user.emailVerified ? (
    <TextLink to={`/verify?${new URLSearchParams({ email: user.email, send: 'now', next: pathname })}`}>
      {organizations.confirmToInvite}
    </TextLink>
  ) : (
    <InviteMember
      {...{ organizationId, offered, refreshes }}
      act={(email, role) => call('/api/auth/organization/invite-member', { email, role, organizationId })}
    />
  )
  return (
    <Card title={organizations.members} action={invite}>
      <Members
        {...{ view, read, offered, refreshes }}
        query={useQuery(listing)}
        canChange={(member) => can('member:update') && isBelow(member)}
        canRemove={(member) => can('member:delete') && isBelow(member) && member.userId !== user.id}
        update={({ id: memberId }, role) =>
          call('/api/auth/organization/update-member-role', { memberId, role, organizationId })
        }
        remove={({ id: memberIdOrEmail }) =>
          call('/api/auth/organization/remove-member', { memberIdOrEmail, organizationId })
        }
        {...(canTeam && {
          more: (member: Member) => <MemberTeams organizationId={organizationId} teams={teams} member={member} />,
        })}
      />
    </Card>
  )
}
