import type { QueryResult } from 'pg'
import type { ReplicaReport } from '../store.ts'
import { Links } from './connection-pool.ts'
import { translated } from './errors.ts'
import { covers, type Position } from './lsn.ts'
import type { Link } from './pg-connection.ts'
import type { Statement } from './statements.ts'
import type { Standing } from './wal-position.ts'

export interface ReplicaOptions {
  readonly name: string
  readonly url: string
  readonly connections: number
  readonly now: () => number
  /** Whether a connection leads to the primary's own cluster. */
  readonly isKin: (link: Link) => boolean
}

const CHECK_MILLISECONDS = 5
const ASK_AGAIN_MILLISECONDS = 20
const ANSWER_MILLISECONDS = 1_000
const LISTEN_MILLISECONDS = 250
const LAG_MILLISECONDS = 500
const PROBE_MILLISECONDS = 250

/**
 * One read replica. It serves what it is known to have replayed; one that is silent or stays behind
 * is left alone until a probe, which no request waits for, finds it well.
 */
export class Replica {
  readonly name: string
  readonly #links: Links
  readonly #now: () => number
  readonly #isKin: (link: Link) => boolean
  #state: ReplicaReport['state'] = 'untried'
  #reached: Position | undefined
  /** What it was found short of, and since when. */
  #behind: { readonly position: Position; readonly since: number } | undefined
  /** One for all that need it meanwhile. */
  #checking: Promise<Looked> | undefined
  /** Connections with reads under way. */
  readonly #read = new Set<Link>()
  #listening: NodeJS.Timeout | undefined
  #shortAt = Number.NEGATIVE_INFINITY
  #probedAt = Number.NEGATIVE_INFINITY

  constructor({ name, url, connections, now, isKin }: ReplicaOptions) {
    this.name = name
    this.#links = new Links({ url, role: 'replica', connections, now })
    this.#now = now
    this.#isKin = isKin
  }

  get state(): ReplicaReport['state'] {
    return this.#state
  }

  /** As last told; undefined before the first word. */
  get reached(): Position | undefined {
    return this.#reached
  }

  /** A connection that is known to have replayed the position. Never waits. */
  ready(asked: Position, durable: Position): Link | undefined {
    const link = this.#serving(durable)
    return link && covers(link.standing.reached, asked) ? link : undefined
  }

  /**
   * Asks again, for a few milliseconds at most; undefined where that is no use now. `durable` is what the
   * primary is known to have on disk: only falling short of that is the replica's fault, a bookmark may be forged.
   */
  check(asked: Position, durable: Position): Promise<Link | undefined> | undefined {
    const link = this.#serving(durable)
    if (!link || this.#now() - this.#shortAt < ASK_AGAIN_MILLISECONDS) return undefined
    this.#checking ??= this.#look(link).finally(() => {
      this.#checking = undefined
    })
    return this.#checking.then((looked) => {
      if (covers(looked.reached, asked)) return looked.link
      this.#shortAt = this.#now()
      if (covers(durable, asked)) this.#fellShort(asked)
      return undefined
    })
  }

  async #look(link: Link): Promise<Looked> {
    const standing = await within(CHECK_MILLISECONDS, answered(this.ask(link)))
    return { link, reached: standing?.reached }
  }

  async ask(link: Link): Promise<Standing> {
    const standing = await link.ask()
    this.#reached = standing.reached
    if (this.#behind && covers(this.#reached, this.#behind.position)) this.#behind = undefined
    return standing
  }

  /** A silent replica is given up while it is read: the statement fails, and the caller turns to the primary. */
  read(link: Link, statement: Statement): Promise<QueryResult> {
    this.#read.add(link)
    this.#listening ??= setInterval(() => this.#listen(), LISTEN_MILLISECONDS).unref()
    return link.run(statement)
  }

  close(): Promise<void> {
    return this.#links.close()
  }

  #serving(durable: Position): Link | undefined {
    const link = this.#state === 'serving' ? this.#links.idlest() : undefined
    if (link) return link
    if (this.#state === 'serving') this.#state = 'unreachable'
    if (this.#now() - this.#probedAt >= PROBE_MILLISECONDS) void this.#probe(durable)
    return undefined
  }

  #fellShort(asked: Position): void {
    this.#behind ??= { position: asked, since: this.#now() }
    if (this.#now() - this.#behind.since >= LAG_MILLISECONDS) this.#leaveAlone('lagging')
  }

  /** One timer for all reads rather than one for each. */
  #listen(): void {
    for (const link of this.#read) {
      if (link.silentMilliseconds >= ANSWER_MILLISECONDS) this.#giveUp()
      if (link.depth === 0) this.#read.delete(link)
    }
    if (this.#read.size > 0) return
    clearInterval(this.#listening)
    this.#listening = undefined
  }

  #giveUp(): void {
    this.#leaveAlone('unreachable')
    this.#links.drop()
  }

  #leaveAlone(state: 'lagging' | 'unreachable'): void {
    this.#state = state
    this.#probedAt = this.#now()
  }

  async #probe(durable: Position): Promise<void> {
    // No second one while this one is under way.
    this.#probedAt = Number.POSITIVE_INFINITY
    this.#state = (await within(ANSWER_MILLISECONDS, answered(this.#examine(durable)))) ?? 'unreachable'
    this.#probedAt = this.#now()
    if (this.#state === 'serving') this.#behind = undefined
  }

  async #examine(durable: Position): Promise<ReplicaReport['state']> {
    const link = await this.#links.take()
    const { reached } = await this.ask(link)
    if (!this.#isKin(link)) return 'foreign'
    return covers(reached, durable) ? 'serving' : 'lagging'
  }
}

interface Looked {
  readonly link: Link
  readonly reached: Position | undefined
}

/** For a replica no answer is an answer: the primary has it too. */
export function answered<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch(() => undefined)
}

/** Undefined where it takes longer. */
async function within<T>(milliseconds: number, work: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => late.resolve(undefined), milliseconds)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Asks a replica by itself, as `doctor` does; throws what is wrong with it. */
export async function pingReplica(store: string, url: string): Promise<void> {
  const links = new Links({ url, role: 'replica', connections: 1, now: () => performance.now() })
  try {
    const link = await links.take()
    const { reached } = await link.ask()
    if (!reached) throw new Error('it replays nothing: it is no replica, or one that was promoted')
  } catch (error) {
    throw translated(store, error)
  } finally {
    await links.close()
  }
}
