import { dropDrafts } from '../forms/draft.ts'
import { ApiError, call } from './api.ts'

/** Goes back to the administrator's own session, also where another window has stopped or the acting is over. */
export async function stopActing(userId: string): Promise<void> {
  const isBack = await call('/api/auth/admin/stop-impersonating', {}).then(({ user }) => user !== null, isBackAlready)
  dropDrafts()
  location.assign(isBack ? `/console/users/${userId}` : '/sign-in')
}

function isBackAlready(error: unknown): boolean {
  const code = error instanceof ApiError ? error.code : undefined
  if (code !== 'IMPERSONATION_REFUSED' && code !== 'UNAUTHORIZED') throw error
  return code === 'IMPERSONATION_REFUSED'
}
