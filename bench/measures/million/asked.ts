import { organizationId, sessionToken, userId } from '../../ours.ts'
import { mustCall } from '../../server.ts'
import { CALLERS, type Filled, numberOf } from './fill.ts'

const PAGE = { page: 1, page_size: 20 }
/** The console's way to search. */
const SOON = { ...PAGE, search_among: 'first' }
const ADMINISTRATOR = sessionToken(-1)
/** A tenth of the users are in it. */
const LARGEST = { organization_id: organizationId(0) }
const MEMBERS = { ...PAGE, ...LARGEST }

export interface Question {
  readonly what: string
  /** True if the request counts or reads all rows. */
  readonly readsAll?: boolean
  ask(filled: Filled, turn: number): Promise<void>
}

/** Everything that lists, searches or counts, and what changes a user. */
export const QUESTIONS: readonly Question[] = [
  {
    what: 'session check',
    ask: ({ server }, turn) =>
      mustCall(server, '/api/auth/get-session', { method: 'GET', token: callerOf(2 * turn + 1) }),
  },
  asksOwn('own notifications', 'list_notifications', PAGE),
  asksOwn('submit feedback', 'submit_feedback', { type: 'idea', content: 'A bell.' }),
  asksOwn('own export', 'export_account', {}),
  asks('users, newest', 'list_users', () => PAGE),
  asks('users, by address', 'list_users', () => ({ ...PAGE, order: 'email' })),
  asks('users, a search', 'list_users', (turn, users) => ({ ...SOON, search: partOf(turn, users) })),
  asks('users, what everybody has', 'list_users', () => ({ ...SOON, search: 'person example.com' })),
  asks('users, what everybody has in parts and nobody as a whole', 'list_users', () => ({ ...SOON, search: 'comper' })),
  counts('users, all that a search finds', 'list_users', () => ({ ...PAGE, search: 'person' })),
  asks('a user', 'get_user', (turn, users) => ({ id: idOf(turn, users) })),
  asksInside('session check in an organisation', '/api/auth/get-session'),
  asksInside('verify in an organisation', '/api/verify'),
  asksInside('own organisations', '/api/auth/organization/list'),
  {
    what: 'switch the organisation',
    ask({ server, users }, turn) {
      const organization = numberOf((turn - (turn % 2)) % CALLERS, users) + (turn % 2)
      const body = { organizationId: organizationId(organization % users) }
      return mustCall(server, '/api/auth/organization/set-active', { token: callerOf(turn - (turn % 2)), body })
    },
  },
  asks('organisations, newest', 'list_organizations', () => PAGE),
  asks('organisations, a search', 'list_organizations', (turn, users) => {
    return { ...PAGE, search: `pany-${numberOf(turn, users)}-l` }
  }),
  counts('organisations, what everybody has', 'list_organizations', () => ({ ...PAGE, search: 'company' })),
  asks('members, first page', 'list_organization_members', () => MEMBERS),
  asks('members, last page', 'list_organization_members', (_, users) => ({ ...MEMBERS, page: users / 200 })),
  asks('members, a search', 'list_organization_members', (turn, users) => {
    return { ...MEMBERS, search: `erson-${numberOf(turn * 10, users)}@` }
  }),
  asks('members, a search in a small one', 'list_organization_members', (turn, users) => {
    return { ...PAGE, organization_id: organizationId(numberOf(turn, users)), search: 'person' }
  }),
  counts('members, what everybody has', 'list_organization_members', () => ({ ...MEMBERS, search: 'person' })),
  {
    what: 'add and remove a member',
    async ask({ server, users }, turn) {
      const user_id = userId(numberOf(turn, users / 10) * 10 + 5)
      const [token, body] = [ADMINISTRATOR, { ...LARGEST, user_id, roles: ['member'] }]
      await mustCall(server, '/api/admin/add_member', { token, body })
      await mustCall(server, '/api/admin/remove_member', { token, body: { ...LARGEST, user_id } })
    },
  },
  asks('audit log, newest', 'list_audit_entries', () => PAGE),
  asks('audit log, an action', 'list_audit_entries', () => ({ ...PAGE, action: 'user.sign_in_refused' })),
  asks('audit log of a user', 'list_audit_entries', (turn, users) => ({ ...PAGE, actor_id: idOf(turn, users) })),
  asks('audit log, a search', 'list_audit_entries', (turn, users) => ({ ...PAGE, search: partOf(turn, users) })),
  asks('events after a cursor', 'list_events', (turn) => ({ after: String(turn) })),
  asks('feedback, newest', 'list_feedbacks', () => PAGE),
  counts('feedback, not yet read', 'list_feedbacks', () => ({ ...PAGE, status: 'new' })),
  asks('feedback of a user', 'list_feedbacks', (turn, users) => ({ ...PAGE, user_id: idOf(turn, users) })),
  counts('feedback, a search', 'list_feedbacks', (turn, users) => {
    return { ...PAGE, search: `number ${numberOf(turn, users)},` }
  }),
  counts('overview', 'get_overview', () => ({})),
  asks('move a user', 'move_user', (turn, users) => {
    return { id: idOf(turn, users), shard_id: turn % 2 === 0 ? 'weur-1' : 'oc-1' }
  }),
  // Deletes none of the callers.
  asks('delete a user', 'delete_user', (turn, users) => ({ id: idOf(CALLERS + turn, users) })),
]

function asks(what: string, route: string, bodyOf: (turn: number, users: number) => object): Question {
  const ask = ({ server, users }: Filled, turn: number) =>
    mustCall(server, `/api/admin/${route}`, { token: ADMINISTRATOR, body: bodyOf(turn, users) })
  return { what, ask }
}

function asksOwn(what: string, route: string, body: object): Question {
  return { what, ask: ({ server }, turn) => mustCall(server, `/api/${route}`, { token: callerOf(turn), body }) }
}

function asksInside(what: string, path: string): Question {
  return { what, ask: ({ server }, turn) => mustCall(server, path, { method: 'GET', token: callerOf(2 * turn) }) }
}

function counts(...given: Parameters<typeof asks>): Question {
  return { ...asks(...given), readsAll: true }
}

const callerOf = (turn: number) => sessionToken(turn % CALLERS)
/** A part of an address. */
const partOf = (turn: number, users: number) => `erson-${numberOf(turn, users)}@`
const idOf = (turn: number, users: number) => userId(numberOf(turn, users))
