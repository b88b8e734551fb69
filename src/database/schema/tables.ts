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
import type { UserTable } from './people/users.ts'
import type { ApplicationTable, ProductScopeTable } from './products/applications.ts'
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
  user: 'features/users',
  saved_view: 'features/views',
  account: 'features/identity',
  session: 'features/sessions',
  pending_sign_in: 'features/sessions',
  trusted_device: 'features/sessions',
  totp_factor: 'features/factors',
  backup_code: 'features/factors',
  passkey: 'features/factors',
  mailed_code: 'features/identity',
  code_letters: 'features/identity',
  code_guesses: 'features/identity',
  provider_flow: 'features/identity',
  api_grant: 'features/grants',
  authorization_request: 'features/grants',
  consent: 'features/grants',
  application: 'features/clients',
  application_sign_in: 'features/grants',
  product_scope: 'features/product-scopes',
  access_token: 'features/grants',
  refresh_token: 'features/grants',
  signing_key: 'features/signing',
  settings: 'features/settings',
  notifications: 'features/notifications',
  notification_preference: 'features/notifications',
  announcement: 'features/notifications',
  digest_entry: 'features/notifications',
  beta_codes: 'features/beta-codes',
  shards: 'features/shards',
  user_shards: 'features/shards',
  shard_moves: 'features/shards',
  erasure: 'features/moves',
  event: 'features/events',
  refused_address: 'features/audit',
  event_order: 'features/events',
  event_outbox: 'features/events',
  webhook: 'features/webhooks',
  webhook_delivery: 'features/webhooks',
  mail_queue: 'features/mail',
  key_value: 'platform/key-value',
  row_counts: 'database',
  instance: 'database',
  schema_migration: 'database',
  residents: 'features/shards',
  feedbacks: 'features/feedback',
  feedback_counts: 'features/feedback',
  notification_reads: 'features/notifications',
  credit_balance: 'features/credits',
  credit_entries: 'features/credits',
  idempotency_keys: 'features/idempotency',
} as const satisfies Record<keyof MetaTables | keyof ShardTables, string>
