import type { Meta } from '../../../database/store.ts'

/** Sign-ins in sessions that have ended, or of deleted users: the subjects of a back-channel logout. */
export function signInsEnded(
  meta: Meta,
  applicationId: string,
  sessionIds: readonly string[],
  userIds: readonly string[],
) {
  return meta.primary
    .selectFrom('application_sign_in')
    .select(['session_id', 'user_id'])
    .where('application_id', '=', applicationId)
    .where(({ or, eb }) => or([eb('session_id', 'in', [...sessionIds, '']), eb('user_id', 'in', [...userIds, ''])]))
    .execute()
}

export function forgetSignIns(meta: Meta, applicationId: string, sessionIds: readonly string[]) {
  return meta
    .deleteFrom('application_sign_in')
    .where('application_id', '=', applicationId)
    .where('session_id', 'in', [...sessionIds, ''])
}

export function forgetSignInsOf(meta: Meta, applicationId: string) {
  return meta.deleteFrom('application_sign_in').where('application_id', '=', applicationId)
}
