import type { Platform } from '../../../platform/platform.ts'
import type { Caller, CallerUser } from '../../../rules/caller.ts'
import { isStaff, staffScopesOf } from '../../../rules/staff.ts'
import { iso } from '../../../rules/time.ts'
import { shownPicture } from '../../ground/provider-presets/presets.ts'
import type { WireUser } from './output.ts'
import { hasInitialPassword } from './statements.ts'

export function wireUser(
  { config }: Pick<Platform, 'config'>,
  user: Omit<CallerUser, 'language'>,
  passwordIsInitial = false,
): WireUser {
  return {
    passwordIsInitial,
    id: user.id,
    name: user.name,
    email: user.email,
    emailVerified: user.email_verified === 1,
    image: user.image === null ? null : shownPicture(config, user.image),
    role: user.role,
    ...(isStaff(user) && { staffScopes: [...staffScopesOf(user)] }),
    twoFactorEnabled: user.factors !== '',
    affCode: user.aff_code,
    registrationUtmSource: user.registration_utm_source,
    createdAt: iso(user.created_at),
    updatedAt: iso(user.updated_at),
  }
}

/** Also looks up whether the password is initial. */
export async function wireKnownUser(platform: Platform, user: CallerUser): Promise<WireUser> {
  return wireUser(platform, user, await isPasswordInitial(platform, user))
}

/** Looked up for the administrator only, since only the administrator's password is ever printed. */
async function isPasswordInitial({ meta }: Platform, { role, id }: Pick<CallerUser, 'role' | 'id'>) {
  return role === 'administrator' && (await hasInitialPassword(meta, id))
}

/**
 * Tools can read whom they act for. An application reads what its scopes allow from `userinfo`.
 */
export function mayReadProfile({ credential }: Caller): boolean {
  if (credential.kind === 'session') return true
  const { grantKind, scopes } = credential
  return grantKind === 'tool' || grantKind === 'personal' || scopes.includes('account:profile:read')
}

type Shown = Pick<Caller, 'credential' | 'user' | 'organization' | 'actor'>

/** The id of a session, never its secret. A grant is returned in the same shape, and does not show who else uses it. */
export function wireSession({ credential, user, organization, actor }: Shown) {
  const isSession = credential.kind === 'session'
  return {
    id: credential.id,
    userId: user.id,
    token: credential.id,
    expiresAt: iso(credential.expiresAt),
    createdAt: iso(credential.createdAt),
    updatedAt: iso(isSession ? credential.refreshedAt : credential.createdAt),
    ipAddress: isSession ? credential.address : null,
    userAgent: isSession ? credential.userAgent : null,
    activeOrganizationId: organization?.id ?? null,
    activeTeamId: organization?.teamId ?? null,
    impersonatedBy: actor?.id ?? null,
    ...(actor && { isReadOnly: actor.isReadOnly }),
  }
}
