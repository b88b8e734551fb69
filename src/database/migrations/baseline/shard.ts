export const shardTables = [
  `create table instance (
     name text not null primary key,
     value text not null
   )`,
  `create table residents (
     user_id text not null primary key,
     state text not null,
     writes bigint not null,
     attempt bigint not null default 0
   )`,
  `create table feedbacks (
     id text not null primary key,
     user_id text not null,
     type text not null,
     content text not null,
     status text not null,
     note text not null,
     created_at bigint not null,
     updated_at bigint not null,
     context text not null default '{}',
     reply text not null default '',
     replied_at bigint
   )`,
  'create index feedbacks_newest on feedbacks (created_at, id)',
  'create index feedbacks_user on feedbacks (user_id, created_at, id)',
  'create index feedbacks_type on feedbacks (type, created_at, id)',
  'create index feedbacks_status on feedbacks (status, created_at, id)',
  `create table feedback_counts (
     kind text not null,
     value text not null,
     slot bigint not null,
     feedbacks bigint not null,
     bytes bigint,
     constraint feedback_counts_key primary key (kind, value, slot)
   )`,
  `create table notification_reads (
     notification_id text not null,
     user_id text not null,
     constraint notification_reads_key primary key (notification_id, user_id)
   )`,
  'create index notification_reads_user on notification_reads (user_id, notification_id)',
  `create table credit_balance (
     user_id text not null primary key,
     balance bigint not null
   )`,
  `create table credit_entries (
     id text not null primary key,
     user_id text not null,
     source_type text not null,
     source_id text not null,
     amount bigint not null,
     balance_after bigint not null,
     created_at bigint not null,
     constraint credit_entries_source_unique unique (source_type, source_id)
   )`,
  'create index credit_entries_user on credit_entries (user_id, created_at, id)',
  `create table idempotency_keys (
     id text not null primary key,
     user_id text not null,
     fingerprint text not null,
     answer text not null,
     created_at bigint not null
   )`,
  'create index idempotency_keys_user on idempotency_keys (user_id, id)',
  'create index idempotency_keys_created on idempotency_keys (created_at)',
  `create table event_outbox (
     id text not null primary key,
     created_at bigint not null,
     row text not null
   )`,
]
