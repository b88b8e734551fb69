import type { ReactNode } from 'react'
import * as z from 'zod/mini'
import { useTexts } from '../../texts/texts.tsx'
import { RowLink } from '../../ui/controls/row-link.tsx'
import { SearchField } from '../../ui/controls/search-field.tsx'
import { ConfirmedAct } from '../../ui/dialogs/confirmed-act.tsx'
import { FormAct } from '../../ui/dialogs/form-act.tsx'
import { PersonText, SentenceWith } from '../../ui/facts/person-text.tsx'
import { actColumn, timeColumn } from '../../ui/lists/columns.tsx'
import { EmptyState } from '../../ui/lists/empty-state.tsx'
import { List, type Shown } from '../../ui/lists/list.tsx'
import { useFilters } from '../use-filters.ts'
import { RolesField, useRoleNames, useRolesSchema } from './roles.tsx'

export interface Member {
  readonly id: string
  readonly userId: string
  readonly email: string
  readonly name: string
  readonly roles: readonly string[]
  readonly since: number
}

export const useMembersView = () => useFilters(['search'])

interface Acts {
  /** The roles that the reader can give. */
  readonly offered: readonly string[]
  canChange(member: Member): boolean
  canRemove(member: Member): boolean
  update(member: Member, roles: string[]): Promise<unknown>
  remove(member: Member): Promise<unknown>
  readonly refreshes: readonly (readonly string[])[]
}

interface Props extends Omit<Shown<Member>, 'view' | 'order'>, Acts {
  readonly view: ReturnType<typeof useMembersView>
  /** The page about a user, for those who may see it. */
  linkTo?(member: Member): string
  /** More buttons of a row. */
  more?(member: Member): ReactNode
}

/** The members of one organisation, oldest first. */
export function Members({ view, query, read, linkTo, more, ...acts }: Props) {
  const { organizations, common } = useTexts()
  const namesOf = useRoleNames()
  const { search } = view.values
  return (
    <List<Member>
      name="members"
      label={organizations.members}
      {...{ query, read, view }}
      rowKey={({ id }) => id}
      rowName={({ email }) => email}
      filters={<SearchField {...view.search} label={organizations.searchMembers} maxLength={200} />}
      empty={<EmptyState icon="users" title={organizations.membersNone} text={organizations.membersNoneText} />}
      columns={[
        {
          key: 'member',
          title: organizations.member,
          cell: (member) => {
            const address = <PersonText search={search ?? ''}>{member.email}</PersonText>
            return (
              <>
                {linkTo ? (
                  <RowLink to={linkTo(member)}>{address}</RowLink>
                ) : (
                  <p className="truncate font-medium">{address}</p>
                )}
                {member.name !== member.email && (
                  <p className="truncate text-ink-soft text-small">
                    <PersonText search={search ?? ''}>{member.name}</PersonText>
                  </p>
                )}
              </>
            )
          },
        },
        {
          key: 'roles',
          title: organizations.roles,
          width: 'w-36',
          isPlain: true,
          cell: ({ roles }) => <PersonText>{namesOf(roles)}</PersonText>,
        },
        timeColumn('since', organizations.since, ({ since }) => since, { leaves: 1 }),
        actColumn(common.actions, more ? 'w-64' : 'w-48', (member) => (
          <span className="flex justify-end gap-2">
            {acts.canChange(member) && <ChangeRoles member={member} {...acts} />}
            {more?.(member)}
            {acts.canRemove(member) && <Remove member={member} {...acts} />}
          </span>
        )),
      ]}
    />
  )
}

function ChangeRoles({ member, offered, update, refreshes }: Acts & { readonly member: Member }) {
  const { organizations, common } = useTexts()
  return (
    <FormAct
      look="quiet"
      size="small"
      label={organizations.changeRoles}
      name={organizations.changeRolesTitle(member.email)}
      title={<SentenceWith sentence={organizations.changeRolesTitle} words={member.email} />}
      text={organizations.changeRolesText}
      action={common.save}
      schema={z.object({ roles: useRolesSchema() })}
      initial={{ roles: [...member.roles] }}
      draft={`roles:${member.id}`}
      isEdit
      act={({ roles }) => update(member, roles)}
      done={common.saved}
      refreshes={refreshes}
    >
      {(form) => <RolesField {...form.field('roles')} offered={offered} />}
    </FormAct>
  )
}

function Remove({ member, remove, refreshes }: Acts & { readonly member: Member }) {
  const { organizations } = useTexts()
  return (
    <ConfirmedAct
      size="small"
      label={organizations.removeMember}
      name={`${organizations.removeMember}: ${member.email}`}
      title={<SentenceWith sentence={organizations.removeMemberTitle} words={member.email} />}
      text={organizations.removeMemberText}
      act={() => remove(member)}
      done={organizations.memberRemoved}
      refreshes={refreshes}
    />
  )
}
