export const tiers = ['reads', 'changes', 'hurts'] as const
export type Tier = (typeof tiers)[number]

/** Administrator's permissions that change little; every other one that writes can hurt other users. */
const minor = ['admin:feedback:write', 'admin:beta:write']

export function tierOf(scope: string): Tier {
  if (!scope.endsWith(':write')) return 'reads'
  return isAdministrative(scope) && !minor.includes(scope) ? 'hurts' : 'changes'
}

/** Only the administrator can allow these. */
export const isAdministrative = (scope: string) => /^(?:admin|config):/.test(scope)
