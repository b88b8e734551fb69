import type { Reply } from './browser.ts'

export interface Session {
  readonly name: string
  readonly token: string
}

export interface Grant {
  readonly name: string
  readonly id: string
  /** The browser that refreshes it: two at once would each have another newest token. */
  readonly owner: string
  access: string
  refresh: string
  /** The tick at which the access token was handed out. */
  issued: number
}

/** A user's own view of the account, from sign-up to erasure; both browsers share it. */
export class Life {
  readonly user: string
  readonly email: string
  readonly id: string
  /** The cookies of the browser that signed up, without its session. */
  readonly cookies: string
  /** The password is one of these; more than one after an answer that never came. */
  passwords: readonly string[]
  readonly oldPasswords: string[] = []
  sessions: readonly Session[] = []
  readonly endedSessions: Session[] = []
  grants: readonly Grant[] = []
  readonly endedGrants: Grant[] = []
  isOver = false
  /** No password is right any more: it was lost with a server, or replaced by an act without a response. */
  isLockedOut = false
  #made = 0

  constructor(user: string, email: string, { body, cookies }: Reply, password: string) {
    this.user = user
    this.email = email
    this.id = body.user.id
    this.cookies = cookies ?? ''
    this.passwords = [password]
  }

  newName(kind: string): string {
    return `${this.user}.${kind}${++this.#made}`
  }

  newPassword(): string {
    return `the ${this.newName('walk')} in the rain`
  }

  began(token: string): Session {
    const session = { name: this.newName('session'), token }
    this.sessions = [...this.sessions, session]
    return session
  }

  endedAll(sessions: readonly Session[]): void {
    this.sessions = this.sessions.filter((session) => !sessions.includes(session))
    this.endedSessions.push(...sessions)
    this.endedSessions.splice(0, this.endedSessions.length - REMEMBERED)
  }

  endedGrant(grant: Grant): void {
    this.grants = this.grants.filter((each) => each !== grant)
    this.endedGrants.push(grant)
    this.endedGrants.splice(0, this.endedGrants.length - REMEMBERED)
  }

  endedEverything(but?: Session): void {
    this.endedAll(this.sessions.filter((session) => session !== but))
    for (const grant of this.grants) this.endedGrant(grant)
  }

  maybeReplacedPassword(by: string): void {
    this.passwords = [...this.passwords, by]
  }

  replacedPassword(by: string): void {
    this.oldPasswords.push(...this.passwords.filter((password) => password !== by))
    this.oldPasswords.splice(0, this.oldPasswords.length - REMEMBERED)
    this.passwords = [by]
    this.isLockedOut = false
  }
}

const REMEMBERED = 12
