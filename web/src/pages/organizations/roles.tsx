import * as z from 'zod/mini'
import { useTexts } from '../../texts/texts.tsx'
import { wordOf } from '../../texts/word-of.ts'
import { Checkboxes } from '../../ui/controls/checkboxes.tsx'

/** Built-in roles have words; the product's own are shown as they are named. */
export function useRoleName() {
  const { invitation } = useTexts()
  return (role: string) => wordOf(invitation.roles, role)
}

export function useRoleNames() {
  const nameOf = useRoleName()
  return (roles: readonly string[]) => roles.map(nameOf).join(', ')
}

const mostRoles = 5

export function useRolesSchema() {
  const { rolesProblem } = useTexts().organizations
  return z.array(z.string()).check(z.minLength(1, rolesProblem), z.maxLength(mostRoles, rolesProblem))
}

interface Props {
  readonly offered: readonly string[]
  readonly value: string[]
  readonly problem: string | undefined
  onChange(value: string[]): void
}

/** What somebody holds stays offered. */
export function RolesField({ offered, ...field }: Props) {
  const { organizations } = useTexts()
  const nameOf = useRoleName()
  const options = [...new Set([...offered, ...field.value])].map((role) => [role, nameOf(role)] as const)
  return <Checkboxes {...field} legend={organizations.roles} options={options} />
}

type Statements = Readonly<Record<string, readonly string[]>>

/** As `resource:action`. */
export const permissionsIn = (statements: Statements): readonly string[] =>
  Object.entries(statements).flatMap(([resource, actions]) => actions.map((action) => `${resource}:${action}`))

export function statementsOf(permissions: readonly string[]): Record<string, string[]> {
  const statements: Record<string, string[]> = {}
  for (const [resource = '', action = ''] of permissions.map((permission) => permission.split(':'))) {
    statements[resource] = [...(statements[resource] ?? []), action]
  }
  return statements
}
