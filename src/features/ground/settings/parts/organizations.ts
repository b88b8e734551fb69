import { z } from 'zod'
import {
  ADMIN,
  Declared,
  existing,
  OWNER,
  Permissions,
  permissionsIn,
  RoleName,
  Statements,
} from '../../../../rules/permissions.ts'
import { partFields, plain } from './fields.ts'
import { settingsPart } from './part.ts'

const MOST_ROLES = 20
export const MOST_SEATS = 100_000

export const organizationsFields = partFields({
  creation: plain(z.enum(['administrator', 'everyone']).default('administrator')),
  /** How many organisations a user can own before they can create no more. */
  owned_limit: { stored: z.number().default(5), sent: z.int().min(0).max(200) },
  /** Members and pending invitations of an organisation for which the administrator has set no other figure. */
  seats: { stored: z.number().default(1_000), sent: z.int().min(1).max(MOST_SEATS) },
  /** What members can be allowed in the product, beside what we have ourselves. */
  permissions: { stored: Statements.default({}), sent: Declared },
  roles: {
    stored: z.record(z.string(), Statements).default({}),
    sent: z
      .record(RoleName, Permissions)
      .refine((roles) => Object.keys(roles).length <= MOST_ROLES, `Use at most ${MOST_ROLES} roles.`)
      .refine(
        (roles) => ![OWNER, ADMIN].some((name) => Object.hasOwn(roles, name)),
        `${OWNER} and ${ADMIN} are taken.`,
      ),
  },
})

export const organizations = settingsPart('organizations', organizationsFields, {
  faults: (_platform, { organizations: { permissions, roles } }) => {
    const known = existing({ permissions, roles })
    return Object.entries(roles).map(([role, statements]) => {
      const unknown = permissionsIn(statements).find((permission) => !known.has(permission))
      return { if: unknown !== undefined, path: 'roles', message: `${role}: ${unknown} is not a permission.` }
    })
  },
})
