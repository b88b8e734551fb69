import { RepeatedFailure } from '../../../platform/log/repeated-failure.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { EventType } from '../../../rules/event-types.ts'
import { noteTold } from '../../access/approvals/statements.ts'
import { validTokens } from '../../access/grants/statements.ts'
import { awaitEventsAfter, type Event, eventsAfter, LATEST } from '../../ground/events/listing.ts'
import { type LiveConnection, OF_ITS_ORGANIZATION, OF_MEMBERSHIP, OF_PEOPLE, STAFFING } from './connection.ts'

/** The events that a user's own pages receive. */
export const LIVE_TYPES: readonly EventType[] = [
  'notification.published',
  'notification.archived',
  'beta_code.bound',
  'feedback.created',
  'session.ended',
  'grant.revoked',
  'user.suspended',
  'user.deleted',
  'factor.removed',
  'settings.saved',
  'session.updated',
  'user.data_updated',
  ...STAFFING,
  ...OF_MEMBERSHIP,
  ...OF_ITS_ORGANIZATION,
]

export const FOLLOWED: readonly EventType[] = [...new Set([...LIVE_TYPES, ...OF_PEOPLE])]

const EVENTS_AT_ONCE = 500
const TOKENS_AT_ONCE = 500
const WAIT_SECONDS = 25
const HEARTBEAT_MILLISECONDS = 25_000
const RETRY_MILLISECONDS = 1_000

/** The open pages of this process. While there are any, events are read once for all of them. */
export class LiveHub {
  readonly #platform: Platform
  readonly #failure: RepeatedFailure
  readonly #checking: RepeatedFailure
  readonly #connections = new Map<string, Set<LiveConnection>>()
  readonly #ofAdministration = new Set<LiveConnection>()
  #heartbeat: NodeJS.Timeout | undefined
  #start: Promise<string> | undefined
  #following: Promise<void> | undefined

  constructor(platform: Platform) {
    this.#platform = platform
    this.#failure = new RepeatedFailure(platform.log, {
      failed: 'open pages receive no events at the moment',
      ended: 'open pages receive events again',
    })
    this.#checking = new RepeatedFailure(platform.log, {
      failed: 'the tokens of open pages are not checked at the moment',
      ended: 'the tokens of open pages are checked again',
    })
    platform.ending.addEventListener('abort', () => this.#each((connection) => connection.close()))
  }

  countOf(userId: string): number {
    return this.#connections.get(userId)?.size ?? 0
  }

  /** After this returns, the connection misses no later event. */
  async add(connection: LiveConnection): Promise<void> {
    const own = this.#connections.get(connection.userId) ?? new Set()
    this.#connections.set(connection.userId, own.add(connection))
    if (connection.isOfAdministration) this.#ofAdministration.add(connection)
    connection.onClose(() => this.#remove(connection))
    this.#heartbeat ??= setInterval(() => {
      this.#each((open) => open.beat())
      void this.#closeEnded()
    }, HEARTBEAT_MILLISECONDS).unref()
    this.#start ??= this.#latest()
    const after = await this.#start
    this.#following ??= this.#follow(after)
  }

  /** The page connects again with its next token. */
  async #closeEnded(): Promise<void> {
    const { meta, now } = this.#platform
    const byToken = [...this.#connections.values()].flatMap((own) =>
      [...own].flatMap((open) => (open.tokenHash === undefined ? [] : [[open.tokenHash, open] as const])),
    )
    try {
      for (let at = 0; at < byToken.length; at += TOKENS_AT_ONCE) {
        const some = byToken.slice(at, at + TOKENS_AT_ONCE)
        const hashes = some.map(([hash]) => hash)
        const living = new Set(await validTokens(meta, hashes, now()))
        for (const [hash, open] of some) if (!living.has(hash)) open.close()
      }
      this.#checking.ended()
    } catch (error) {
      this.#checking.failed(error, 'warn')
    }
  }

  async #latest(): Promise<string> {
    try {
      const { next } = await eventsAfter(this.#platform, { after: LATEST, limit: EVENTS_AT_ONCE })
      return next
    } catch (error) {
      this.#start = undefined
      throw error
    }
  }

  #remove(connection: LiveConnection): void {
    const own = this.#connections.get(connection.userId)
    own?.delete(connection)
    this.#ofAdministration.delete(connection)
    if (own?.size === 0) this.#connections.delete(connection.userId)
    if (this.#connections.size > 0) return
    clearInterval(this.#heartbeat)
    this.#heartbeat = undefined
  }

  async #follow(start: string): Promise<void> {
    const { ending } = this.#platform
    let after = start
    while (this.#connections.size > 0 && !ending.aborted) {
      try {
        after = await this.#followFrom(after)
        this.#failure.ended()
      } catch (error) {
        this.#failure.failed(error, 'warn')
        await new Promise((resolve) => setTimeout(resolve, RETRY_MILLISECONDS).unref())
      }
    }
    this.#start = undefined
    this.#following = undefined
  }

  async #followFrom(after: string): Promise<string> {
    const query = { after, types: FOLLOWED, limit: EVENTS_AT_ONCE }
    const { items, next } = await awaitEventsAfter(this.#platform, query, WAIT_SECONDS)
    for (const event of items) this.#deliver(event)
    return next
  }

  /** An event of one user is for the user and the administration, so nobody else's pages are searched. */
  #deliver(event: Event): void {
    const ofUser = event.user_id === null ? this.#connections.values() : this.#ofOne(event.user_id)
    const receivers = new Set([...[...ofUser].flatMap((own) => [...own]), ...this.#ofAdministration])
    for (const connection of receivers) if (connection.isFor(event)) connection.deliver(event)
    if (event.type === 'notification.published' && event.data.type === 'approval') void this.#noteTold(event)
  }

  /** A page in the user's own session shows the call. A program that follows notifications tells nobody. */
  async #noteTold({ user_id, data }: Event): Promise<void> {
    const own = user_id === null ? undefined : this.#connections.get(user_id)
    const isTold = [...(own ?? [])].some((open) => open.tokenHash === undefined && !open.isOfActing)
    if (!isTold) return
    try {
      await noteTold(this.#platform.meta, String(data.id))
    } catch (error) {
      this.#failure.failed(error, 'warn')
    }
  }

  #ofOne(userId: string): readonly ReadonlySet<LiveConnection>[] {
    const own = this.#connections.get(userId)
    return own ? [own] : []
  }

  #each(act: (connection: LiveConnection) => void): void {
    for (const own of [...this.#connections.values()]) for (const connection of [...own]) act(connection)
  }
}
