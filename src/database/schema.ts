// The data model on one page. Times are epoch milliseconds, booleans 0 or 1, JSON is text.
// The specification fixes which store holds what; no transaction spans the two.

import type { Factors, GrantKind, Role } from '../rules/caller.ts'
import type { EventType } from '../rules/event-types.ts'

type Flag = 0 | 1

export interface MetaTables {
  user: UserTable
  account: AccountTable
  session: SessionTable
  pending_sign_in: PendingSignInTable
  trusted_device: TrustedDeviceTable
  totp_factor: TotpFactorTable
  backup_code: BackupCodeTable
  passkey: PasskeyTable
  verification: VerificationTable
  code_guesses: CodeGuessesTable
  provider_flow: ProviderFlowTable
  api_grant: ApiGrantTable
  authorization_request: AuthorizationRequestTable
  consent: ConsentTable
  application: ApplicationTable
  product_scope: ProductScopeTable
  access_token: AccessTokenTable
  refresh_token: RefreshTokenTable
  signing_key: SigningKeyTable
  settings: SettingsTable
  notifications: NotificationsTable
  beta_codes: BetaCodesTable
  shards: ShardsTable
  user_shards: UserShardsTable
  shard_moves: ShardMovesTable
  erasure: ErasureTable
  event: EventTable
  event_order: EventOrderTable
  webhook: WebhookTable
  webhook_delivery: WebhookDeliveryTable
  mail_queue: MailQueueTable
  key_value: KeyValueTable
  idempotency_keys: IdempotencyKeysTable
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

/** The folder that owns each table: nothing outside it names the table, but takes the owner's statements. */
export const TABLE_OWNERS = {
  user: 'features/users',
  account: 'features/identity',
  session: 'features/sessions',
  pending_sign_in: 'features/sessions',
  trusted_device: 'features/sessions',
  totp_factor: 'features/factors',
  backup_code: 'features/factors',
  passkey: 'features/factors',
  verification: 'features/identity',
  code_guesses: 'features/identity',
  provider_flow: 'features/identity',
  api_grant: 'features/grants',
  authorization_request: 'features/grants',
  consent: 'features/grants',
  application: 'features/clients',
  product_scope: 'features/product-scopes',
  access_token: 'features/grants',
  refresh_token: 'features/grants',
  signing_key: 'features/signing',
  settings: 'features/settings',
  notifications: 'features/notifications',
  beta_codes: 'features/beta-codes',
  shards: 'features/shards',
  user_shards: 'features/shards',
  shard_moves: 'features/shards',
  erasure: 'features/moves',
  event: 'features/events',
  event_order: 'features/events',
  event_outbox: 'features/events',
  webhook: 'features/webhooks',
  webhook_delivery: 'features/webhooks',
  mail_queue: 'features/mail',
  key_value: 'platform/key-value',
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

export interface UserTable {
  id: string
  name: string
  email: string
  email_verified: Flag
  /** When a code or a provider first showed that the address is the user's own. */
  email_proven_at: number | null
  image: string | null
  aff_code: string
  registration_utm_source: string | null
  role: Role
  /** Which kinds of second factor the user has; see `features/factors`. */
  factors: Factors
  suspended_at: number | null
  /** For the administrator's eyes. */
  suspension_reason: string | null
  created_at: number
  updated_at: number
}

export type Provider = 'credential' | 'provider_a' | 'provider_b' | 'community'

export interface AccountTable {
  id: string
  user_id: string
  provider: Provider
  /** Who issued the id; '' for `credential`, and until a preparation knows what is configured. */
  issuer: string
  /** The user's id for `credential`, else the id at the provider. */
  provider_account_id: string
  password_hash: string | null
  /** 1 while the password is the one printed at preparation. */
  password_is_initial: Flag
  created_at: number
  updated_at: number
}

export interface SessionTable {
  id: string
  user_id: string
  token_hash: string
  created_at: number
  /** Start of the present 30 days: creation, or the last refresh. */
  refreshed_at: number
  expires_at: number
  last_used_at: number
  /** When its user last showed a credential again; 0 if only at the sign-in. */
  confirmed_at: number
  ip: string | null
  user_agent: string | null
  place: string | null
}

/** The first step of a sign-in has been taken, and a second is asked for. */
export interface PendingSignInTable {
  token_hash: string
  user_id: string
  /** What the first step was: an account's provider, or `passkey`. */
  first_step: string
  cookie_life: 'lasting' | 'until the browser closes'
  /** Where the browser goes afterwards. */
  return_address: string | null
  created_at: number
  expires_at: number
}

/** A browser whose user is not asked for the second step. */
export interface TrustedDeviceTable {
  id: string
  user_id: string
  token_hash: string
  created_at: number
  expires_at: number
  last_used_at: number
  ip: string | null
  user_agent: string | null
  place: string | null
}

/** At most two per user: the one that counts, and one that has not yet shown a right code. */
export interface TotpFactorTable {
  id: string
  user_id: string
  /** The shared secret, sealed. */
  sealed: string
  is_confirmed: Flag
  /** The newest step whose code was used: a code counts once. */
  last_step: number
  /** Names the batch that used the newest code. */
  last_use: string
  created_at: number
  last_used_at: number | null
}

export interface BackupCodeTable {
  id: string
  user_id: string
  /** A keyed digest. */
  code_hash: string
  /** 0 until the factor that it was made with counts. */
  is_active: Flag
  /** Names the batch that used it, which deletes the row. */
  last_use: string
}

export interface PasskeyTable {
  id: string
  user_id: string
  credential_id: string
  public_key: string
  counter: number
  /** `singleDevice`, `multiDevice`: whether it can be copied to other devices of its owner. */
  device_type: string
  is_backed_up: Flag
  /** Separated by commas. */
  transports: string
  aaguid: string
  name: string
  /** Names the batch that used it last. */
  last_use: string
  created_at: number
  last_used_at: number | null
}

export type CodePurpose = 'email-verification' | 'password-reset' | 'invitation'

/** One living code per purpose and address; a new one replaces the old. */
export interface VerificationTable {
  id: string
  purpose: CodePurpose
  email: string
  code_hash: string
  /** Of the secret in the mailed link, which opens what the code opens. */
  link_hash: string
  /** 1 only inside the batch of the right guess, which deletes the row. */
  is_spent: Flag
  created_at: number
  expires_at: number
}

/** Wrong codes for one address on one day, by whose they are. */
export interface CodeGuessesTable {
  email: string
  /** Day number since the epoch. */
  day: number
  /** A network, or a browser of the account's own. */
  guesser: string
  failures: number
  /** The last code that was guessed at, and how often. */
  code_id: string
  failures_on_code: number
}

export interface ProviderFlowTable {
  state_hash: string
  browser_hash: string
  provider: Exclude<Provider, 'credential'>
  /** Verifier, nonce and return addresses, sealed. */
  sealed: string
  link_user_id: string | null
  expires_at: number
}

export interface ApiGrantTable {
  id: string
  user_id: string
  client_id: string
  client_name: string
  target_origin: string
  kind: GrantKind
  /** Separated by spaces; the implied ones of the command-line client are left out. */
  scopes: string
  /** 1 if there are refresh tokens. */
  is_offline: Flag
  /** Of an application's: when the user had last shown a credential, and in which session. */
  auth_time: number | null
  session_id: string | null
  created_at: number
  last_used_at: number | null
  revoked_at: number | null
  /** Moves on with each refresh. */
  expires_at: number
}

export type AuthorizationState = 'pending' | 'approved' | 'denied' | 'redeemed'

export interface AuthorizationRequestTable {
  id: string
  flow: 'code' | 'device'
  state: AuthorizationState
  client_id: string
  client_name: string
  target_origin: string
  kind: Exclude<GrantKind, 'service' | 'personal'>
  scopes: string
  is_offline: Flag
  nonce: string | null
  /** The decision needs a credential shown since then. */
  proof_after: number | null
  auth_time: number | null
  session_id: string | null
  user_id: string | null
  /** What came of it, once redeemed. */
  grant_id: string | null
  redirect_uri: string | null
  client_state: string | null
  code_challenge: string | null
  code_hash: string | null
  user_code: string | null
  device_code_hash: string | null
  interval_seconds: number
  last_polled_at: number | null
  ip: string
  user_agent: string
  created_at: number
  /** Of the request while it is pending, of the code once approved. */
  expires_at: number
}

/** What a user has allowed an application; asked again only for more. */
export interface ConsentTable {
  user_id: string
  client_id: string
  scopes: string
  created_at: number
}

export type ApplicationKind = 'web' | 'browser' | 'native' | 'service'

/** Registered by the administrator. Its id is its `client_id`. */
export interface ApplicationTable {
  id: string
  name: string
  kind: ApplicationKind
  /** JSON arrays. */
  redirect_uris: string
  post_logout_redirect_uris: string
  /** Separated by spaces: the most that it can ask for. */
  scopes: string
  logo_url: string | null
  home_url: string | null
  skip_consent: Flag
  id_token_algorithm: SigningAlgorithm
  /** Null if it cannot keep a secret. */
  secret_hash: string | null
  created_at: number
  updated_at: number
}

/** Declared by the administrator, in words for the consent page. */
export interface ProductScopeTable {
  scope: string
  description: string
  created_at: number
}

export interface AccessTokenTable {
  token_hash: string
  grant_id: string
  scopes: string
  created_at: number
  expires_at: number
}

export interface RefreshTokenTable {
  token_hash: string
  grant_id: string
  used_at: number | null
  /** Keyed digest of the network and user agent that used it; null before it is used. */
  rotated_from: string | null
  created_at: number
  expires_at: number
}

export type SigningAlgorithm = 'EdDSA' | 'RS256'

/** The newest that has begun to sign does; those before it are published until their last token has ended. */
export interface SigningKeyTable {
  algorithm: SigningAlgorithm
  generation: number
  kid: string
  public_jwk: string
  /** The private JWK. */
  sealed: string
  created_at: number
  signs_from: number
}

/** Exactly one row. Each part is JSON with its own version; `revision` grows and `token` is new with every save. */
export interface SettingsTable {
  id: 'global'
  revision: number
  token: string
  /** `Store.history` when it was saved last. */
  history: string
  authentication: string
  authentication_version: number
  email: string
  email_version: number
  credits: string
  credits_version: number
  ai: string
  ai_version: number
  brand: string
  brand_version: number
  updated_at: number
}

export interface NotificationsTable {
  id: string
  type: string
  title: string
  content: string
  target_user_id: string | null
  created_at: number
  updated_at: number
  archived_at: number | null
}

export interface BetaCodesTable {
  code: string
  used_by: string | null
  created_at: number
  used_at: number | null
}

export type ShardState = 'active' | 'draining'

export interface ShardsTable {
  id: string
  region: string
  state: ShardState
  created_at: number
}

export interface UserShardsTable {
  user_id: string
  shard_id: string
  created_at: number
  /** What the user's balance begins with, as the settings had it at the creation. */
  signup_reward: number
  /** Attempts at moving this user, ever: the newest one fences off those before it. */
  moves: number
}

/** A move under way; outlives the user it names, so that a copy is never left behind. */
export interface ShardMovesTable {
  user_id: string
  from_shard: string
  to_shard: string
  attempt: number
  claimed_at: number
}

/** Names a user who is gone, so it has no foreign key. */
export interface ErasureTable {
  id: string
  user_id: string
  shard_id: string
  requested_by: string
  created_at: number
  done_at: number | null
  attempts: number
}

/**
 * What happened, written in the batch that made it happen. The audit log shows the rows with an action, products
 * the rows with a type. Outlives the users it names, so it has no foreign key.
 */
export interface EventTable {
  id: string
  created_at: number
  /** Of the audit log; '' if the row is not part of it. */
  action: string
  actor_id: string | null
  subject_type: string | null
  subject_id: string | null
  ip: string | null
  details: string
  /** What products are sent; null if the row is for the audit log only. */
  type: EventType | null
  /** Whom it concerns; null if it concerns everybody. */
  user_id: string | null
  /** JSON. */
  data: string | null
  /** In the one order, which only grows; null until the relay has placed the row. */
  position: number | null
}

/** One row: the last position given. Its lock makes positions visible in their order. */
export interface EventOrderTable {
  id: 'global'
  last: number
}

/** Rows for `event`, on their way out of a shard. A user's move leaves them where they are. */
export interface EventOutboxTable {
  id: string
  created_at: number
  /** The rest of the row, JSON. */
  row: string
}

/** An endpoint of a product. */
export interface WebhookTable {
  id: string
  url: string
  /** JSON; empty: all. */
  types: string
  enabled: Flag
  sealed: string
  /** The secret before the last rotation, which signs too until then. */
  former_sealed: string | null
  former_until: number | null
  /** How far its deliveries have been written down. */
  position: number
  created_at: number
  updated_at: number
  last_taken_at: number | null
  failing_since: number | null
  switched_off_at: number | null
  /** The process that works on it, for as long as its lease lasts. */
  claimed_by: string
  claimed_until: number
}

export type DeliveryState = 'pending' | 'delivered' | 'failed'

export interface WebhookDeliveryTable {
  id: string
  webhook_id: string
  event_id: string
  position: number
  type: string
  user_id: string | null
  state: DeliveryState
  tries: number
  created_at: number
  /** Of the three days for which it is tried: its making, or the last order to send it again. */
  begun_at: number
  next_attempt_at: number
  last_attempt_at: number | null
  status: number | null
  answer: string | null
  error: string | null
  milliseconds: number | null
  /** Of a test only; the body of an event is made of the event. */
  body: string | null
}

/** Beside codes: a change of an account that its owner hears of. */
export type MailKind = CodePurpose | 'notice'

export interface MailQueueTable {
  id: string
  kind: MailKind
  /** Recipient, subject and bodies, sealed. */
  sealed: string
  created_at: number
  expires_at: number
  attempts: number
  next_attempt_at: number
  claimed_until: number
  last_error: string | null
}

/** What a request with an `Idempotency-Key` was answered, in the store of its write. */
export interface IdempotencyKeysTable {
  /** A digest of user, route and key. */
  id: string
  user_id: string
  /** A digest of the input. */
  fingerprint: string
  /** JSON. */
  answer: string
  created_at: number
}

export interface KeyValueTable {
  key: string
  value: string
  expires_at: number
}

export interface InstanceTable {
  name: string
  value: string
}

export interface SchemaMigrationTable {
  name: string
  applied_at: number
}

/**
 * `held` while the user is copied to another shard, `arriving` where the copy is made, `gone` once moved away
 * or erased.
 */
export type ResidentState = 'open' | 'held' | 'arriving' | 'gone'

/** Locked by each write of this user. */
export interface ResidentsTable {
  user_id: string
  state: ResidentState
  writes: number
  /** The newest attempt at moving the user that has reached this row. */
  attempt: number
}

export type FeedbackStatus = 'new' | 'in_progress' | 'done'

export interface FeedbacksTable {
  id: string
  user_id: string
  type: string
  content: string
  status: FeedbackStatus
  note: string
  created_at: number
  updated_at: number
}

/** How many rows there are, so that a total needs no scan. Spread over slots, or every writer waits for one row. */
export interface FeedbackCountsTable {
  kind: 'all' | 'type' | 'user'
  /** '' for `all`. */
  value: string
  slot: number
  feedbacks: number
}

export interface NotificationReadsTable {
  notification_id: string
  user_id: string
}

export interface CreditBalanceTable {
  user_id: string
  balance: number
}

export interface CreditEntriesTable {
  id: string
  user_id: string
  amount: number
  balance_after: number
  source_type: string
  source_id: string
  created_at: number
}
