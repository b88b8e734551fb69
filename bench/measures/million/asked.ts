import { DAY_MILLISECONDS } from '../../../src/rules/time.ts'
import { sessionToken, userId } from '../../ours.ts'
import { CALLERS, type Filled, numberOf } from './fill.ts'

const PAGE = { page: 1, page_size: 20 }
/** The console's way to search. */
const SOON = { ...PAGE, search_among: 'first' }
const ADMINISTRATOR = sessionToken(-1)

interface Question {
  readonly what: string
  /** True if the request counts or reads all rows. */
  readonly readsAll?: boolean
  ask(filled: Filled, turn: number): Promise<void>
}

/** Everything that lists, searches or counts, and what changes a user. */
export const QUESTIONS: readonly Question[] = [
  {
    what: 'session check',
    ask: (filled, turn) => send(filled, 'GET', '/api/auth/get-session', callerOf(turn)),
  },
  {
    what: 'own notifications',
    ask: (filled, turn) => send(filled, 'POST', '/api/list_notifications', callerOf(turn), PAGE),
  },
  {
    what: 'submit feedback',
    ask: (filled, turn) =>
      send(filled, 'POST', '/api/submit_feedback', callerOf(turn), { type: 'idea', content: 'A bell.' }),
  },
  {
    what: 'own export',
    ask: (filled, turn) => send(filled, 'POST', '/api/export_account', callerOf(turn), {}),
  },
  asks('users, newest', 'list_users', () => PAGE),
  asks('users, by address', 'list_users', () => ({ ...PAGE, order: 'email' })),
  asks('users of an hour', 'list_users', (turn) => ({ ...PAGE, ...hour(turn) })),
  asks('users, a search', 'list_users', (turn, users) => ({ ...SOON, search: `erson-${numberOf(turn, users)}@` })),
  asks('users, what everybody has', 'list_users', () => ({ ...SOON, search: 'person example.com' })),
  asks('users, its second page', 'list_users', () => ({ ...SOON, page: 2, search: 'person example.com' })),
  asks('users, what everybody has in parts and nobody as a whole', 'list_users', () => ({ ...SOON, search: 'comper' })),
  asks('users, the same by address', 'list_users', () => ({ ...SOON, search: 'comper', order: 'email' })),
  asks('users, the same in a shard', 'list_users', () => ({ ...SOON, search: 'comper', shard_id: 'oc-1' })),
  asks('users, what everybody has, with a state that nobody has', 'list_users', () => ({
    ...SOON,
    search: 'person',
    status: 'suspended',
  })),
  counts('users, all that a search finds', 'list_users', () => ({ ...PAGE, search: 'person' })),
  asks('a user', 'get_user', (turn, users) => ({ id: idOf(turn, users) })),
  asks('audit log, newest', 'list_audit_entries', () => PAGE),
  asks('audit log, an action', 'list_audit_entries', () => ({ ...PAGE, action: 'user.sign_in_refused' })),
  asks('audit log of a user', 'list_audit_entries', (turn, users) => ({ ...PAGE, actor_id: idOf(turn, users) })),
  asks('audit log of an hour', 'list_audit_entries', (turn) => ({ ...PAGE, ...hour(turn) })),
  asks('audit log, a search', 'list_audit_entries', (turn, users) => ({
    ...PAGE,
    search: `erson-${numberOf(turn, users)}@`,
  })),
  asks('events after a cursor', 'list_events', (turn) => ({ after: String(turn) })),
  asks('feedback, newest', 'list_feedbacks', () => PAGE),
  asks('feedback of a kind', 'list_feedbacks', () => ({ ...PAGE, type: 'bug' })),
  counts('feedback, not yet read', 'list_feedbacks', () => ({ ...PAGE, status: 'new' })),
  asks('feedback of a user', 'list_feedbacks', (turn, users) => ({ ...PAGE, user_id: idOf(turn, users) })),
  counts('feedback, a search', 'list_feedbacks', (turn, users) => ({
    ...PAGE,
    search: `number ${numberOf(turn, users)},`,
  })),
  counts('overview', 'get_overview', () => ({})),
  asks('move a user', 'move_user', (turn, users) => ({
    id: idOf(turn, users),
    shard_id: turn % 2 === 0 ? 'weur-1' : 'oc-1',
  })),
  // Deletes none of the callers.
  asks('delete a user', 'delete_user', (turn, users) => ({ id: idOf(CALLERS + turn, users) })),
]

function asks(what: string, route: string, body: (turn: number, users: number) => object): Question {
  return {
    what,
    ask: (filled, turn) => send(filled, 'POST', `/api/admin/${route}`, ADMINISTRATOR, body(turn, filled.users)),
  }
}

function counts(...given: Parameters<typeof asks>): Question {
  return { ...asks(...given), readsAll: true }
}

const callerOf = (turn: number) => sessionToken(turn % CALLERS)
const idOf = (turn: number, users: number) => userId(numberOf(turn, users))

function hour(turn: number) {
  const start = Date.now() - (10 + (turn % 300)) * DAY_MILLISECONDS
  return { created_at_start: start, created_at_end: start + DAY_MILLISECONDS / 24 }
}

async function send({ server }: Filled, method: string, path: string, token: string, body?: object): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`)
}
