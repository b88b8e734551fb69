import { useTexts } from '../../../texts/texts.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { Checkboxes } from '../../../ui/controls/checkboxes.tsx'
import { Problem } from '../../../ui/controls/field.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { permissionsIn } from '../../organizations/roles.tsx'

export interface TypedRole {
  readonly name: string
  readonly permissions: readonly string[]
}

/** What organisations have themselves, by the names that roles have for it. */
const builtIn = {
  organization: ['update', 'delete'],
  member: ['create', 'update', 'delete'],
  invitation: ['create', 'cancel'],
  team: ['create', 'update', 'delete'],
  ac: ['create', 'read', 'update', 'delete'],
}

interface Props {
  readonly value: readonly TypedRole[]
  readonly problem?: string | undefined
  /** The saved permissions of the product. */
  readonly declared: Readonly<Record<string, readonly string[]>>
  onChange(value: readonly TypedRole[]): void
}

/** Each role with its name and what it allows. */
export function RolesEditor({ value, problem, declared, onChange }: Props) {
  const { config, organizations } = useTexts()
  const known = [...permissionsIn(declared), ...permissionsIn(builtIn)]
  const change = (at: number, fields: Partial<TypedRole>) =>
    onChange(value.map((role, index) => (index === at ? { ...role, ...fields } : role)))
  return (
    <>
      {value.length === 0 && <p className="text-ink-soft">{config.rolesNone}</p>}
      {value.map((role, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a role that is being named has no other identity
        <div key={at} className="flex flex-col gap-4 rounded-md border border-line p-4">
          <div className="flex flex-wrap items-end gap-3">
            <div className="min-w-0 grow basis-40">
              <TextField
                label={config.roleName}
                value={role.name}
                maxLength={32}
                spellCheck={false}
                autoComplete="off"
                onChange={(name) => change(at, { name })}
              />
            </div>
            <Button
              look="warn"
              aria-label={`${config.removeRole}: ${role.name}`}
              onPress={() => onChange(value.filter((_, index) => index !== at))}
            >
              {config.removeRole}
            </Button>
          </div>
          <Checkboxes
            legend={organizations.permissions}
            options={[...new Set([...known, ...role.permissions])].map((one) => [one, one] as const)}
            value={role.permissions}
            problem={undefined}
            onChange={(permissions) => change(at, { permissions })}
          />
        </div>
      ))}
      <Problem role="alert">{problem}</Problem>
      <div>
        <Button onPress={() => onChange([...value, { name: '', permissions: [] }])}>{config.addRole}</Button>
      </div>
    </>
  )
}
