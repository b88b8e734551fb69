// The data model: which store has which table, and who owns it. The columns are in the files beside this one:
// times are epoch milliseconds, booleans 0 or 1, JSON is text. The specification fixes which store holds what;
// no transaction spans the two.

import type { EventOrderTable, EventOutboxTable, EventTable, RefusedAddressTable } from './events.ts'
import type {
  IdempotencyKeysTable,
  InstanceTable,
  KeyValueTable,
  RowCountsTable,
  SchemaMigrationTable,
} from './instance.ts'
import type { MailQueueTable } from './mail.ts'
import type {
  AnnouncementTable,
  BetaCodesTable,
  CreditBalanceTable,
  CreditEntriesTable,
  DigestEntryTable,
  FeedbackCountsTable,
  FeedbacksTable,
  NotificationPreferenceTable,
  NotificationReadsTable,
  NotificationsTable,
  SavedViewTable,
} from './operations.ts'
import type { BackupCodeTable, PasskeyTable, TotpFactorTable } from './people/factors.ts'
import type {
  AccountTable,
  CodeGuessesTable,
  CodeLettersTable,
  MailedCodeTable,
  ProviderFlowTable,
} from './people/identity.ts'
import type { PendingSignInTable, SessionTable, TrustedDeviceTable } from './people/sessions.ts'
import type { UserSearchTable, UserTable } from './people/users.ts'
import type { ApplicationTable, ProductScopeTable } from './products/applications.ts'
import type { ApprovalTable, GrantActTable } from './products/approvals.ts'
import type {
  AccessTokenTable,
  ApiGrantTable,
  ApplicationSignInTable,
  AuthorizationRequestTable,
  ConsentTable,
  RefreshTokenTable,
} from './products/grants.ts'
import type { SigningKeyTable } from './products/signing.ts'
import type { WebhookDeliveryTable, WebhookTable } from './products/webhooks.ts'
import type { SettingsTable } from './settings.ts'
import type { ErasureTable, ResidentsTable, ShardMovesTable, ShardsTable, UserShardsTable } from './shards.ts'

export interface MetaTables {
  user: UserTable
  user_search: UserSearchTable
  saved_view: SavedViewTable
  account: AccountTable
  session: SessionTable
  pending_sign_in: PendingSignInTable
  trusted_device: TrustedDeviceTable
  totp_factor: TotpFactorTable
  backup_code: BackupCodeTable
  passkey: PasskeyTable
  mailed_code: MailedCodeTable
  code_letters: CodeLettersTable
  code_guesses: CodeGuessesTable
  provider_flow: ProviderFlowTable
  api_grant: ApiGrantTable
  authorization_request: AuthorizationRequestTable
  consent: ConsentTable
  application: ApplicationTable
  application_sign_in: ApplicationSignInTable
  product_scope: ProductScopeTable
  access_token: AccessTokenTable
  approval: ApprovalTable
  grant_act: GrantActTable
  refresh_token: RefreshTokenTable
  signing_key: SigningKeyTable
  settings: SettingsTable
  notifications: NotificationsTable
  notification_preference: NotificationPreferenceTable
  announcement: AnnouncementTable
  digest_entry: DigestEntryTable
  beta_codes: BetaCodesTable
  shards: ShardsTable
  user_shards: UserShardsTable
  shard_moves: ShardMovesTable
  erasure: ErasureTable
  event: EventTable
  refused_address: RefusedAddressTable
  event_order: EventOrderTable
  webhook: WebhookTable
  webhook_delivery: WebhookDeliveryTable
  mail_queue: MailQueueTable
  key_value: KeyValueTable
  idempotency_keys: IdempotencyKeysTable
  row_counts: RowCountsTable
  instance: InstanceTable
  schema_migration: SchemaMigrationTable
}

export interface ShardTables {
  residents: ResidentsTable
  feedbacks: FeedbacksTable
  feedback_counts: FeedbackCountsTable
  notification_reads: NotificationReadsTable
  credit_balance: CreditBalanceTable
  credit_entries: CreditEntriesTable
  idempotency_keys: IdempotencyKeysTable
  event_outbox: EventOutboxTable
  instance: InstanceTable
  schema_migration: SchemaMigrationTable
}

/** The folder that owns each table: code outside it uses the owner's statements and never names the table. */
export const TABLE_OWNERS = {
  user: 'features/people/users',
  user_search: 'features/people/users',
  saved_view: 'features/operations/views',
  account: 'features/people/identity',
  session: 'features/people/sessions',
  pending_sign_in: 'features/people/sessions',
  trusted_device: 'features/people/sessions',
  totp_factor: 'features/people/factors',
  backup_code: 'features/people/factors',
  passkey: 'features/people/factors',
  mailed_code: 'features/people/identity',
  code_letters: 'features/people/identity',
  code_guesses: 'features/people/identity',
  provider_flow: 'features/people/identity',
  api_grant: 'features/access/grants',
  authorization_request: 'features/access/grants',
  consent: 'features/access/grants',
  application: 'features/access/clients',
  application_sign_in: 'features/access/grants',
  product_scope: 'features/access/product-scopes',
  access_token: 'features/access/grants',
  approval: 'features/access/approvals',
  grant_act: 'features/access/approvals',
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
  mail_queue: 'features/delivery/mail',
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
