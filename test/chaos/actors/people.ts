import * as access from '../acts/access.ts'
import type { Call, Shared } from '../acts/act.ts'
import * as content from '../acts/content.ts'
import * as grants from '../acts/grants.ts'
import type { Dice } from '../dice.ts'
import type { Gate } from '../gate.ts'
import type { History } from '../history.ts'
import { type Act, actsOf } from '../plan.ts'
import type { World } from '../worlds/world.ts'
import { Browser } from './browser.ts'
import { Life } from './life.ts'

const ACTS: Readonly<Record<Act, (call: Call) => Promise<void>>> = {
  'sign in': access.signInAgain,
  'sign in with an old password': access.signInWithOldPassword,
  'change the password': access.changePassword,
  'reset the password': access.resetPassword,
  'verify the address': access.verifyAddress,
  'verify where the sign-up was': access.verifyInOwnBrowser,
  'sign out': access.signOut,
  'sign out everywhere': access.signOutEverywhere,
  'use a session': access.useSession,
  'use an ended session': access.useEndedSession,
  'connect with a code': grants.connectWithCode,
  'connect a device': grants.connectDevice,
  refresh: grants.refresh,
  'use a grant': grants.useGrant,
  'use an ended grant': grants.useEndedGrant,
  'revoke a grant': grants.revokeGrant,
  rename: content.rename,
  'submit feedback': content.submitFeedback,
  'export the account': content.exportAccount,
  'read credits': content.readCredits,
  'bind a code': content.bindCode,
  'mark as read': content.markAsRead,
  'list notifications': content.listNotifications,
  'count unread': content.countUnread,
  erase: access.erase,
}

export interface Stage {
  readonly world: World
  readonly history: History
  readonly shared: Shared
  readonly seed: string
  readonly gate: Gate
  readonly isOver: () => boolean
}

/** One person with two browsers at once, who signs up again after each erasure. */
export class Person {
  readonly #name: string
  readonly #stage: Stage
  #life: Life | undefined
  #entering: Promise<Life | undefined> | undefined
  #lives = 0

  constructor(name: string, stage: Stage) {
    this.#name = name
    this.#stage = stage
  }

  async live(browserName: string): Promise<void> {
    const { world, history, shared, seed, gate, isOver } = this.#stage
    const lane = `${this.#name}${browserName}`
    let browser: Browser | undefined
    for (const { act, dice } of actsOf(seed, lane)) {
      await gate.pass()
      if (isOver()) return
      const life = await this.#currentLife(dice.named('sign up'))
      if (!life) continue
      const chain = `${lane}/${life.user}`
      if (browser?.chain !== chain) browser = new Browser(history, chain)
      const call = { world, history, browser, life, dice, shared }
      await (life.isLockedOut ? comeBack(call) : ACTS[act](call))
    }
  }

  #currentLife(dice: Dice): Promise<Life | undefined> {
    if (this.#life && !this.#life.isOver) return Promise.resolve(this.#life)
    this.#entering ??= this.#signUp(dice).finally(() => {
      this.#entering = undefined
    })
    return this.#entering
  }

  /** Undefined if there was no response; the next try uses another address. */
  async #signUp(dice: Dice): Promise<Life | undefined> {
    const { world, history, shared } = this.#stage
    const user = `${this.#name}.${++this.#lives}`
    const email = `${user}@example.com`
    const password = `${user} begins in the rain`
    const at = world.someProcess(dice)
    const body = { email, password, name: `${user}.name0` }
    const reply = await new Browser(history, `${user}/sign-up`).do(
      { kind: 'sign-up', user, password },
      at,
      (ask) => ask(at, '/api/auth/sign-up/email', { body }),
      (deed) => {
        deed.session = `${user}.session1`
      },
    )
    if (reply?.status !== 200) return undefined
    this.#life = new Life(user, email, reply, password)
    this.#life.began(reply.body.token)
    shared.lives.set(user, this.#life)
    shared.ids.set(user, this.#life.id)
    return this.#life
  }
}

/** A user who cannot sign in resets the password; if that fails too, the account is gone and a new one is made. */
async function comeBack(call: Call): Promise<void> {
  await access.resetPassword(call)
  if (call.life.isLockedOut) call.life.isOver = true
}
