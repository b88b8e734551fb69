export const tiers = ['reads', 'changes', 'hurts'] as const
export type Tier = (typeof tiers)[number]

/** Administrator's permissions that change little; every other one that writes can hurt other users. */
const minor = ['admin:feedback:write', 'admin:beta:write']

export function tierOf(scope: string): Tier {
  if (!scope.endsWith(':write')) return 'reads'
  return isAdministrative(scope) && !minor.includes(scope) ? 'hurts' : 'changes'
}

interface Member {
  readonly role: string
  readonly staffScopes?: readonly string[] | undefined
}

export const isOfAdministration = ({ role, staffScopes = [] }: Member) =>
  role === 'administrator' || staffScopes.length > 0

/** True if the user holds the scope: their own account's, or one of administration that they have. */
export const may = ({ role, staffScopes = [] }: Member, scope: string) =>
  !isAdministrative(scope) || role === 'administrator' || staffScopes.includes(scope)

/** Only the administrator and staff who hold them can allow these. */
export const isAdministrative = (scope: string) => /^(?:admin|config):/.test(scope)
