import assert from 'node:assert/strict'
import { describe } from 'vitest'
import type { Code } from '../../../src/rules/refusal.ts'
import { STAFF_SCOPES } from '../../../src/rules/staff.ts'
import { actAs } from '../../service/acting.ts'
import { assertRefused } from '../../service/answers.ts'
import { bearer } from '../../service/applications.ts'
import { grantFor } from '../../service/grants.ts'
import { itWith } from '../../service/it.ts'
import { type Answer, Person, stranger } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'
import { onStaff } from '../../service/staff.ts'
import { sentAfter } from '../../service/wire/slow-body.ts'

const it = itWith({ authentication: { impersonation: 'read_and_write' } })

interface Cast {
  readonly service: Service
  readonly administrator: Person
  /** On the staff, with every scope. */
  readonly ann: Person
  readonly ben: Person
}

type Act = (cast: Cast, work: () => Promise<unknown>) => Promise<Answer<{ readonly code?: string }>>
type End = (cast: Cast) => Promise<unknown>

const by = (who: 'administrator' | 'ann' | 'ben', path: string, body: object = {}): Act => {
  return (cast, work) => sentAfter(cast[who], path, work, body)
}
const suspendBen: Act = ({ ann, ben }, work) =>
  sentAfter(ann, '/api/admin/suspend_user', work, { id: ben.id, reason: 'Spam.' })

/** With the token of a tool of Ann's. */
const byTool = (path: string, body: object): Act => {
  return async ({ service, ann }, work) => {
    const { tokens } = await grantFor(ann, 'admin:users:read')
    return sentAfter(stranger(service), path, work, body, bearer(tokens.access_token))
  }
}
const LIST_USERS = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_users', arguments: {} } }

const leaveStaff: End = ({ service, administrator, ann }) => onStaff(service, administrator, ann)
const suspendAnn: End = ({ administrator, ann }) =>
  administrator.post('/api/admin/suspend_user', { id: ann.id, reason: 'Left.' })
const signOutOthers =
  (who: 'administrator' | 'ben'): End =>
  async ({ service, ...cast }) => {
    const elsewhere = new Person(service, cast[who].email, cast[who].password)
    await elsewhere.signIn()
    await elsewhere.post('/api/auth/revoke-other-sessions')
  }

const CASES: Readonly<Record<string, readonly [Act, End, Code]>> = {
  'a member who is removed': [suspendBen, leaveStaff, 'FORBIDDEN'],
  'a member who is suspended': [suspendBen, suspendAnn, 'UNAUTHORIZED'],
  'a member who is removed reads': [by('ann', '/api/admin/list_users'), leaveStaff, 'FORBIDDEN'],
  'a member who is removed keeps a view': [
    by('ann', '/api/admin/save_view', { list: 'users', name: 'New', filters: {} }),
    leaveStaff,
    'FORBIDDEN',
  ],
  'a tool of a member who is removed': [byTool('/api/admin/list_users', {}), leaveStaff, 'FORBIDDEN'],
  'a tool at /mcp of a member who is suspended': [byTool('/mcp', LIST_USERS), suspendAnn, 'UNAUTHORIZED'],
  'the administrator in a session that ends': [
    by('administrator', '/api/admin/create_user', { email: 'dora@example.com', password: 'a quieter walk in snow' }),
    signOutOthers('administrator'),
    'UNAUTHORIZED',
  ],
  'the administrator’s own act in a session that ends': [
    (cast, work) => sentAfter(cast.administrator, '/api/admin/mark_verified', work, { id: cast.ben.id }),
    signOutOthers('administrator'),
    'UNAUTHORIZED',
  ],
  'a user in a session that ends': [
    by('ben', '/api/submit_feedback', { type: 'idea', content: 'Owls' }),
    signOutOthers('ben'),
    'UNAUTHORIZED',
  ],
  'a read as a user who ends the acting': [
    async (cast, work) => {
      await actAs(cast.administrator, cast.ben)
      return sentAfter(cast.administrator, '/api/get_data', work)
    },
    signOutOthers('ben'),
    'UNAUTHORIZED',
  ],
}

describe('27. a request whose body comes late', () => {
  it.for(Object.entries(CASES))(
    'is refused to %s meanwhile',
    async ([, [act, end, code]], { service, administrator, ann, ben }) => {
      await onStaff(service, administrator, ann, ...STAFF_SCOPES)
      const cast = { service, administrator, ann, ben }

      const answer = await act(cast, () => end(cast))

      assertRefused(answer, code)
    },
  )

  it('is answered if its caller may still make it, and counts once for a tool', async ({
    service,
    administrator,
    ann,
  }) => {
    await onStaff(service, administrator, ann, ...STAFF_SCOPES)
    const { tokens } = await grantFor(ann, 'admin:users:read')

    const listed = await sentAfter(
      stranger(service),
      '/api/admin/list_users',
      async () => undefined,
      {},
      bearer(tokens.access_token),
    )
    const { body: grants } = await ann.post('/api/list_grants')
    await service.runJob('grant-acts')
    const { body: acts } = await ann.post('/api/list_grant_acts', { id: grants.items[0].id })

    assert.deepEqual([listed.status, acts.total], [200, 1])
  })
})
