import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import type { Route } from '../../../src/http/route.ts'
import { ACTS } from '../../../src/rules/acts.ts'
import { CHANGES, type Change } from '../../../src/rules/changes.ts'
import { declared } from '../support/every-route.ts'
import { letterTable } from '../support/letter-table.ts'

/** Letters that follow a sign-in with a second step. */
const AFTER_SECOND_STEP = ['device trusted', 'wrong second steps', 'unfamiliar sign-in'] as const

/** Of a member whose staffing ends. */
const ENDED = ['staff removed', 'colleague removed'] as const

/** Every route that can change something for a user, and the letters that it can send. */
const LETTERS_OF_ROUTES: Readonly<Record<string, readonly Change[]>> = {
  '/api/auth/accept-invitation': ['invitation accepted', 'ownership gained'],
  '/api/auth/change-email': ['address change asked for', 'address wanted by another'],
  '/api/auth/change-password': ['password changed'],
  '/api/auth/confirm': ['backup code used'],
  '/api/auth/email-otp/reset-password': ['password reset'],
  '/api/auth/email-otp/verify-email': ['verified in another browser'],
  '/api/auth/callback/provider_a': ['provider linked'],
  '/api/auth/callback/provider_b': ['provider linked'],
  '/api/auth/oauth2/callback/community': ['provider linked'],
  '/api/auth/unlink-account': ['provider unlinked'],
  '/api/auth/two-factor/disable': ['totp removed'],
  '/api/auth/two-factor/generate-backup-codes': ['backup codes renewed'],
  '/api/auth/two-factor/revoke-trusted-device': ['device no longer trusted'],
  '/api/auth/two-factor/verify-backup-code': ['backup code used', ...AFTER_SECOND_STEP],
  '/api/auth/two-factor/verify-totp': ['totp added', ...AFTER_SECOND_STEP],
  '/api/auth/passkey/accept-invitation': ['invitation accepted', 'ownership gained'],
  '/api/auth/passkey/delete-passkey': ['passkey removed'],
  '/api/auth/passkey/verify-authentication': ['passkey copied', ...AFTER_SECOND_STEP],
  '/api/auth/passkey/verify-registration': ['passkey added'],
  '/api/auth/revoke-session': ['signed out elsewhere'],
  '/api/auth/revoke-sessions': ['signed out everywhere'],
  '/api/auth/revoke-other-sessions': ['signed out elsewhere', 'signed out everywhere'],
  '/api/oauth/decide_authorization': ['tool connected', 'application connected'],
  '/api/oauth/revoke': ['tool disconnected', 'token revoked'],
  '/api/oauth/token': ['tool disconnected'],
  '/api/create_personal_token': ['token made'],
  '/api/revoke_grant': ['tool disconnected'],
  '/api/revoke_personal_token': ['token revoked'],
  '/api/admin/remove_factors': ['factors removed'],
  '/api/admin/revoke_user_grant': ['tool disconnected', 'token revoked'],
  '/api/admin/revoke_user_sessions': ['signed out everywhere'],
  '/api/admin/delete_user': ENDED,
  '/api/admin/suspend_user': ENDED,
  '/api/auth/delete-user': ENDED,
  '/api/auth/sign-in/email': ['password breached', 'unfamiliar sign-in'],
  '/api/auth/organization/remove-member': ['removed from organisation'],
  '/api/auth/organization/update-member-role': ['ownership gained', 'ownership lost'],
  '/api/auth/organization/accept-invitation': ['ownership gained'],
  '/api/admin/add_member': ['ownership gained'],
  '/api/admin/update_member': ['ownership gained', 'ownership lost'],
  '/api/admin/remove_member': ['removed from organisation'],
  '/api/admin/create_organization': ['ownership gained'],
  '/api/auth/admin/impersonate-user': ['acted as you'],
  '/api/admin/update_staff': [
    ...(['staff added', 'staff changed', 'colleague added', 'colleague changed'] as const),
    ...ENDED,
  ],
}

