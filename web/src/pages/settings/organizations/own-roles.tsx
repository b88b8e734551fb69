import * as z from 'zod/mini'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { Checkboxes } from '../../../ui/controls/checkboxes.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { ConfirmedAct } from '../../../ui/dialogs/confirmed-act.tsx'
import { FormAct } from '../../../ui/dialogs/form-act.tsx'
import { PersonText, SentenceWith } from '../../../ui/facts/person-text.tsx'
import { actColumn } from '../../../ui/lists/columns.tsx'
import { Table } from '../../../ui/lists/table.tsx'
import { permissionsIn, statementsOf, useRoleName } from '../../organizations/roles.tsx'
import { organizationsKey, type Role } from './queries.ts'
import type { Standing } from './standing.ts'

interface Props {
  readonly organizationId: string
  readonly roles: readonly Role[]
  readonly standing: Standing
}

/** What each role allows; those of the organisation’s own can be changed. */
export function OwnRoles({ organizationId, roles, standing }: Props) {
  const { organizations, common } = useTexts()
  const nameOf = useRoleName()
  const { can } = standing
  return (
    <Card
      title={organizations.ownRoles}
      lead={organizations.ownRolesLead}
      action={can('ac:create') && <RoleForm {...{ organizationId, standing }} />}
    >
      <Table<Role>
        label={organizations.ownRoles}
        rows={roles}
        rowKey={({ role }) => role}
        columns={[
          { key: 'role', title: organizations.role, cell: ({ role }) => <PersonText>{nameOf(role)}</PersonText> },
          {
            key: 'permissions',
            title: organizations.permissions,
            width: 'w-1/2',
            isPlain: true,
            cell: ({ permission }) => (
              <span className="text-ink-soft text-small">{permissionsIn(permission).join(', ')}</span>
            ),
          },
          actColumn(
            common.actions,
            'w-44',
            (role) =>
              role.id !== null && (
                <span className="flex justify-end gap-2 max-sm:flex-col">
                  {can('ac:update') && <RoleForm {...{ organizationId, standing }} of={role} />}
                  {can('ac:delete') && <RemoveRole organizationId={organizationId} role={role} />}
                </span>
              ),
          ),
        ]}
      />
    </Card>
  )
}

interface FormProps extends Omit<Props, 'roles'> {
  /** Undefined for a new one. */
  readonly of?: Role
}

const roleShape = /^[a-z0-9][a-z0-9_-]{0,31}$/

function RoleForm({ organizationId, standing, of }: FormProps) {
  const { organizations, common } = useTexts()
  const held = of ? permissionsIn(of.permission) : []
  const options = [...new Set([...standing.permissions, ...held])].map((one) => [one, one] as const)
  const label = of ? organizations.edit : organizations.newRole
  return (
    <FormAct
      look="quiet"
      size={of && 'small'}
      label={label}
      name={of && `${label}: ${of.role}`}
      title={of ? <SentenceWith sentence={organizations.editTitle} words={of.role} /> : label}
      text={organizations.roleText}
      action={label}
      schema={z.object({
        role: z.string().check(z.trim(), z.regex(roleShape, organizations.roleNameProblem)),
        permissions: z.array(z.string()),
      })}
      initial={{ role: of?.role ?? '', permissions: [...held] }}
      draft={`role:${of?.id ?? organizationId}`}
      refusals={{ ROLE_NAME_IS_ALREADY_TAKEN: ['role'], ROLE_IS_ASSIGNED_TO_MEMBERS: ['role'] }}
      act={({ role, permissions }): Promise<unknown> => {
        const permission = statementsOf(permissions)
        if (!of?.id) return call('/api/auth/organization/create-role', { role, permission, organizationId })
        const data = { permission, ...(role !== of.role && { roleName: role }) }
        return call('/api/auth/organization/update-role', { roleId: of.id, data, organizationId })
      }}
      done={common.saved}
      refreshes={[organizationsKey]}
    >
      {(form) => (
        <>
          <TextField
            {...form.field('role')}
            label={organizations.roleName}
            maxLength={32}
            spellCheck={false}
            autoFocus
          />
          <Checkboxes {...form.field('permissions')} legend={organizations.permissions} options={options} />
        </>
      )}
    </FormAct>
  )
}

function RemoveRole({
  organizationId,
  role: { role: roleName },
}: {
  readonly organizationId: string
  readonly role: Role
}) {
  const { organizations } = useTexts()
  return (
    <ConfirmedAct
      size="small"
      label={organizations.remove}
      name={`${organizations.remove}: ${roleName}`}
      title={<SentenceWith sentence={organizations.removeRoleTitle} words={roleName} />}
      text={organizations.removeRoleText}
      act={() => call('/api/auth/organization/delete-role', { roleName, organizationId })}
      done={organizations.roleRemoved}
      refreshes={[organizationsKey]}
    />
  )
}
