import type { Kysely } from 'kysely'
import { prepared } from '../../../database/prepared.ts'
import type { UserTable } from '../../../database/schema/people/users.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { lockRows } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { ActingAdministrator } from '../../../rules/caller.ts'
import { isStaff } from '../../../rules/staff.ts'
import type { Settings } from '../../ground/settings/model.ts'
import { administrators } from '../users/statements.ts'
import { sessionOf } from './store.ts'

/**
 * The administrator who acts in this session of the user; undefined once that is over. The settings, the user and the
 * administrator's session are as they are at this request, so each of them ends it at once in every process.
 */
export async function findActor(
  { meta, now }: Pick<Platform, 'meta' | 'now'>,
  sessionId: string,
  user: Pick<UserTable, 'role' | 'staff_scopes'>,
  { impersonation: allowed }: Settings['authentication'],
): Promise<ActingAdministrator | undefined> {
  if (allowed === 'off' || user.role === 'administrator' || isStaff(user)) return undefined
  const [row] = await meta.primary.run(actorOf(meta.primary, { sessionId }))
  if (!row || row.ends_at <= now() || row.session_ends_at <= now()) return undefined
  const isReadOnly = row.mode === 'read_only' || allowed === 'read_only'
  return { id: row.id, name: row.name, sessionId: row.session_id, impersonationId: sessionId, isReadOnly }
}

const actorOf = prepared({ sessionId: '' }, (db: Kysely<MetaTables>, { sessionId }) =>
  db
    .selectFrom('impersonation')
    .innerJoin('session as acting', 'acting.id', 'impersonation.id')
    .innerJoin('session as own', 'own.id', 'impersonation.administrator_session_id')
    .innerJoin(administrators(db).as('administrator'), 'administrator.id', 'own.user_id')
    .select(['administrator.id', 'administrator.name', 'impersonation.mode', 'own.id as session_id'])
    .select(['own.expires_at as session_ends_at', 'acting.expires_at as ends_at'])
    .where('impersonation.id', '=', sessionId)
    .where('impersonation.ended_at', 'is', null),
)

/** The acting session, locked. Returns no row if it has ended, or the session from which it began. */
export function lockedActing(meta: Meta, userId: string, id: string) {
  return locked(meta, { userId, id })
}

const locked = prepared({ userId: '', id: '' }, (db: Kysely<MetaTables>, { userId, id }) =>
  sessionOf(db, userId, id).where('id', 'in', going(db, id)).$call(lockRows(db)),
)

function going(db: Kysely<MetaTables>, id: string) {
  return db
    .selectFrom('impersonation')
    .innerJoin('session as own', 'own.id', 'impersonation.administrator_session_id')
    .select('impersonation.id')
    .where('impersonation.id', '=', id)
    .where('impersonation.ended_at', 'is', null)
}
