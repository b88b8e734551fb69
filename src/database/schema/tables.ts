// The data model: which store has which table, and who owns it. The columns are in the files beside this one:
// times are epoch milliseconds, booleans 0 or 1, JSON is text. The specification fixes which store holds what;
// no transaction spans the two.

import type * as events from './events.ts'
import type * as instance from './instance.ts'
import type * as mail from './mail.ts'
import type * as operations from './operations.ts'
import type * as account from './people/account.ts'
import type * as organizations from './people/organizations.ts'
import type * as productData from './people/product-data.ts'
import type * as secondFactor from './people/second-factor.ts'
import type * as sessions from './people/sessions.ts'
import type * as users from './people/users.ts'
import type * as applications from './products/applications.ts'
import type * as approvals from './products/approvals.ts'
import type * as grants from './products/grants.ts'
import type * as signing from './products/signing.ts'
import type * as webhooks from './products/webhooks.ts'
import type * as settings from './settings.ts'
import type * as shards from './shards.ts'

export interface MetaTables {
  user: users.UserTable
  user_search: users.UserSearchTable
  user_data: productData.UserDataTable
  saved_reply: operations.SavedReplyTable
  saved_view: operations.SavedViewTable
  account: account.AccountTable
  session: sessions.SessionTable
  impersonation: sessions.ImpersonationTable
  impersonation_act: sessions.ImpersonationActTable
  pending_sign_in: sessions.PendingSignInTable
  trusted_device: sessions.TrustedDeviceTable
  known_network: sessions.KnownNetworkTable
  totp_factor: secondFactor.TotpFactorTable
  backup_code: secondFactor.BackupCodeTable
  passkey: secondFactor.PasskeyTable
  email_change: account.EmailChangeTable
  mailed_code: account.MailedCodeTable
  code_letters: account.CodeLettersTable
  code_guesses: account.CodeGuessesTable
  provider_flow: account.ProviderFlowTable
  organization: organizations.OrganizationTable
  organization_search: organizations.OrganizationSearchTable
  organization_slug: organizations.OrganizationSlugTable
  organization_remains: organizations.OrganizationRemainsTable
  organization_role: organizations.OrganizationRoleTable
  organization_invitation: organizations.OrganizationInvitationTable
  organization_invitation_link: organizations.OrganizationInvitationLinkTable
  member: organizations.MemberTable
  member_role: organizations.MemberRoleTable
  team: organizations.TeamTable
  team_member: organizations.TeamMemberTable
  api_grant: grants.ApiGrantTable
  authorization_request: grants.AuthorizationRequestTable
  consent: grants.ConsentTable
  application: applications.ApplicationTable
  application_picture: applications.ApplicationPictureTable
  application_refusal: applications.ApplicationRefusalTable
  application_sign_in: grants.ApplicationSignInTable
  product_scope: applications.ProductScopeTable
  access_token: grants.AccessTokenTable
  approval: approvals.ApprovalTable
  grant_act: approvals.GrantActTable
  refresh_token: grants.RefreshTokenTable
  signing_key: signing.SigningKeyTable
  settings: settings.SettingsTable
  notifications: operations.NotificationsTable
  notification_preference: operations.NotificationPreferenceTable
  announcement: operations.AnnouncementTable
  digest_entry: operations.DigestEntryTable
  beta_codes: operations.BetaCodesTable
  shards: shards.ShardsTable
  user_shards: shards.UserShardsTable
  shard_moves: shards.ShardMovesTable
  erasure: shards.ErasureTable
  event: events.EventTable
  refused_address: events.RefusedAddressTable
  event_order: events.EventOrderTable
  webhook: webhooks.WebhookTable
  webhook_delivery: webhooks.WebhookDeliveryTable
  letter_queue: mail.LetterQueueTable
  mail_queue: mail.MailQueueTable
  key_value: instance.KeyValueTable
  idempotency_keys: instance.IdempotencyKeysTable
  row_counts: instance.RowCountsTable
  instance: instance.InstanceTable
  schema_migration: instance.SchemaMigrationTable
}

