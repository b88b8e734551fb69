import * as z from 'zod/mini'
import { useTexts } from '../../../texts/texts.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { permissionsIn, statementsOf } from '../../organizations/roles.tsx'
import { type Stored, StoredPart } from './part-card.tsx'
import { choice, type Kind, wholeNumber } from './part-fields.tsx'
import { PartForm } from './part-form.tsx'
import { RolesEditor, type TypedRole } from './roles-editor.tsx'

const mostOwned = 200
const mostSeats = 100_000

type Document = Stored<'organizations'>['document']

/** Resource and actions of each line that has something. */
const linesOf = (typed: string) =>
  typed
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) =>
      line
        .split(':')
        .map((word) => word.trim().replace(/,$/, ''))
        .filter(Boolean),
    )

/** One resource per line. */
const permissions: Kind<Document['permissions'], string, Record<string, string[]>> = {
  initialOf: (stored) =>
    Object.entries(stored)
      .map(([resource, actions]) => `${resource}: ${actions.join(', ')}`)
      .join('\n'),
  schemaOf: (problem) =>
    z.pipe(
      z.string().check(z.refine((typed) => linesOf(typed).every((line) => line.length === 2), problem)),
      z.transform((typed: string) =>
        statementsOf(
          linesOf(typed).flatMap(([resource = '', actions = '']) =>
            actions.split(/[\s,]+/).map((action) => `${resource}:${action}`),
          ),
        ),
      ),
    ),
  draw: (props) => <TextField {...props} rows={5} placeholder="project: create, delete" mono />,
}

const roles: Kind<Document['roles'], readonly TypedRole[], Record<string, Record<string, string[]>>> = {
  initialOf: (stored) =>
    Object.entries(stored).map(([name, statements]) => ({ name, permissions: permissionsIn(statements) })),
  schemaOf: (problem) =>
    z.pipe(
      z.custom<readonly TypedRole[]>().check(
        z.refine((typed) => {
          const names = typed.map(({ name }) => name)
          return names.every((name) => /^[a-z0-9][a-z0-9_-]{0,31}$/.test(name)) && new Set(names).size === names.length
        }, problem),
      ),
      z.transform((typed: readonly TypedRole[]) =>
        Object.fromEntries(typed.map((role) => [role.name, statementsOf(role.permissions)])),
      ),
    ),
  draw: ({ document, ...props }) => <RolesEditor {...props} declared={Object(document.permissions)} />,
}

const limits = {
  creation: choice(['administrator', 'everyone'], ({ creations }) => creations),
  owned_limit: wholeNumber(mostOwned),
  seats: wholeNumber(mostSeats),
}

export function OrganizationSettings() {
  const { config } = useTexts()
  return (
    <StoredPart part="organizations">
      {(document) => (
        <div className="flex flex-col gap-6">
          <PartForm
            {...{ part: 'organizations', document, page: 'organizations', fields: limits }}
            title={config.organizations}
            lead={config.organizationsLead}
          />
          <PartForm
            {...{ part: 'organizations', document, page: 'permissions', fields: { permissions } }}
            title={config.fields.permissions}
            lead={config.permissionsLead}
          />
          <PartForm
            {...{ part: 'organizations', document, page: 'roles', fields: { roles } }}
            title={config.fields.roles}
            lead={config.rolesLead}
            save={config.saveRoles}
          />
        </div>
      )}
    </StoredPart>
  )
}
