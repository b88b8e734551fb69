import { keepPreviousData, useQuery } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { useLocation, useNavigateNext } from '../../../routing/router.tsx'
import { may } from '../../../scope-tiers.ts'
import { call, type Output } from '../../../server/api.ts'
import { useSignedIn } from '../../../server/session.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { CopyButton } from '../../../ui/controls/copy-button.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { TextLink } from '../../../ui/controls/text-link.tsx'
import { ConfirmedAct } from '../../../ui/dialogs/confirmed-act.tsx'
import { FormAct } from '../../../ui/dialogs/form-act.tsx'
import { Facts } from '../../../ui/facts/facts.tsx'
import { PersonText, SentenceWith } from '../../../ui/facts/person-text.tsx'
import { Time } from '../../../ui/facts/time.tsx'
import { Loaded } from '../../../ui/lists/loaded.tsx'
import { comeBack } from '../../../ui/lists/opened-row.ts'
import { Skeleton } from '../../../ui/lists/skeleton.tsx'
import { Page } from '../../../ui/page.tsx'
import { InviteMember } from '../../organizations/invite-member.tsx'
import { type Member, Members, useMembersView } from '../../organizations/members.tsx'
import { OrganizationForm } from '../../organizations/organization-form.tsx'
import { RolesField, useRolesSchema } from '../../organizations/roles.tsx'
import { idIn } from '../id-in.ts'
import { ProductData } from '../product-data.tsx'
import { consoleKeys, organizationQuery, partQuery } from '../queries.ts'
import { Suspension } from '../suspension.tsx'
import { type FoundPerson, PersonSearch } from '../users/person-search.tsx'
import { OrganizationState, useMembersOf } from './organizations.tsx'

type Organization = Output<'/api/admin/get_organization'>

const refreshes = [consoleKeys.organizations]

/** Everything about one organisation, and what can be done about it. */
export function ConsoleOrganization() {
  const { allOrganizations } = useTexts()
  const id = idIn(useLocation().pathname)
  const query = useQuery(organizationQuery(id))
  const title = query.data?.name ?? allOrganizations.title
  return (
    <Page
      title={<bdi>{title}</bdi>}
      tabTitle={title}
      lead={
        <TextLink to="/console/organizations" onClick={comeBack}>
          {allOrganizations.back}
        </TextLink>
      }
    >
      <Loaded query={query} skeleton={<Skeleton rows={5} />}>
        {(organization) => <Everything key={organization.id} organization={organization} />}
      </Loaded>
    </Page>
  )
}

interface Props {
  readonly organization: Organization
}

function Everything({ organization }: Props) {
  const { user } = useSignedIn()
  return (
    <>
      <FactsCard organization={organization} />
      <MembersCard organization={organization} />
      {may(user, 'admin:data:read') && <ProductData of="organization" id={organization.id} refreshes={refreshes} />}
    </>
  )
}

function FactsCard({ organization }: Props) {
  const { allOrganizations, organizations, common, people, person } = useTexts()
  const { user } = useSignedIn()
  const { id, slug, owners, pending_invitations, created_at, suspended_at, suspension_reason } = organization
  const acts = may(user, 'admin:organizations:write') && <Acts organization={organization} />
  return (
    <Card title={allOrganizations.facts} footer={acts}>
      <Facts
        facts={[
          [common.status, <OrganizationState key="status" of={organization} />],
          suspended_at !== null && [person.suspendedSince, <Time key="suspended" at={suspended_at} />],
          suspended_at !== null && [person.reason, <PersonText key="reason">{suspension_reason ?? ''}</PersonText>],
          [organizations.slug, <code key="slug">{slug}</code>],
          [allOrganizations.members, useMembersOf()(organization)],
          [allOrganizations.owners, owners],
          [allOrganizations.pending, pending_invitations],
          [allOrganizations.created, <Time key="created" at={created_at} />],
          [
            people.id,
            <span key="id" className="flex flex-wrap items-center gap-2">
              <code>{id}</code> <CopyButton text={id} label={person.copyId} />
            </span>,
          ],
        ]}
      />
    </Card>
  )
}

function Acts({ organization }: Props) {
  const { organizations } = useTexts()
  const navigate = useNavigateNext()
  const { id, name } = organization
  return (
    <>
      <OrganizationForm
        of={organization}
        asks="edit"
        draft={`console-organization:${id}`}
        act={(sent) => call('/api/admin/update_organization', { id, ...sent })}
        refreshes={refreshes}
      />
      <Seats organization={organization} />
      <OrganizationSuspension organization={organization} />
      <ConfirmedAct
        label={organizations.remove}
        title={<SentenceWith sentence={organizations.removeTitle} words={name} />}
        text={organizations.removeText}
        act={() => call('/api/admin/delete_organization', { id })}
        done={organizations.removed}
        isForNextPage
        onDone={() => navigate('/console/organizations', { replace: true })}
        refreshes={refreshes}
      />
    </>
  )
}

const mostSeats = 100_000

