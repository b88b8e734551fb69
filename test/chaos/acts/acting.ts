import { isUnknown } from '../actors/browser.ts'
import type { AdministratorsCall } from './administrator.ts'

/** The sessions in which one of the administrator's browsers acts as users. */
export interface Acted {
  begun: number
  going: readonly Acting[]
  ended: readonly Acting[]
}

interface Acting {
  readonly name: string
  readonly user: string
  readonly token: string
  /** The session from which it began. */
  readonly own: string
}

const MOST_GOING = 4
const REMEMBERED = 6

/** Each begins in a session of its own, which is fresh and can end alone. */
export async function actAsUser(call: AdministratorsCall): Promise<void> {
  const { browser, world, dice, shared, acted } = call
  const life = dice.oneOf([...shared.lives.values()].filter(({ isOver }) => !isOver))
  if (!life || acted.going.length >= MOST_GOING) return
  const at = world.someProcess(dice)
  const signedIn = await browser
    .ask(at, '/api/auth/sign-in/email', { body: world.administrator })
    .catch(() => undefined)
  if (signedIn?.status !== 200) return
  const own: string = signedIn.body.token
  const name = `${browser.chain}.acting${++acted.begun}`
  const reply = await browser.do({ kind: 'act-as', user: life.user, acting: name }, at, (ask) =>
    ask(at, '/api/auth/admin/impersonate-user', { session: own, body: { userId: life.id } }),
  )
  if (reply?.status !== 200 || reply.session === undefined) return
  acted.going = [...acted.going, { name, user: life.user, token: reply.session, own }]
}

/** Acts like a thief too, who goes on with what has ended. */
export async function useActing(call: AdministratorsCall): Promise<void> {
  const { browser, world, dice, acted } = call
  const acting = dice.oneOf([...acted.going, ...acted.ended])
  if (!acting) return
  const at = world.someProcess(dice)
  const reply = await browser.do(
    { kind: 'use-acting', user: acting.user, acting: acting.name },
    at,
    (ask) => ask(at, '/api/auth/get-session', { session: acting.token }),
    (deed, { body }) => {
      deed.alive = body !== null
    },
  )
  if (reply?.body === null) ended(acted, acting)
}

export async function stopActing(call: AdministratorsCall): Promise<void> {
  const { browser, world, dice, acted } = call
  const acting = dice.oneOf(acted.going)
  if (!acting) return
  const at = world.someProcess(dice)
  const { name, user, token, own } = acting
  const reply = await browser.do({ kind: 'end-acting', user, acting: name }, at, (ask) =>
    dice.chance(0.5)
      ? ask(at, '/api/auth/sign-out', { session: own, body: {} })
      : ask(at, '/api/auth/admin/stop-impersonating', {
          ...{ session: token, cookies: `admin_session=${own}` },
          body: {},
        }),
  )
  if (reply?.status === 200 || isUnknown(reply)) ended(acted, acting)
}

function ended(acted: Acted, acting: Acting): void {
  acted.going = acted.going.filter((each) => each !== acting)
  acted.ended = [...acted.ended.filter((each) => each !== acting), acting].slice(-REMEMBERED)
}
