import type { ActingAdministrator } from '../rules/caller.ts'
import { Refusal } from '../rules/refusal.ts'
import type { Route } from './route.ts'

/**
 * What the administrator may do while acting as a user: call the route in both modes, call it in the mode that writes,
 * or neither. A declaration says so only where the rest of it does not decide.
 */
export type WhileActing = 'reads' | 'writes' | 'never'

export function whileActing(route: Route): WhileActing {
  if (route.whileActing) return route.whileActing
  switch (route.access) {
    case 'session':
      return 'never'
    case 'public':
      return route.session === 'can be opened' || isWayIn(route) ? 'never' : 'reads'
    case 'caller':
      return route.grants === 'refused' ? 'never' : 'reads'
    case 'protected':
      if (route.grants === 'refused') return 'never'
      return route.scope.endsWith(':read') ? 'reads' : 'writes'
  }
}

/** Proves who somebody is, or sets a credential. */
function isWayIn({ method, path }: Route): boolean {
  return method === 'POST' && path.startsWith('/api/auth/')
}

export function refuseWhileActing(actor: ActingAdministrator, route: Route): void {
  const allowed = whileActing(route)
  if (allowed === 'never') throw refusedWhileActing()
  if (allowed === 'writes' && actor.isReadOnly)
    throw new Refusal('IMPERSONATION_READ_ONLY', 'You act as this user to look. Stop first, or act with writing.')
}

export function refusedWhileActing(): Refusal {
  return new Refusal('IMPERSONATION_REFUSED', 'Nobody can do this while acting as a user.')
}
