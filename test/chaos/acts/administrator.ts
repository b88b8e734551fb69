import { type Browser, isUnknown, type Sent } from '../actors/browser.ts'
import type { Dice } from '../dice.ts'
import type { History } from '../history.ts'
import type { World } from '../worlds/world.ts'
import type { Shared } from './act.ts'
import type { Acted } from './acting.ts'
import { seenOf } from './content.ts'

/** One act of the administrator, in one of several browsers. */
export interface AdministratorsCall {
  readonly world: World
  readonly history: History
  readonly browser: Browser
  readonly dice: Dice
  readonly shared: Shared
  /** The browser that alone publishes and edits. */
  readonly isEditor: boolean
  readonly token: string
  readonly drafts: Drafts
  readonly acted: Acted
}

/** Things this browser has published and saved. */
interface Drafts {
  made: number
  readonly versions: Map<string, number>
  settingsVersion: number
}

const MOST_NOTIFICATIONS = 80

function asked(call: AdministratorsCall, body: object, further: Partial<Sent> = {}): Sent {
  return { session: call.token, body, ...further }
}

export async function publish(call: AdministratorsCall): Promise<void> {
  const { browser, world, dice, shared, drafts, isEditor } = call
  if (!isEditor || drafts.made >= MOST_NOTIFICATIONS) return
  const notification = `n${++drafts.made}`
  const at = world.someProcess(dice)
  const body = { title: `${notification} v0`, content: 'Read this.' }
  const reply = await browser.do({ kind: 'publish', notification }, at, (ask) =>
    ask(at, '/api/admin/create_notification', asked(call, body, { key: notification })),
  )
  if (reply?.status !== 200) return
  shared.notifications.set(reply.body.id, notification)
  drafts.versions.set(reply.body.id, 0)
}

export async function edit(call: AdministratorsCall): Promise<void> {
  const { browser, world, dice, shared, drafts } = call
  const [id, version] = dice.oneOf([...drafts.versions]) ?? []
  if (id === undefined || version === undefined) return
  const notification = shared.notifications.get(id) ?? ''
  const next = version + 1
  drafts.versions.set(id, next)
  const at = world.someProcess(dice)
  await browser.do({ kind: 'edit', notification, version: next }, at, (ask) =>
    ask(at, '/api/admin/update_notification', asked(call, { id, title: `${notification} v${next}` })),
  )
}

export async function archive(call: AdministratorsCall): Promise<void> {
  const { browser, world, dice, shared, drafts } = call
  const [id] = dice.oneOf([...drafts.versions]) ?? []
  if (id === undefined) return
  const notification = shared.notifications.get(id) ?? ''
  const at = world.someProcess(dice)
  drafts.versions.delete(id)
  await browser.do({ kind: 'archive', notification }, at, (ask) =>
    ask(at, '/api/admin/archive_notification', asked(call, { id })),
  )
}

/** Based on the version that this browser saw last, so that two browsers conflict now and then. */
export async function saveSettings(call: AdministratorsCall): Promise<void> {
  const { browser, world, dice, drafts } = call
  const at = world.someProcess(dice)
  const expected = drafts.settingsVersion
  const value = `${browser.chain}-${++drafts.made}`
  const reply = await browser.do(
    { kind: 'save', value, expected },
    at,
    (ask) => ask(at, '/api/admin/update_ai_config', asked(call, { expected_version: expected, model: value })),
    (deed, { body }) => {
      deed.version = body.version
      drafts.settingsVersion = body.version
    },
  )
  if (reply?.status !== 200) await readSettings(call)
}

export async function readSettings(call: AdministratorsCall): Promise<void> {
  const { browser, world, dice, drafts } = call
  const at = world.someProcess(dice)
  await browser.do(
    { kind: 'read-settings' },
    at,
    (ask) => ask(at, '/api/admin/get_ai_config', asked(call, {})),
    (deed, { body }) => {
      deed.version = body.version
      deed.value = body.model ?? ''
      drafts.settingsVersion = body.version
    },
  )
}

export async function makeCodes(call: AdministratorsCall): Promise<void> {
  const { browser, world, dice, shared } = call
  const at = world.someProcess(dice)
  const reply = await browser
    .ask(at, '/api/admin/generate_beta_codes', asked(call, { count: 2 }))
    .catch(() => undefined)
  if (reply?.status === 200) shared.codes.push(...reply.body.codes)
}

