import type { Caller } from '../../rules/caller.ts'
import { isProductScope } from '../../rules/scopes.ts'

/**
 * Whether a product may take this credential for its user. An application's token is made for the application: it
 * opens the product only if the user gave it a scope of the product. Else one that got a token to know who its user
 * is could be that user everywhere.
 */
export function isForProducts({ credential }: Pick<Caller, 'credential'>): boolean {
  if (credential.kind === 'session') return true
  const { grantKind, scopes } = credential
  return grantKind === 'tool' || grantKind === 'personal' || scopes.some(isProductScope)
}

/** Whom a product sees. A service is itself, and not the administrator in whose name it works here. */
export function subjectOf({ user, credential }: Caller) {
  if (credential.kind === 'grant' && credential.grantKind === 'service') {
    return { id: credential.clientId, email: '', emailVerified: false, name: '' }
  }
  const { id, email, emailVerified, name } = user
  return { id, email, emailVerified, name }
}
