import { type Kysely, sql } from 'kysely'
import { prepared } from '../../../database/prepared.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import type { Meta } from '../../../database/store.ts'
import { REVISION } from '../../ground/settings/statements.ts'

// The one place that reads tables of other slices: every request pays for it, so it is one statement. The tables of
// organisations are joined for callers who act in one: for the others, PostgreSQL would take a fifth more time.

export function callerBySession({ primary }: Meta, tokenHash: string) {
  return primary.run(bySession(primary, { tokenHash }))
}

export function memberBySession({ primary }: Meta, tokenHash: string) {
  return primary.run(asMemberBySession(primary, { tokenHash }))
}

export function callerByAccessToken({ primary }: Meta, tokenHash: string) {
  return primary.run(byAccessToken(primary, { tokenHash }))
}

export function memberByAccessToken({ primary }: Meta, tokenHash: string) {
  return primary.run(asMemberByAccessToken(primary, { tokenHash }))
}

export function callerBySessionId({ primary }: Meta, id: string) {
  return primary.run(bySessionId(primary, { id }))
}

export function callerByGrantId({ primary }: Meta, id: string) {
  return primary.run(byGrantId(primary, { id }))
}

const bySession = prepared({ tokenHash: '' }, (db: Kysely<MetaTables>, { tokenHash }) =>
  withSession(db).where('session.token_hash', '=', tokenHash),
)

const asMemberBySession = prepared({ tokenHash: '' }, (db: Kysely<MetaTables>, { tokenHash }) =>
  withMembership(db).where('session.token_hash', '=', tokenHash),
)

const bySessionId = prepared({ id: '' }, (db: Kysely<MetaTables>, { id }) =>
  withMembership(db).where('session.id', '=', id),
)

function withMembership(db: Kysely<MetaTables>) {
  return withSession(db)
    .leftJoin('member', (join) =>
      join
        .onRef('member.user_id', '=', 'session.user_id')
        .onRef('member.organization_id', '=', 'session.active_organization_id'),
    )
    .leftJoin('organization', (join) =>
      join.onRef('organization.id', '=', 'member.organization_id').on('organization.suspended_at', 'is', null),
    )
    .leftJoin('team', (join) =>
      join.onRef('team.id', '=', 'session.active_team_id').onRef('team.organization_id', '=', 'organization.id'),
    )
    .select([...ORGANIZATION, 'team.id as team_id'])
}

function withSession(db: Kysely<MetaTables>) {
  return withUser(db)
    .innerJoin('session', 'session.user_id', 'user.id')
    .select([
      'session.id as session_id',
      'session.created_at as session_created_at',
      'session.refreshed_at',
      'session.expires_at',
      'session.last_used_at',
      'session.confirmed_at',
      'session.ip',
      'session.user_agent',
      'session.active_organization_id as acts_in',
      'session.acted_by',
    ])
}

const byAccessToken = prepared({ tokenHash: '' }, (db: Kysely<MetaTables>, { tokenHash }) =>
  withGrant(db)
    .innerJoin('access_token', 'access_token.grant_id', 'api_grant.id')
    .select(TOKEN)
    .where('access_token.token_hash', '=', tokenHash),
)

const asMemberByAccessToken = prepared({ tokenHash: '' }, (db: Kysely<MetaTables>, { tokenHash }) =>
  withGrantOfMember(db)
    .innerJoin('access_token', 'access_token.grant_id', 'api_grant.id')
    .select(TOKEN)
    .where('access_token.token_hash', '=', tokenHash),
)

const TOKEN = [
  'access_token.scopes',
  'access_token.resource',
  'access_token.act',
  'access_token.created_at as issued_at',
  'access_token.expires_at',
] as const

const byGrantId = prepared({ id: '' }, (db: Kysely<MetaTables>, { id }) =>
  withGrantOfMember(db)
    .select([
      'api_grant.scopes',
      'api_grant.resource',
      sql<string | null>`cast(null as text)`.as('act'),
      'api_grant.created_at as issued_at',
      'api_grant.expires_at',
    ])
    .where('api_grant.id', '=', id),
)

function withGrant(db: Kysely<MetaTables>) {
  return withUser(db)
    .innerJoin('api_grant', 'api_grant.user_id', 'user.id')
    .leftJoin('application', 'application.id', 'api_grant.client_id')
    .leftJoin('session as of_grant', 'of_grant.id', 'api_grant.session_id')
    .select([
      'application.scopes as application_scopes',
      'application.origin as application_origin',
      'api_grant.id as grant_id',
      'api_grant.created_at as grant_created_at',
      'api_grant.last_used_at',
      'api_grant.revoked_at',
      'api_grant.kind as grant_kind',
      'api_grant.expires_at as grant_expires_at',
      'api_grant.client_id',
      'api_grant.client_name',
      'api_grant.daily_limit',
      'api_grant.approval',
      'api_grant.session_id',
      'api_grant.is_offline',
      'of_grant.id as living_session_id',
      'of_grant.acted_by',
      'api_grant.organization_id as acts_in',
    ])
}

function withGrantOfMember(db: Kysely<MetaTables>) {
  return withGrant(db)
    .leftJoin('member', (join) =>
      join
        .onRef('member.user_id', '=', 'api_grant.user_id')
        .onRef('member.organization_id', '=', 'api_grant.organization_id'),
    )
    .leftJoin('organization', (join) =>
      join.onRef('organization.id', '=', 'member.organization_id').on('organization.suspended_at', 'is', null),
    )
    .select([...ORGANIZATION, sql<string | null>`cast(null as text)`.as('team_id')])
}

const ORGANIZATION = [
  'organization.id as organization_id',
  'organization.slug as organization_slug',
  'organization.name as organization_name',
  'organization.roles_token as organization_roles_token',
  'member.id as member_id',
  'member.roles as member_roles',
] as const

function withUser(db: Kysely<MetaTables>) {
  return db
    .selectFrom('user')
    .leftJoin('user_shards', 'user_shards.user_id', 'user.id')
    .leftJoin('beta_codes', 'beta_codes.used_by', 'user.id')
    .innerJoin('settings', (join) => join.on('settings.id', '=', sql.lit('global')))
    .select([
      'user.id',
      'user.name',
      'user.email',
      'user.email_verified',
      'user.handle',
      'user.image',
      'user.aff_code',
      'user.registration_utm_source',
      'user.role',
      'user.staff_scopes',
      'user.factors',
      'user.language',
      'user.created_at',
      'user.updated_at',
      'user_shards.shard_id',
      'beta_codes.code as beta_code',
      REVISION.as('settings_revision'),
    ])
}
