import { isShared } from '../../sql/row-lock.ts'
import { keepCounts, statement } from '../counting.ts'
import type { Db } from '../migrate.ts'

/** What an older program writes acts in no organisation. */
export function organizations(db: Db) {
  return [
    ...[...TABLES, ...clusteredTables(isShared(db) ? '' : 'without rowid'), ...COLUMNS].map(statement),
    ...keepCounts(db, {
      table: 'organization',
      changing: 'status',
      counts: [{ kind: 'organization', value: (row) => `${row}status`, condition: () => 'true' }],
    }),
  ]
}

/** Rows of an organisation have no foreign key to it: they are deleted little by little after it. */
const TABLES = [
  `create table organization (
     id text not null primary key,
     slug text not null unique,
     name text not null,
     folded_name text not null,
     logo text,
     own text not null default '{}',
     roles_token text not null default '',
     seats bigint,
     members bigint not null default 0,
     owners bigint not null default 0,
     status text not null,
     suspended_at bigint,
     suspension_reason text,
     created_at bigint not null,
     updated_at bigint not null
   )`,
  'create index organization_newest on organization (created_at, id)',
  'create index organization_status on organization (status, created_at, id)',
  `create table organization_slug (
     slug text not null primary key,
     organization_id text not null
   )`,
  `create table organization_remains (
     id text not null primary key,
     kind text not null,
     created_at bigint not null
   )`,
  `create table organization_role (
     id text not null primary key,
     organization_id text not null,
     role text not null,
     permissions text not null,
     created_at bigint not null,
     updated_at bigint not null,
     constraint organization_role_key unique (organization_id, role)
   )`,
  `create table team (
     id text not null primary key,
     organization_id text not null,
     name text not null,
     created_at bigint not null,
     updated_at bigint not null
   )`,
  'create index team_oldest on team (organization_id, created_at, id)',
  `create table organization_invitation (
     id text not null primary key,
     organization_id text not null,
     email text not null,
     roles text not null,
     team_ids text not null default '',
     inviter_id text not null,
     status text not null,
     created_at bigint not null,
     expires_at bigint not null,
     ended_at bigint
   )`,
  'create index organization_invitation_of on organization_invitation (organization_id, status, created_at, id)',
  'create index organization_invitation_to on organization_invitation (email, status)',
  'create index organization_invitation_by on organization_invitation (inviter_id)',
  'create index organization_invitation_expires on organization_invitation (expires_at)',
  `create table organization_invitation_link (
     link_hash text not null primary key,
     invitation_id text not null references organization_invitation (id) on delete cascade
   )`,
  'create index organization_invitation_link_of on organization_invitation_link (invitation_id)',
]

/** An embedded store keeps their rows in the order of the key, which the statement that finds the caller reads. */
function clusteredTables(clustered: string) {
  return [
    `create table member (
       user_id text not null references "user" (id) on delete cascade,
       organization_id text not null,
       id text not null,
       roles text not null,
       created_at bigint not null,
       last_active_at bigint not null default 0,
       constraint member_key primary key (user_id, organization_id)
     ) ${clustered}`,
    'create unique index member_id on member (id)',
    'create index member_oldest on member (organization_id, created_at, id)',
    `create table member_role (
       organization_id text not null,
       role text not null,
       joined_at bigint not null,
       member_id text not null,
       user_id text not null,
       constraint member_role_key primary key (organization_id, role, joined_at, member_id)
     ) ${clustered}`,
    'create index member_role_user on member_role (user_id, organization_id)',
    `create table team_member (
       user_id text not null references "user" (id) on delete cascade,
       team_id text not null,
       id text not null,
       organization_id text not null,
       created_at bigint not null,
       constraint team_member_key primary key (user_id, team_id)
     ) ${clustered}`,
    'create index team_member_oldest on team_member (team_id, created_at, id)',
  ]
}

const COLUMNS = [
  'alter table session add column active_organization_id text',
  'alter table session add column active_team_id text',
  'alter table api_grant add column organization_id text',
  'alter table authorization_request add column organization_id text',
  'alter table consent add column organization_id text',
  'create index api_grant_organization on api_grant (organization_id, user_id) where organization_id is not null',
  'alter table event add column organization_id text',
  `alter table settings add column organizations text not null default '{}'`,
  'alter table settings add column organizations_version bigint not null default 1',
]
