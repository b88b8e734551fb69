export const operationsTables = [
  `create table event (
     id text not null primary key,
     created_at bigint not null,
     action text not null,
     details text not null,
     actor_id text,
     subject_type text,
     subject_id text,
     ip text,
     type text,
     user_id text,
     data text,
     position bigint
   )`,
  `create index event_newest on event (created_at, id) where action <> ''`,
  `create index event_action on event (action, created_at, id) where action <> ''`,
  `create index event_actor on event (actor_id, created_at) where action <> ''`,
  'create index event_subject on event (subject_id, created_at) where subject_id is not null',
  'create index event_pending on event (created_at, id) where position is null and type is not null',
  'create unique index event_position on event (position) where position is not null',
  `create table event_order (
     id text not null primary key check (id = 'global'),
     last bigint not null
   )`,
  `insert into event_order (id, last) values ('global', 0)`,
  `create table refused_address (
     event_id text not null primary key references event (id) on delete cascade,
     address_hash text not null,
     masked text not null
   )`,
  'create index refused_address_hash on refused_address (address_hash)',
  `create table idempotency_keys (
     id text not null primary key,
     user_id text not null references "user" (id) on delete cascade,
     fingerprint text not null,
     answer text not null,
     created_at bigint not null
   )`,
  'create index idempotency_keys_user on idempotency_keys (user_id, id)',
  'create index idempotency_keys_created on idempotency_keys (created_at)',
  `create table notifications (
     id text not null primary key,
     type text not null,
     title text not null,
     content text not null,
     target_user_id text references "user" (id) on delete cascade,
     created_at bigint not null,
     updated_at bigint not null,
     archived_at bigint,
     link text,
     level text not null default 'info',
     also_email bigint not null default 0
   )`,
  'create index notifications_target on notifications (target_user_id, created_at, id, type, archived_at)',
  'create index notifications_archived on notifications (archived_at)',
  'create index notifications_newest on notifications (created_at, id)',
  `create table notification_preference (
     user_id text not null references "user" (id) on delete cascade,
     type text not null,
     email text not null,
     constraint notification_preference_key primary key (user_id, type)
   )`,
  `create table announcement (
     notification_id text not null primary key references notifications (id) on delete cascade,
     after_user_id text not null
   )`,
  `create table digest_entry (
     user_id text not null references "user" (id) on delete cascade,
     notification_id text not null references notifications (id) on delete cascade,
     due_at bigint not null,
     constraint digest_entry_key primary key (user_id, notification_id)
   )`,
  'create index digest_entry_due on digest_entry (due_at, user_id)',
  'create index digest_entry_notification on digest_entry (notification_id)',
  `create table beta_codes (
     code text not null primary key,
     used_by text unique references "user" (id) on delete cascade,
     created_at bigint not null,
     used_at bigint
   )`,
  'create index beta_codes_newest on beta_codes (created_at, code)',
  'create index beta_codes_used_at on beta_codes (used_at)',
  `create table saved_view (
     id text not null primary key,
     list text not null,
     name text not null,
     filters text not null,
     created_at bigint not null,
     constraint saved_view_name unique (list, name)
   )`,
  `create table mail_queue (
     id text not null primary key,
     kind text not null,
     sealed text not null,
     created_at bigint not null,
     expires_at bigint not null,
     next_attempt_at bigint not null,
     attempts bigint not null default 0,
     claimed_until bigint not null default 0,
     last_error text,
     about text
   )`,
  'create index mail_queue_expires on mail_queue (expires_at)',
  'create index mail_queue_next on mail_queue (next_attempt_at)',
  'create index mail_queue_about on mail_queue (about)',
  'create index mail_queue_kind on mail_queue (kind, next_attempt_at)',
  `create table webhook (
     id text not null primary key,
     url text not null,
     types text not null,
     sealed text not null,
     claimed_by text not null,
     former_sealed text,
     enabled bigint not null,
     position bigint not null,
     created_at bigint not null,
     updated_at bigint not null,
     former_until bigint,
     failing_since bigint,
     last_taken_at bigint,
     switched_off_at bigint,
     claimed_until bigint not null default 0,
     application_id text references application (id) on delete cascade
   )`,
  'create unique index webhook_application on webhook (application_id)',
  `create table webhook_delivery (
     id text not null primary key,
     webhook_id text not null references webhook (id) on delete cascade,
     event_id text not null,
     type text not null,
     state text not null,
     user_id text,
     answer text,
     error text,
     body text,
     position bigint not null,
     created_at bigint not null,
     begun_at bigint not null,
     tries bigint not null default 0,
     next_attempt_at bigint not null default 0,
     last_attempt_at bigint,
     status bigint,
     milliseconds bigint,
     constraint webhook_delivery_event_unique unique (webhook_id, event_id)
   )`,
  `create index webhook_delivery_due
     on webhook_delivery (webhook_id, next_attempt_at, position) where state = 'pending'`,
  `create index webhook_delivery_user
     on webhook_delivery (webhook_id, user_id, position) where state = 'pending'`,
  'create index webhook_delivery_newest on webhook_delivery (webhook_id, created_at, id)',
  'create index webhook_delivery_created on webhook_delivery (created_at)',
]
