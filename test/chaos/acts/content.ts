import { type Address, isUnknown, type Reply } from '../actors/browser.ts'
import type { Seen } from '../history.ts'
import { type Call, noteIfOver, someSession } from './act.ts'

const TRIES = 3

export async function rename(call: Call): Promise<void> {
  const { browser, world, life, dice } = call
  const session = await someSession(call)
  if (!session) return
  const at = world.someProcess(dice)
  const name = life.newName('name')
  const reply = await browser.do({ kind: 'rename', user: life.user, name }, at, (ask) =>
    ask(at, '/api/auth/update-user', { session: session.token, body: { name } }),
  )
  noteIfOver(call, session, reply?.status)
}

/** Has a key, so that it can be sent again to another process if there was no response. */
export async function submitFeedback(call: Call): Promise<void> {
  const { browser, world, life, dice } = call
  const session = await someSession(call)
  if (!session) return
  const content = life.newName('feedback')
  const body = { type: 'idea', content }
  const at = world.someProcess(dice)
  const others = Array.from({ length: TRIES - 1 }, () => world.someProcess(dice))
  const reply = await browser.do(
    { kind: 'feedback', user: life.user, content },
    at,
    (ask) =>
      untilAnswered([at, ...others], (to) =>
        ask(to, '/api/submit_feedback', { session: session.token, body, key: content }),
      ),
    (deed, { body: answer }) => {
      deed.id = answer.id
    },
  )
  noteIfOver(call, session, reply?.status)
}

/** After an attempt without a response, a refusal of the next does not mean that nothing was done. */
async function untilAnswered(places: readonly Address[], send: (to: Address) => Promise<Reply>): Promise<Reply> {
  const [first, ...others] = places
  if (!first) return LOST
  const reply = await send(first).catch(() => undefined)
  if (reply && !isUnknown(reply)) return reply
  if (others.length === 0) return reply ?? LOST
  const next = await untilAnswered(others, send)
  return next.status === 200 || isUnknown(next) ? next : LOST
}

const LOST: Reply = { status: 503, body: {} }

export async function exportAccount(call: Call): Promise<void> {
  const { browser, world, life, dice } = call
  const session = await someSession(call)
  if (!session) return
  const at = world.someProcess(dice)
  const reply = await browser.do(
    { kind: 'list-feedback', user: life.user, whole: true },
    at,
    (ask) => ask(at, '/api/export_account', { session: session.token, body: {} }),
    (deed, { body }) => {
      deed.contents = body.feedbacks.map(({ content }: { content: string }) => content)
    },
  )
  noteIfOver(call, session, reply?.status)
}

export async function readCredits(call: Call): Promise<void> {
  const { browser, world, life, dice } = call
  const session = await someSession(call)
  if (!session) return
  const at = world.someProcess(dice)
  const sent = { session: session.token, body: {} }
  const reply = await (dice.chance(0.6)
    ? browser.do(
        { kind: 'credits', user: life.user },
        at,
        (ask) => ask(at, '/api/get_credit_summary', sent),
        (deed, { body }) => {
          deed.balance = body.balance
        },
      )
    : browser.do(
        { kind: 'credit-entries', user: life.user },
        at,
        (ask) => ask(at, '/api/list_credit_entries', sent),
        (deed, { body }) => {
          deed.sources = body.items.map((item: { source_type: string }) => item.source_type)
          deed.total = body.total
        },
      ))
  noteIfOver(call, session, reply?.status)
}

export async function bindCode(call: Call): Promise<void> {
  const { browser, world, life, dice, shared } = call
  const session = await someSession(call)
  const code = dice.oneOf(shared.codes.slice(-3))
  if (!session || code === undefined) return
  const at = world.someProcess(dice)
  const reply = await browser.do({ kind: 'bind', user: life.user, code }, at, (ask) =>
    ask(at, '/api/bind_beta_code', { session: session.token, body: { beta_code: code } }),
  )
  noteIfOver(call, session, reply?.status)
}

export async function markAsRead(call: Call): Promise<void> {
  const { browser, world, life, dice, shared } = call
  const session = await someSession(call)
  const [id, notification] = dice.oneOf([...shared.notifications]) ?? []
  if (!session || id === undefined || notification === undefined) return
  const at = world.someProcess(dice)
  const reply = await browser.do({ kind: 'mark', user: life.user, notification }, at, (ask) =>
    ask(at, '/api/read_notification', { session: session.token, body: { id } }),
  )
  noteIfOver(call, session, reply?.status)
}

export async function listNotifications(call: Call): Promise<void> {
  const { browser, world, life, dice } = call
  const session = await someSession(call)
  if (!session) return
  const at = world.someProcess(dice)
  const read = dice.chance(0.4) ? dice.chance(0.5) : undefined
  const body = { page_size: 100, ...(read !== undefined && { read }) }
  const reply = await browser.do(
    { kind: 'list-notifications', user: life.user, ...(read !== undefined && { read }) },
    at,
    (ask) => ask(at, '/api/list_notifications', { session: session.token, body }),
    (deed, { body: answer }) => {
      deed.items = answer.items.map(seenOf)
      deed.total = answer.total
    },
  )
  noteIfOver(call, session, reply?.status)
}

export function seenOf({ title, read }: { readonly title: string; readonly read: boolean }): Seen {
  const [, notification = title, version = '0'] = /^(\S+) v(\d+)$/.exec(title) ?? []
  return { notification, version: Number(version), read }
}

export async function countUnread(call: Call): Promise<void> {
  const { browser, world, life, dice } = call
  const session = await someSession(call)
  if (!session) return
  const at = world.someProcess(dice)
  const reply = await browser.do(
    { kind: 'count-unread', user: life.user },
    at,
    (ask) => ask(at, '/api/count_unread_notifications', { session: session.token, body: {} }),
    (deed, { body }) => {
      deed.count = body.count
    },
  )
  noteIfOver(call, session, reply?.status)
}
