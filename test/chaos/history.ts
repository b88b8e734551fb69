/** The requests to the service, and its responses. Names are the workload's own, ids are the service's. */
export type Deed =
  | { kind: 'sign-up'; user: string; password: string; session?: string }
  | { kind: 'sign-in'; user: string; password: string; session?: string }
  /** `ended` is the session that this one replaces. */
  | {
      kind: 'set-password'
      user: string
      to: string
      by: 'change' | 'change everywhere' | 'reset'
      code?: string
      ended?: string
      session?: string
    }
  /** `by` a session, or `OWN_BROWSER`. */
  | { kind: 'verify'; user: string; by: string; code: string }
  | { kind: 'end-session'; user: string; session: string }
  | { kind: 'end-sessions'; user: string; kept?: string; tools: boolean }
  | { kind: 'use-session'; user: string; session: string; alive?: boolean; name?: string }
  | { kind: 'connect'; user: string; grant: string; id?: string }
  | { kind: 'refresh'; user: string; grant: string }
  | { kind: 'end-grant'; user: string; grant: string }
  | { kind: 'use-grant'; user: string; grant: string; issued: number; alive?: boolean }
  | { kind: 'rename'; user: string; name: string }
  | { kind: 'feedback'; user: string; content: string; id?: string }
  | { kind: 'list-feedback'; user: string; contents?: readonly string[]; total?: number; whole: boolean }
  | { kind: 'credits'; user: string; balance?: number }
  | { kind: 'credit-entries'; user: string; sources?: readonly string[]; total?: number }
  | { kind: 'bind'; user: string; code: string }
  | { kind: 'list-codes'; bound?: readonly (readonly [code: string, userId: string])[] }
  | { kind: 'publish'; notification: string; id?: string }
  | { kind: 'edit'; notification: string; version: number }
  | { kind: 'archive'; notification: string }
  | { kind: 'mark'; user: string; notification: string }
  | { kind: 'list-notifications'; user: string; items?: readonly Seen[]; total?: number; read?: boolean }
  | { kind: 'count-unread'; user: string; count?: number }
  | { kind: 'save'; value: string; expected: number; version?: number }
  | { kind: 'read-settings'; value?: string; version?: number }
  /** The audit log, as far as it concerns the user. */
  | { kind: 'list-audit'; user: string; rows?: number; total?: number }
  /** The administrator, in a session opened for it. */
  | { kind: 'act-as'; user: string; acting: string }
  | { kind: 'use-acting'; user: string; acting: string; alive?: boolean }
  /** By a stop, or by the end of the administrator's session. */
  | { kind: 'end-acting'; user: string; acting: string }
  | { kind: 'erase'; user: string }
  | { kind: 'find-user'; user: string; found?: boolean }
  /** A promotion without the last writes: what was acknowledged meanwhile may be gone. */
  | { kind: 'lossy' }
  | { kind: 'fault'; fault: string; words: string }

/** A notification in somebody's list: `<name> v<version>` is its title. */
export interface Seen {
  readonly notification: string
  readonly version: number
  readonly read: boolean
}

/** `unknown` if the act may have happened or not, or may happen yet. */
export type Outcome = 'done' | 'refused' | 'unknown'

export interface Entry {
  readonly n: number
  /** Ticks of one clock: what ended before something else began was before it. */
  readonly begun: number
  readonly ended: number
  /** The holder of one bookmark, carried from response to response; `#` begins the number of a quiet round. */
  readonly chain: string
  /** The process that was asked. */
  readonly at: string
  readonly outcome: Outcome
  readonly status: string
  readonly deed: Deed
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** The browser of the sign-up, which is the owner's whether or not it has a session: its proofs end nothing. */
export const OWN_BROWSER = 'the browser of the sign-up'

/** All entries in the order in which they began. */
export class History {
  readonly entries: Writable<Entry>[] = []
  #tick = 0

  get now(): number {
    return this.#tick
  }

  begin(deed: Deed, chain: string, at: string): Writable<Entry> {
    const entry: Writable<Entry> = {
      n: this.entries.length,
      begun: ++this.#tick,
      ended: Number.POSITIVE_INFINITY,
      chain,
      at,
      outcome: 'unknown',
      status: '',
      deed,
    }
    this.entries.push(entry)
    return entry
  }

  /** An unknown act never ends: it may still take effect. */
  end(entry: Writable<Entry>, outcome: Outcome, status: string): void {
    entry.outcome = outcome
    entry.status = status
    if (outcome !== 'unknown') entry.ended = ++this.#tick
  }

  tick(): number {
    return ++this.#tick
  }
}

/** The names of all that an act is about. */
export function aboutOf(deed: Deed): readonly string[] {
  const named = ['user', 'session', 'ended', 'kept', 'grant', 'notification', 'code', 'by', 'acting'] as const
  const values = named.map((name) => (name in deed ? Reflect.get(deed, name) : undefined))
  return values.filter((value): value is string => typeof value === 'string')
}