export async function listCodes(call: AdministratorsCall): Promise<void> {
  const { browser, world, dice } = call
  const at = world.someProcess(dice)
  await browser.do(
    { kind: 'list-codes' },
    at,
    (ask) => ask(at, '/api/admin/list_beta_codes', asked(call, { used: true, page_size: 100 })),
    (deed, { body }) => {
      deed.bound = body.items.map((row: { code: string; used_by: string }) => [row.code, row.used_by])
    },
  )
}

export async function listFeedback(call: AdministratorsCall): Promise<void> {
  const { browser, world, dice, shared } = call
  const life = dice.oneOf([...shared.lives.values()])
  if (!life) return
  const at = world.someProcess(dice)
  await browser.do(
    { kind: 'list-feedback', user: life.user, whole: false },
    at,
    (ask) => ask(at, '/api/admin/list_feedbacks', asked(call, { user_id: life.id, page_size: 100 })),
    (deed, { body }) => {
      deed.contents = body.items.map(({ content }: { content: string }) => content)
      deed.total = body.total
    },
  )
}

/** The whole list of few entries, which grows while it is read. */
export async function listAuditEntries(call: AdministratorsCall): Promise<void> {
  const { browser, world, dice, shared } = call
  const life = dice.oneOf([...shared.lives.values()])
  if (!life) return
  const at = world.someProcess(dice)
  await browser.do(
    { kind: 'list-audit', user: life.user },
    at,
    (ask) => ask(at, '/api/admin/list_audit_entries', asked(call, { user_id: life.id, page_size: 100 })),
    (deed, { body }) => {
      deed.rows = body.items.length
      deed.total = body.total
    },
  )
}

export async function listPublished(call: AdministratorsCall): Promise<void> {
  const { browser, world, dice } = call
  const at = world.someProcess(dice)
  await browser.do(
    { kind: 'list-notifications', user: 'administrator' },
    at,
    (ask) => ask(at, '/api/admin/list_notifications', asked(call, { archived: false, page_size: 100 })),
    (deed, { body }) => {
      deed.items = body.items.map((item: { title: string }) => seenOf({ ...item, read: false }))
      deed.total = body.total
    },
  )
}

export async function signUserOut(call: AdministratorsCall): Promise<void> {
  const { browser, world, dice, shared } = call
  const life = dice.oneOf([...shared.lives.values()].filter(({ isOver }) => !isOver))
  if (!life) return
  const at = world.someProcess(dice)
  const reply = await browser.do({ kind: 'end-sessions', user: life.user, tools: true }, at, (ask) =>
    ask(at, '/api/admin/revoke_user_sessions', asked(call, { id: life.id })),
  )
  if (reply?.status === 200 || isUnknown(reply)) life.endedEverything()
}

export async function revokeUsersGrant(call: AdministratorsCall): Promise<void> {
  const { browser, world, dice, shared } = call
  const life = dice.oneOf([...shared.lives.values()].filter(({ grants }) => grants.length > 0))
  const grant = dice.oneOf(life?.grants.filter(({ id }) => id !== '') ?? [])
  if (!life || !grant) return
  const at = world.someProcess(dice)
  const reply = await browser.do({ kind: 'end-grant', user: life.user, grant: grant.name }, at, (ask) =>
    ask(at, '/api/admin/revoke_user_grant', asked(call, { user_id: life.id, id: grant.id })),
  )
  if (reply?.status === 200 || isUnknown(reply)) life.endedGrant(grant)
}

export async function deleteUser(call: AdministratorsCall): Promise<void> {
  const { browser, world, dice, shared } = call
  const life = dice.oneOf([...shared.lives.values()].filter(({ isOver }) => !isOver))
  if (!life) return
  const at = world.someProcess(dice)
  const reply = await browser.do({ kind: 'erase', user: life.user }, at, (ask) =>
    ask(at, '/api/admin/delete_user', asked(call, { id: life.id })),
  )
  if (reply?.status !== 200 && !isUnknown(reply)) return
  life.isOver = true
  life.endedEverything()
}

export async function findUser(call: AdministratorsCall): Promise<void> {
  const { browser, world, dice, shared } = call
  const life = dice.oneOf([...shared.lives.values()])
  if (!life) return
  const at = world.someProcess(dice)
  await browser.do(
    { kind: 'find-user', user: life.user },
    at,
    async (ask) => {
      const answer = await ask(at, '/api/admin/get_user', asked(call, { id: life.id }))
      return answer.status === 404 ? { status: 200, body: null } : answer
    },
    (deed, { body }) => {
      deed.found = body !== null
    },
  )
}
