import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { routes } from '../../../src/app.ts'
import type { Route } from '../../../src/http/route.ts'

const declared: readonly Route[] = routes

/** Routes for signed-in callers that change something and take no key, by what the same request does again. */
const WITHOUT_A_KEY: Readonly<Record<string, readonly string[]>> = {
  'finds its work done, and changes nothing more': [
    '/api/auth/change-password',
    '/api/auth/update-user',
    '/api/auth/delete-user',
    '/api/auth/confirm',
    '/api/auth/two-factor/disable',
    '/api/auth/two-factor/revoke-trusted-device',
    '/api/auth/passkey/update-passkey',
    '/api/auth/passkey/delete-passkey',
    '/api/auth/revoke-session',
    '/api/auth/revoke-sessions',
    '/api/auth/revoke-other-sessions',
    '/api/auth/unlink-account',
    '/api/update_data',
    '/api/update_organization_data',
    '/api/read_notification',
    '/api/read_all_notifications',
    '/api/update_notification_preferences',
    '/api/oauth/decide_authorization',
    '/api/revoke_grant',
    '/api/revoke_personal_token',
    '/api/admin/remove_factors',
    '/api/admin/revoke_user_sessions',
    '/api/admin/suspend_user',
    '/api/admin/restore_user',
    '/api/admin/update_feedback',
    '/api/admin/update_notification',
    '/api/admin/archive_notification',
    '/api/admin/restore_notification',
    '/api/admin/revoke_user_grant',
    '/api/admin/update_application',
    '/api/admin/delete_application',
    '/api/admin/declare_product_scope',
    '/api/admin/delete_product_scope',
    '/api/admin/delete_user',
    '/api/admin/update_user_data',
    '/api/admin/update_organization_data',
    '/api/admin/mark_verified',
    '/api/admin/update_staff',
    '/api/admin/move_user',
    '/api/admin/update_shard',
    '/api/admin/update_webhook',
    '/api/update_grant',
    '/api/admin/delete_webhook',
    '/api/admin/save_view',
    '/api/admin/save_reply',
    '/api/admin/delete_reply',
    '/api/auth/organization/update',
    '/api/auth/organization/delete',
    '/api/auth/organization/leave',
    '/api/auth/organization/set-active',
    '/api/auth/organization/accept-invitation',
    '/api/auth/organization/reject-invitation',
    '/api/auth/organization/cancel-invitation',
    '/api/admin/update_organization',
    '/api/admin/suspend_organization',
    '/api/admin/restore_organization',
    '/api/admin/delete_organization',
    '/api/admin/add_member',
    '/api/admin/update_member',
    '/api/admin/remove_member',
    '/api/auth/organization/set-active-team',
    '/api/auth/organization/remove-member',
    '/api/auth/organization/update-member-role',
    '/api/auth/organization/update-role',
    '/api/auth/organization/delete-role',
    '/api/auth/organization/update-team',
    '/api/auth/organization/remove-team',
    '/api/auth/organization/add-team-member',
    '/api/auth/organization/remove-team-member',
    '/api/admin/delete_view',
  ],
  'is refused: the address, the challenge or the version counts once': [
    '/api/auth/passkey/verify-registration',
    '/api/admin/create_user',
    '/api/admin/invite_user',
    '/api/admin/update_authentication_config',
    '/api/admin/update_email_config',
    '/api/admin/update_credits_config',
    '/api/admin/update_ai_config',
    '/api/admin/update_brand_config',
    '/api/admin/update_assistants_config',
    '/api/admin/update_hooks_config',
    '/api/admin/update_organizations_config',
    '/api/decide_approval',
    '/api/auth/admin/impersonate-user',
    '/api/auth/organization/create-role',
  ],
  'makes another secret: the first is kept nowhere, so it could not be returned again': [
    '/api/auth/two-factor/enable',
    '/api/auth/two-factor/generate-backup-codes',
    '/api/create_personal_token',
    '/api/admin/create_application',
    '/api/admin/rotate_application_secret',
    '/api/admin/create_webhook',
    '/api/admin/rotate_webhook_secret',
    '/api/admin/rotate_hook_secret',
  ],
  'begins anew, and what was begun before expires by itself': [
    '/api/auth/link-social',
    '/api/auth/oauth2/link',
    '/api/oauth/begin_authorization',
  ],
  'makes another of the same name, which its maker can delete': [
    '/api/auth/organization/create',
    '/api/admin/create_organization',
    '/api/auth/organization/create-team',
  ],
  'sends another message, which its reader has to expect': [
    '/api/auth/change-email',
    '/api/admin/send_test_email',
    '/api/admin/send_password_reset',
    '/api/auth/organization/invite-member',
    '/api/admin/invite_member',
    '/api/admin/test_webhook',
    '/api/admin/try_hook',
    '/api/admin/redeliver',
  ],
}

/** They change nothing, whatever their method and scope say. */
const READS = [
  '/api/auth/two-factor/get-totp-uri',
  '/api/oauth/get_authorization',
  '/api/list_grants',
  '/api/list_approvals',
  '/api/list_grant_acts',
  '/api/list_personal_tokens',
  '/api/list_product_scopes',
  '/api/admin/list_staff',
  '/api/admin/list_views',
]

describe('a write that is sent twice', () => {
  it('checklist 99: takes an Idempotency-Key, or does no harm for a reason that is written down', () => {
    const writes = declared.filter(isWrite).map(({ path }) => path)
    const explained = [...Object.values(WITHOUT_A_KEY).flat(), ...READS]

    assert.deepEqual(writes.toSorted(), explained.toSorted())
  })
})

function isWrite(route: Route): boolean {
  if (route.method !== 'POST' || (route.access !== 'protected' && route.access !== 'session')) return false
  if (route.access === 'protected' && (route.scope?.endsWith(':read') || route.idempotency)) return false
  return true
}
