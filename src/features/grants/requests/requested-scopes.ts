import type { Role } from '../../../rules/caller.ts'
import { isAdministratorScope, isScope, type Scope } from '../../../rules/scopes.ts'

/** Every grant has these; they open no route by themselves. */
export const transportScopes = ['api_access', 'offline_access'] as const

const TRANSPORT: ReadonlySet<string> = new Set(transportScopes)

/** The business scopes in a `scope` parameter; undefined if one is unknown or none is left. */
export function parseScopes(text = ''): readonly Scope[] | undefined {
  const asked = new Set(text.split(' ').filter((scope) => scope !== '' && !TRANSPORT.has(scope)))
  const known = [...asked].filter(isScope)
  return known.length > 0 && known.length === asked.size ? known : undefined
}

/** As stored: business scopes only, separated by spaces. */
export function storedScopes(text: string): readonly Scope[] {
  return text.split(' ').filter(isScope)
}

export function scopeParameter(scopes: readonly Scope[]): string {
  return [...scopes, ...transportScopes].join(' ')
}

export function needsOtherRole(scopes: readonly Scope[], role: Role): boolean {
  return role !== 'administrator' && scopes.some(isAdministratorScope)
}
