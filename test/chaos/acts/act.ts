import type { Browser } from '../actors/browser.ts'
import type { Life, Session } from '../actors/life.ts'
import type { Dice } from '../dice.ts'
import type { History } from '../history.ts'
import type { World } from '../worlds/world.ts'

/** One act of a user, in one of the user's browsers. */
export interface Call {
  readonly world: World
  readonly history: History
  readonly browser: Browser
  readonly life: Life
  readonly dice: Dice
  readonly shared: Shared
}

/** Facts that all users and administrators know. */
export interface Shared {
  /** Notifications that were published, by id. */
  readonly notifications: Map<string, string>
  readonly codes: string[]
  readonly lives: Map<string, Life>
  /** The ids of everybody who ever signed up. */
  readonly ids: Map<string, string>
}

/** A session to act with; signs in if there is none. */
export async function someSession(call: Call): Promise<Session | undefined> {
  return call.dice.oneOf(call.life.sessions) ?? signIn(call)
}

export async function signIn(call: Call, password = call.dice.oneOf(call.life.passwords) ?? '') {
  const { browser, world, life, dice } = call
  const at = world.someProcess(dice)
  const name = life.newName('session')
  const reply = await browser.do(
    { kind: 'sign-in', user: life.user, password },
    at,
    (ask) => ask(at, '/api/auth/sign-in/email', { body: { email: life.email, password } }),
    (deed) => {
      deed.session = name
    },
  )
  if (reply?.status === 401) noteWrong(life, password)
  if (reply?.status !== 200) return undefined
  const session = { name, token: reply.body.token }
  if (life.passwords.includes(password)) life.sessions = [...life.sessions, session]
  else life.endedSessions.push(session)
  return session
}

function noteWrong(life: Life, password: string): void {
  if (!life.passwords.includes(password)) return
  if (life.passwords.length > 1) life.passwords = life.passwords.filter((each) => each !== password)
  else life.isLockedOut = true
}

/** A session that got a 401 is over, for whatever reason; the checker decides whether that is allowed. */
export function noteIfOver({ life }: Call, session: Session, status: number | undefined): void {
  if (status === 401) life.endedAll([session])
}
