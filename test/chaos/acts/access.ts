import { RELEASES } from '../../fixtures/lived-in.ts'
import { type Address, isUnknown, type Sent } from '../actors/browser.ts'
import type { Session } from '../actors/life.ts'
import { OWN_BROWSER } from '../history.ts'
import { type Call, noteIfOver, signIn, someSession } from './act.ts'

const MOST_SESSIONS = 6

export async function signInAgain(call: Call): Promise<void> {
  if (call.life.sessions.length < MOST_SESSIONS) await signIn(call)
}

export async function signInWithOldPassword(call: Call): Promise<void> {
  const password = call.dice.oneOf(call.life.oldPasswords)
  if (password !== undefined) await signIn(call, password)
}

export async function changePassword(call: Call): Promise<void> {
  const { browser, world, life, dice } = call
  const by = dice.chance(0.6) ? 'change everywhere' : 'change'
  const session = await someSession(call)
  const current = dice.oneOf(life.passwords) ?? ''
  if (!session) return
  const at = world.someProcess(dice)
  const to = life.newPassword()
  const name = life.newName('session')
  const body = { currentPassword: current, newPassword: to, revokeOtherSessions: by === 'change everywhere' }
  const reply = await browser.do(
    { kind: 'set-password', user: life.user, to, by, ended: session.name },
    at,
    (ask) => ask(at, '/api/auth/change-password', { session: session.token, body }),
    (deed) => {
      deed.session = name
    },
  )
  if (reply && reply.status !== 200 && !isUnknown(reply)) return noteIfOver(call, session, reply.status)
  if (by === 'change everywhere') life.endedEverything()
  else life.endedAll([session])
  if (reply?.status !== 200) return life.maybeReplacedPassword(to)
  life.replacedPassword(to)
  life.sessions = [...life.sessions, { name, token: reply.body.token }]
}

export async function resetPassword(call: Call): Promise<void> {
  const { browser, world, life, dice } = call
  const from = world.mail.count(life.email)
  const at = world.someProcess(dice)
  const asked = await browser
    .ask(at, '/api/auth/email-otp/request-password-reset', { body: { email: life.email } })
    .catch(() => undefined)
  const otp = asked?.status === 200 ? await world.mail.codeFor(life.email, from) : undefined
  if (otp === undefined) return
  // Now and then a second browser enters the same code at the same time: one of them at most is right.
  const tries = dice.chance(0.3) ? 2 : 1
  await Promise.all(Array.from({ length: tries }, () => enterCode(call, otp)))
}

async function enterCode({ browser, world, life, dice }: Call, otp: string): Promise<void> {
  const to = life.newPassword()
  const at = world.someProcess(dice)
  const body = { email: life.email, otp, password: to }
  const code = `${life.user}.code${otp}`
  const reply = await browser.do({ kind: 'set-password', user: life.user, to, by: 'reset', code }, at, (ask) =>
    ask(at, '/api/auth/email-otp/reset-password', { body }),
  )
  if (reply?.status === 200) life.replacedPassword(to)
  else if (isUnknown(reply)) life.maybeReplacedPassword(to)
  else return
  life.endedEverything()
}

export async function verifyAddress(call: Call): Promise<void> {
  const session = await someSession(call)
  if (session) await verify(call, session.name, call.world.someProcess(call.dice), { session: session.token })
}

/**
 * Verifies in the browser of the sign-up, signed out, whatever the password is by now. Skips a process of an older
 * release.
 */
export async function verifyInOwnBrowser(call: Call): Promise<void> {
  const at = call.world.someProcess(call.dice)
  if (RELEASES.some((release) => release === at.name)) return
  await verify(call, OWN_BROWSER, at, { cookies: call.life.cookies })
}

