import assert from 'node:assert/strict'
import { describe } from 'vitest'
import type { Route } from '../../../src/http/route.ts'
import { isAdministratorScope } from '../../../src/rules/scopes.ts'
import { actAs } from '../../service/acting.ts'
import { itWith } from '../../service/it.ts'
import type { Person } from '../../service/people.ts'
import { declared } from '../support/every-route.ts'

const it = itWith({
  email: { provider: 'smtp' },
  authentication: { impersonation: 'read_and_write', email_changes: 'verified' },
})

const REFUSED = 'IMPERSONATION_REFUSED'
const READ_ONLY = 'IMPERSONATION_READ_ONLY'

const ORGANIZATION = '/api/auth/organization'

/** What somebody who acts as a user can change, in the mode for that. */
const WRITES: ReadonlySet<string> = new Set([
  ...['/api/auth/update-user', '/api/update_data', '/api/bind_beta_code', '/api/submit_feedback'],
  ...['/api/read_notification', '/api/read_all_notifications', '/api/update_notification_preferences'],
  ...['create', 'update', 'leave', 'remove-member', 'update-member-role'].map((act) => `${ORGANIZATION}/${act}`),
  ...['create-role', 'update-role', 'delete-role', 'create-team', 'update-team', 'remove-team'].map(
    (act) => `${ORGANIZATION}/${act}`,
  ),
  ...['invite-member', 'accept-invitation', 'reject-invitation', 'cancel-invitation'].map(
    (act) => `${ORGANIZATION}/${act}`,
  ),
  ...['add-team-member', 'remove-team-member'].map((act) => `${ORGANIZATION}/${act}`),
  '/api/update_organization_data',
])

/** What they can read, in both modes. What is public to everybody is not listed. */
const READS: ReadonlySet<string> = new Set([
  ...['/api/auth/get-session', '/api/auth/token', '/api/verify', '/api/client_config', '/api/live'],
  ...['/api/auth/sign-out', '/api/auth/admin/stop-impersonating', '/api/oauth/begin_authorization'],
  ...['/api/list_notifications', '/api/count_unread_notifications', '/api/get_notification_preferences'],
  ...['/api/list_own_feedbacks', '/api/get_credit_summary', '/api/list_credit_entries', '/api/get_data'],
  ...['/api/list_impersonations', '/api/get_organization_data'],
  // Only for a grant's token.
  '/api/get_approval',
  ...['check-slug', 'list', 'get-organization', 'get-full-organization'].map((act) => `${ORGANIZATION}/${act}`),
  ...['list-members', 'get-active-member', 'get-active-member-role', 'has-permission', 'list-roles', 'get-role'].map(
    (act) => `${ORGANIZATION}/${act}`,
  ),
  ...['get-invitation', 'list-invitations', 'list-user-invitations'].map((act) => `${ORGANIZATION}/${act}`),
  ...['list-teams', 'list-user-teams', 'list-team-members'].map((act) => `${ORGANIZATION}/${act}`),
])

/** They end the acting, or stay open. */
const NOT_WALKED = ['/api/auth/sign-out', '/api/auth/admin/stop-impersonating', '/api/live']

type Expected = 'open' | 'FORBIDDEN' | typeof REFUSED | typeof READ_ONLY

function expectedOf(route: Route, mode: 'read_only' | 'read_and_write'): Expected {
  if (route.access === 'protected' && isAdministratorScope(route.scope)) return 'FORBIDDEN'
  if (WRITES.has(route.path)) return mode === 'read_only' ? READ_ONLY : 'open'
  if (READS.has(route.path) || (route.access === 'public' && !isWayIn(route))) return 'open'
  return REFUSED
}

/** Opens a session, or sets or proves a credential. */
function isWayIn({ method, path, session }: Route): boolean {
  return (
    session !== undefined ||
    (path.startsWith('/api/auth/') && method === 'POST') ||
    /authenticate|multi-session/.test(path)
  )
}

async function saidBy(person: Person, { method, path }: Route): Promise<Expected> {
  const { body } = method === 'GET' ? await person.get(path) : await person.post(path)
  const code = body?.code ?? ''
  return code === REFUSED || code === READ_ONLY || (code === 'FORBIDDEN' && path.startsWith('/api/admin/'))
    ? code
    : 'open'
}

describe('133. every route, for somebody who acts as a user', () => {
  it.for(['read_only', 'read_and_write'] as const)('to %s', async (mode, { administrator, ann }) => {
    const walked = declared.filter(({ path }) => !NOT_WALKED.includes(path))
    await actAs(administrator, ann, { write: mode === 'read_and_write' })

    const said = new Map<string, Expected>()
    for (const route of walked) said.set(`${route.method} ${route.path}`, await saidBy(administrator, route))

    const expected = new Map(walked.map((route) => [`${route.method} ${route.path}`, expectedOf(route, mode)]))
    assert.deepEqual(said, expected)
    const { body } = await administrator.get('/api/auth/get-session')
    assert.deepEqual([body.user.id, body.session.impersonatedBy], [ann.id, administrator.id])
  })

  it('names none that does not exist', () => {
    const paths = new Set(declared.map(({ path }) => path))
    assert.deepEqual(
      [...READS, ...WRITES, ...NOT_WALKED].filter((path) => !paths.has(path as Route['path'])),
      [],
    )
  })
})