export interface ShardTables {
  residents: shards.ResidentsTable
  feedbacks: operations.FeedbacksTable
  feedback_counts: operations.FeedbackCountsTable
  notification_reads: operations.NotificationReadsTable
  credit_balance: operations.CreditBalanceTable
  credit_entries: operations.CreditEntriesTable
  idempotency_keys: instance.IdempotencyKeysTable
  event_outbox: events.EventOutboxTable
  instance: instance.InstanceTable
  schema_migration: instance.SchemaMigrationTable
}

/** The folder that owns each table: code outside it uses the owner's statements and never names the table. */
export const TABLE_OWNERS = {
  user: 'features/people/users',
  user_search: 'features/people/users',
  user_data: 'features/people/product-data',
  saved_reply: 'features/operations/replies',
  saved_view: 'features/operations/views',
  account: 'features/people/account',
  session: 'features/people/sessions',
  impersonation: 'features/people',
  impersonation_act: 'features/people',
  pending_sign_in: 'features/people/sessions',
  trusted_device: 'features/people/sessions',
  known_network: 'features/people/sessions',
  totp_factor: 'features/people',
  backup_code: 'features/people',
  passkey: 'features/people',
  email_change: 'features/people/users',
  mailed_code: 'features/people/account',
  code_letters: 'features/people/account',
  code_guesses: 'features/people/account',
  provider_flow: 'features/people/account',
  organization: 'features/people/memberships',
  organization_search: 'features/people/memberships',
  organization_slug: 'features/people/memberships',
  organization_remains: 'features/people/memberships',
  organization_role: 'features/people/memberships',
  organization_invitation: 'features/people/memberships',
  organization_invitation_link: 'features/people/memberships',
  member: 'features/people/memberships',
  member_role: 'features/people/memberships',
  team: 'features/people/memberships',
  team_member: 'features/people/memberships',
  api_grant: 'features/access/grants',
  authorization_request: 'features/access/grants',
  consent: 'features/access/grants',
  application: 'features/access/clients',
  application_picture: 'features/access/clients',
  application_refusal: 'features/access/refusals',
  application_sign_in: 'features/access/grants',
  product_scope: 'features/access/product-scopes',
  access_token: 'features/access/grants',
  approval: 'features/access/approvals',
  grant_act: 'features/access/grant-calls',
  refresh_token: 'features/access/grants',
  signing_key: 'features/ground/signing',
  settings: 'features/ground/settings',
  notifications: 'features/operations/notifications',
  notification_preference: 'features/operations/notifications',
  announcement: 'features/operations/notifications',
  digest_entry: 'features/operations/notifications',
  beta_codes: 'features/operations/beta-codes',
  shards: 'features/tenancy/shards',
  user_shards: 'features/tenancy/shards',
  shard_moves: 'features/tenancy/shards',
  erasure: 'features/tenancy/moves',
  event: 'features/ground/events',
  refused_address: 'features/ground/audit',
  event_order: 'features/ground/events',
  event_outbox: 'features/ground/events',
  webhook: 'features/delivery/webhooks',
  webhook_delivery: 'features/delivery/webhooks',
  letter_queue: 'features/ground/letters',
  mail_queue: 'features/ground/letters',
  key_value: 'platform/key-value',
  row_counts: 'database',
  instance: 'database',
  schema_migration: 'database',
  residents: 'features/tenancy/shards',
  feedbacks: 'features/operations/feedback',
  feedback_counts: 'features/operations/feedback',
  notification_reads: 'features/operations/notifications',
  credit_balance: 'features/operations/credits',
  credit_entries: 'features/operations/credits',
  idempotency_keys: 'features/ground/idempotency',
} as const satisfies Record<keyof MetaTables | keyof ShardTables, string>
