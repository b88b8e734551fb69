import { type Address, Browser } from './actors/browser.ts'
import type { Life, Session } from './actors/life.ts'
import type { Shared } from './acts/act.ts'
import { seenOf } from './acts/content.ts'
import type { History } from './history.ts'

interface Quiet {
  readonly processes: readonly Address[]
  readonly history: History
  readonly shared: Shared
  readonly administrator: string
}

/**
 * Reads everything through every process, without a bookmark, while nobody acts and nothing is wrong: all of them have
 * to agree.
 */
export async function readEverything(quiet: Quiet, round: number): Promise<void> {
  const lives = [...quiet.shared.lives.values()]
  for (const process of quiet.processes) {
    await readSettings(quiet, process, `#${round}`)
    await Promise.all(lives.map((life) => readLife(quiet, process, life, `#${round}`)))
  }
}

/** Reads sessions too, those that ended as well as those that live. */
export async function readRestored(quiet: Quiet): Promise<void> {
  const lives = [...quiet.shared.lives.values()]
  for (const process of quiet.processes) {
    for (const life of lives)
      for (const session of [...life.sessions, ...life.endedSessions])
        await trySession(quiet, process, life, session, RESTORED)
    await readSettings(quiet, process, RESTORED)
    await Promise.all(lives.map((life) => readLife(quiet, process, life, RESTORED)))
  }
}

const RESTORED = '#restored'

type At = Address

async function readSettings({ history, administrator }: Quiet, at: At, chain: string): Promise<void> {
  const asked = { session: administrator, body: {} }
  await fresh(history, chain).do(
    { kind: 'read-settings' },
    at,
    (ask) => ask(at, '/api/admin/get_ai_config', asked),
    (deed, { body }) => {
      deed.version = body.version
      deed.value = body.model ?? ''
    },
  )
  const body = { used: true, page_size: 100 }
  await fresh(history, chain).do(
    { kind: 'list-codes' },
    at,
    (ask) => ask(at, '/api/admin/list_beta_codes', { session: administrator, body }),
    (deed, { body: answer }) => {
      deed.bound = answer.items.map((row: { code: string; used_by: string }) => [row.code, row.used_by])
    },
  )
}

/** A browser for one question has no bookmark, so it reads what is newest. */
function fresh(history: History, chain: string): Browser {
  return new Browser(history, chain)
}

async function readLife(quiet: Quiet, at: At, life: Life, chain: string): Promise<void> {
  await readAsAdministrator(quiet, at, life, chain)
  if (life.isOver) return
  const { history } = quiet
  const session = await signedIn(quiet, at, life, chain)
  if (session === undefined) return
  const { user } = life
  await fresh(history, chain).do(
    { kind: 'credits', user },
    at,
    (ask) => ask(at, '/api/get_credit_summary', { session, body: {} }),
    (deed, { body }) => {
      deed.balance = body.balance
    },
  )
  await fresh(history, chain).do(
    { kind: 'credit-entries', user },
    at,
    (ask) => ask(at, '/api/list_credit_entries', { session, body: {} }),
    (deed, { body }) => {
      deed.sources = body.items.map((item: { source_type: string }) => item.source_type)
      deed.total = body.total
    },
  )
  await readNotifications(quiet, at, user, session, chain)
}

/** Signs in through this process, with any password that may be right, and tries the session. */
async function signedIn({ history }: Quiet, at: At, life: Life, chain: string): Promise<string | undefined> {
  for (const password of life.passwords) {
    const name = life.newName('session')
    const reply = await fresh(history, chain).do(
      { kind: 'sign-in', user: life.user, password },
      at,
      (ask) => ask(at, '/api/auth/sign-in/email', { body: { email: life.email, password } }),
      (deed) => {
        deed.session = name
      },
    )
    if (reply?.status !== 200) continue
    const session: string = reply.body.token
    await trySession({ history }, at, life, { name, token: session }, chain)
    return session
  }
  return undefined
}

async function trySession(
  { history }: Pick<Quiet, 'history'>,
  at: At,
  { user }: Life,
  { name, token }: Session,
  chain: string,
): Promise<void> {
  await fresh(history, chain).do(
    { kind: 'use-session', user, session: name },
    at,
    (ask) => ask(at, '/api/auth/get-session', { session: token }),
    (deed, { body }) => {
      deed.alive = body !== null
      if (body) deed.name = body.user.name
    },
  )
}

async function readNotifications({ history }: Quiet, at: At, user: string, session: string, chain: string) {
  for (const read of [undefined, false]) {
    const body = { page_size: 100, ...(read !== undefined && { read }) }
    await fresh(history, chain).do(
      { kind: 'list-notifications', user, ...(read !== undefined && { read }) },
      at,
      (ask) => ask(at, '/api/list_notifications', { session, body }),
      (deed, { body: answer }) => {
        deed.items = answer.items.map(seenOf)
        deed.total = answer.total
      },
    )
  }
  await fresh(history, chain).do(
    { kind: 'count-unread', user },
    at,
    (ask) => ask(at, '/api/count_unread_notifications', { session, body: {} }),
    (deed, { body }) => {
      deed.count = body.count
    },
  )
}

async function readAsAdministrator({ history, administrator }: Quiet, at: At, life: Life, chain: string) {
  await fresh(history, chain).do(
    { kind: 'find-user', user: life.user },
    at,
    async (ask) => {
      const asked = { session: administrator, body: { id: life.id } }
      const answer = await ask(at, '/api/admin/get_user', asked)
      return answer.status === 404 ? { status: 200, body: null } : answer
    },
    (deed, { body }) => {
      deed.found = body !== null
    },
  )
  await fresh(history, chain).do(
    { kind: 'list-feedback', user: life.user, whole: false },
    at,
    (ask) => {
      const body = { user_id: life.id, page_size: 100 }
      return ask(at, '/api/admin/list_feedbacks', { session: administrator, body })
    },
    (deed, { body }) => {
      deed.contents = body.items.map(({ content }: { content: string }) => content)
      deed.total = body.total
    },
  )
}