/** Empty: as many as the settings say. */
function Seats({ organization: { id, seats } }: Props) {
  const { allOrganizations, common } = useTexts()
  const isNumber = (typed: string) =>
    typed === '' || (/^\d{1,6}$/.test(typed) && Number(typed) >= 1 && Number(typed) <= mostSeats)
  return (
    <FormAct
      look="quiet"
      label={allOrganizations.seats}
      title={allOrganizations.seats}
      text={allOrganizations.seatsHint(allOrganizations.asSettings)}
      action={common.save}
      schema={z.object({ seats: z.string().check(z.trim(), z.refine(isNumber, allOrganizations.seatsProblem)) })}
      initial={{ seats: String(seats ?? '') }}
      draft={`seats:${id}`}
      isEdit
      act={(sent) =>
        call('/api/admin/update_organization', { id, seats: sent.seats === '' ? null : Number(sent.seats) })
      }
      done={common.saved}
      refreshes={refreshes}
    >
      {(form) => <TextField {...form.field('seats')} label={allOrganizations.seats} inputMode="numeric" autoFocus />}
    </FormAct>
  )
}

function OrganizationSuspension({ organization: { id, name, suspended_at } }: Props) {
  const { allOrganizations: words } = useTexts()
  const title = <SentenceWith sentence={words.suspendTitle} words={name} />
  return (
    <Suspension
      id={id}
      isSuspended={suspended_at !== null}
      words={{ title, text: words.suspendText, restore: words.restoreText }}
      refreshes={refreshes}
      suspend={(reason) => call('/api/admin/suspend_organization', { id, reason })}
      restore={() => call('/api/admin/restore_organization', { id })}
    />
  )
}

function MembersCard({ organization: { id: organization_id } }: Props) {
  const { organizations } = useTexts()
  const { user } = useSignedIn()
  const view = useMembersView()
  const { read, ...listing } = membersQuery(organization_id, view.values.search ?? '', view)
  const offered = useOffered()
  const canWrite = may(user, 'admin:organizations:write')
  return (
    <Card
      title={organizations.members}
      action={
        canWrite && (
          <div className="flex flex-wrap gap-2">
            <AddMember organizationId={organization_id} offered={offered} />
            <InviteMember
              organizationId={organization_id}
              {...{ offered, refreshes }}
              act={(email, roles) => call('/api/admin/invite_member', { organization_id, email, roles })}
            />
          </div>
        )
      }
    >
      <Members
        {...{ view, read, offered, refreshes }}
        query={useQuery(listing)}
        canChange={() => canWrite}
        canRemove={() => canWrite}
        linkTo={({ userId }) => `/console/users/${userId}`}
        update={({ userId: user_id }, roles) => call('/api/admin/update_member', { organization_id, user_id, roles })}
        remove={({ userId: user_id }) => call('/api/admin/remove_member', { organization_id, user_id })}
      />
    </Card>
  )
}

interface Place {
  readonly page: number
  readonly size: number
}

function membersQuery(organization_id: string, search: string, { page, size }: Place) {
  const read = async (part: { readonly page: number; readonly page_size: number }) => {
    const { items, total } = await call('/api/admin/list_organization_members', {
      organization_id,
      search,
      page: part.page,
      page_size: part.page_size,
    })
    return { items: items.map(memberOf), total }
  }
  return {
    queryKey: [...consoleKeys.organizations, 'members', organization_id, search, String(page), String(size)],
    queryFn: () => read({ page, page_size: size }),
    placeholderData: keepPreviousData,
    read,
  }
}

type Listed = Output<'/api/admin/list_organization_members'>['items'][number]

const memberOf = ({ user_id, email, name, roles, created_at }: Listed): Member => ({
  ...{ id: user_id, userId: user_id, email, name, roles, since: created_at },
})

/** The roles of every organisation; those of the settings only for who may read them. */
function useOffered(): readonly string[] {
  const { user } = useSignedIn()
  const part = useQuery({ ...partQuery('organizations'), enabled: may(user, 'config:organizations:read') })
  return [...new Set(['owner', 'admin', 'member', ...Object.keys(part.data?.roles ?? {})])]
}

interface AddProps {
  readonly organizationId: string
  readonly offered: readonly string[]
}

/** A user becomes a member without being asked. */
function AddMember({ organizationId: organization_id, offered }: AddProps) {
  const { allOrganizations } = useTexts()
  const nobody: FoundPerson | null = null
  return (
    <FormAct
      look="quiet"
      asks="add"
      label={allOrganizations.add}
      title={allOrganizations.add}
      text={allOrganizations.addText}
      action={allOrganizations.add}
      schema={z.object({
        person: z.pipe(
          z
            .nullable(z.custom<FoundPerson>())
            .check(z.refine((found) => found !== null, allOrganizations.personProblem)),
          z.transform((found: FoundPerson | null) => found?.id ?? ''),
        ),
        roles: useRolesSchema(),
      })}
      initial={{ person: nobody, roles: ['member'] }}
      draft={`member:${organization_id}`}
      refusals={{ USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: ['person'] }}
      act={({ person: user_id, roles }) => call('/api/admin/add_member', { organization_id, user_id, roles })}
      done={allOrganizations.added}
      refreshes={refreshes}
    >
      {(form) => (
        <>
          <PersonSearch
            label={allOrganizations.person}
            problem={form.field('person').problem}
            onFound={(person) => form.set({ person })}
          />
          {form.values.person && (
            <p className="text-small">
              <SentenceWith sentence={allOrganizations.chosen} words={form.values.person.email} />
            </p>
          )}
          <RolesField {...form.field('roles')} offered={offered} />
        </>
      )}
    </FormAct>
  )
}