async function verify({ browser, world, life }: Call, by: string, at: Address, as: Sent): Promise<void> {
  const { user, email } = life
  const from = world.mail.count(email)
  const asked = await browser
    .ask(at, '/api/auth/email-otp/send-verification-otp', {
      ...as,
      body: { email, type: 'email-verification' },
    })
    .catch(() => undefined)
  const otp = asked?.status === 200 ? await world.mail.codeFor(email, from) : undefined
  if (otp === undefined) return
  await browser.do({ kind: 'verify', user, by, code: `${user}.code${otp}` }, at, (ask) =>
    ask(at, '/api/auth/email-otp/verify-email', { ...as, body: { email, otp } }),
  )
}

export async function signOut({ browser, world, life, dice }: Call): Promise<void> {
  const session = dice.oneOf(life.sessions)
  if (!session) return
  const at = world.someProcess(dice)
  const reply = await browser.do({ kind: 'end-session', user: life.user, session: session.name }, at, (ask) =>
    ask(at, '/api/auth/sign-out', { session: session.token, body: {} }),
  )
  if (reply?.status === 200 || isUnknown(reply)) life.endedAll([session])
}

export async function signOutEverywhere(call: Call): Promise<void> {
  const { life, dice } = call
  const session = dice.oneOf(life.sessions)
  if (!session) return
  const tools = dice.chance(0.5)
  const others = dice.chance(0.5)
  const reply = await (others ? endOthers(call, session, tools) : endAll(call, session))
  noteIfOver(call, session, reply?.status)
  if (reply?.status !== 200 && !isUnknown(reply)) return
  if (tools || !others) life.endedEverything(others ? session : undefined)
  else life.endedAll(life.sessions.filter((each) => each !== session))
}

function endOthers({ browser, world, life, dice }: Call, { name, token }: Session, tools: boolean) {
  const at = world.someProcess(dice)
  return browser.do({ kind: 'end-sessions', user: life.user, tools, kept: name }, at, (ask) =>
    ask(at, '/api/auth/revoke-other-sessions', { session: token, body: { tools } }),
  )
}

function endAll({ browser, world, life, dice }: Call, { token }: Session) {
  const at = world.someProcess(dice)
  return browser.do({ kind: 'end-sessions', user: life.user, tools: true }, at, (ask) =>
    ask(at, '/api/auth/revoke-sessions', { session: token, body: {} }),
  )
}

export async function useSession(call: Call): Promise<void> {
  const session = await someSession(call)
  if (session) await present(call, session)
}

/** Acts like a thief who copied it: at any process, in any way. */
export async function useEndedSession(call: Call): Promise<void> {
  const session = call.dice.oneOf(call.life.endedSessions)
  if (session) await present(call, session)
}

async function present(call: Call, session: Session) {
  const { browser, world, life, dice } = call
  const at = world.someProcess(dice)
  const reads = dice.chance(0.6)
  const reply = await browser.do(
    { kind: 'use-session', user: life.user, session: session.name },
    at,
    async (ask) => {
      if (reads) return ask(at, '/api/auth/get-session', { session: session.token })
      const answer = await ask(at, '/api/get_credit_summary', { session: session.token, body: {} })
      return answer.status === 401 ? { status: 200, body: null } : answer
    },
    (deed, { body }) => {
      deed.alive = body !== null
      if (body?.user) deed.name = body.user.name
    },
  )
  if (reply?.body === null) noteIfOver(call, session, 401)
}

/** The life ends whatever the response is, because the outcome is uncertain. */
export async function erase(call: Call): Promise<void> {
  const { browser, world, life, dice } = call
  const session = await someSession(call)
  const password = dice.oneOf(life.passwords)
  if (!session) return
  const at = world.someProcess(dice)
  const reply = await browser.do({ kind: 'erase', user: life.user }, at, (ask) =>
    ask(at, '/api/auth/delete-user', { session: session.token, body: { password } }),
  )
  if (reply?.status !== 200 && !isUnknown(reply)) return
  life.endedEverything()
  life.isOver = true
}