/** They read, begin something that another route completes, or change what the table has a reason for. */
const WITHOUT_LETTER = [
  '/api/auth/admin/stop-impersonating',
  '/api/list_impersonations',
  '/api/auth/email-otp/request-password-reset',
  '/api/auth/email-otp/send-verification-otp',
  '/api/auth/link-social',
  '/api/auth/oauth2/link',
  '/api/auth/organization/delete',
  '/api/auth/organization/set-active',
  '/api/auth/organization/set-active-team',
  '/api/auth/passkey/generate-invitation-options',
  '/api/auth/passkey/generate-sign-up-options',
  '/api/auth/passkey/update-passkey',
  '/api/auth/passkey/verify-sign-up',
  '/api/auth/secure-account',
  '/api/auth/show-invitation',
  '/api/auth/sign-in/oauth2',
  '/api/auth/sign-in/social',
  '/api/auth/multi-session/revoke',
  '/api/auth/multi-session/set-active',
  '/api/auth/sign-out',
  '/api/auth/sign-up/email',
  '/api/auth/two-factor/enable',
  '/api/auth/two-factor/get-totp-uri',
  '/api/auth/update-user',
  '/api/export_account',
  '/api/get_data',
  '/api/update_data',
  '/api/decide_approval',
  '/api/get_approval',
  '/api/list_approvals',
  '/api/list_grant_acts',
  '/api/list_grants',
  '/api/list_personal_tokens',
  '/api/list_product_scopes',
  '/api/oauth/begin_authorization',
  '/api/oauth/describe_client',
  '/api/oauth/describe_sign_out',
  '/api/oauth/device_authorization',
  '/api/oauth/get_authorization',
  '/api/oauth/introspect',
  '/api/oauth/register',
  '/api/oauth/revocations',
  '/api/oauth/userinfo',
  '/register',
  '/api/unsubscribe',
  '/api/update_grant',
  '/api/admin/create_user',
  '/api/admin/delete_view',
  '/api/admin/invite_user',
  '/api/admin/list_staff',
  '/api/admin/list_views',
  '/api/admin/mark_verified',
  '/api/admin/move_user',
  '/api/admin/restore_user',
  '/api/admin/save_view',
  '/api/admin/send_password_reset',
]

/** No route does this. */
const ON_THE_HOST = ['password reset on the host', 'address changed on the host', 'address taken up'] as const

/** Changes to who is in an organisation, and who owns it. */
const MEMBERSHIPS = [
  '/api/auth/organization/remove-member',
  '/api/auth/organization/update-member-role',
  '/api/auth/organization/accept-invitation',
  '/api/admin/add_member',
  '/api/admin/update_member',
  '/api/admin/remove_member',
  '/api/admin/create_organization',
]

/** True for every route that changes something, except those that have nothing to do with somebody's account or place. */
function concernsAccounts(route: Route): boolean {
  if (route.method === 'GET') return route.session === 'can be opened'
  if (route.access !== 'protected') return true
  if (MEMBERSHIPS.includes(route.path)) return true
  return route.scope.startsWith('account:profile:') || route.scope === 'admin:users:write'
}

function recordedActions(): readonly string[] {
  const { unlisted: _, ...listed } = ACTS
  return Object.values(listed).flatMap((group) => Object.keys(group))
}

describe('the table of letters in docs/security.md', () => {
  it('has a row for each act that the audit log records, and none for others', () => {
    const table = [...letterTable().keys()]
    const actions = recordedActions()
    const rowOf = (action: string) =>
      table.find((row) => row === action || row === action.replace(/\..*/, '.*')) ?? `no row: ${action}`

    assert.deepEqual([...new Set(actions.map(rowOf))].toSorted(), table.toSorted())
  })

  it('names each letter, and gives a reason if an act has none', () => {
    const rows = [...letterTable()]

    const named = new Set(rows.flatMap(([, { letters }]) => letters))
    const silent = rows.filter(([, { letters, without }]) => letters.length === 0 && without === '')
    assert.deepEqual([...named].toSorted(), [...CHANGES].toSorted())
    assert.deepEqual(silent, [])
  })
})

describe('a route that changes something for a user', () => {
  it('is known to send its letters, or to have none to send', () => {
    const paths = new Set(declared.filter(concernsAccounts).map(({ path }) => path))

    assert.deepEqual([...paths].toSorted(), [...Object.keys(LETTERS_OF_ROUTES), ...WITHOUT_LETTER].toSorted())
  })

  it('sends every letter there is, but for the one of the host', () => {
    const sent = new Set([...Object.values(LETTERS_OF_ROUTES).flat(), ...ON_THE_HOST])

    assert.deepEqual([...sent].toSorted(), [...CHANGES].toSorted())
  })
})
