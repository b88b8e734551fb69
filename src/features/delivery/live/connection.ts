import type { OpenBody, OpenResponse } from '../../../http/answers/open-response.ts'
import type { Caller } from '../../../rules/caller.ts'
import type { EventType } from '../../../rules/event-types.ts'
import type { Event } from '../../ground/events/listing.ts'

const BEAT = ':\n\n'
/** A page that reads nothing for this long is disconnected; it reconnects and resumes. */
const MOST_WAITING_BYTES = 64 * 1024

const NAMES: ReadonlyMap<string, string> = new Map([
  ['feedback.created', 'feedback'],
  ['notification.published', 'notification'],
  ['notification.archived', 'notification_archived'],
])

const ENDS: ReadonlySet<string> = new Set(['user.suspended', 'user.deleted'])

/** Changes to the administrator's lists of users and to the log. */
export const OF_PEOPLE: ReadonlySet<EventType> = new Set<EventType>([
  'user.created',
  'user.updated',
  'user.verified',
  'user.suspended',
  'user.restored',
  'user.deleted',
  'session.created',
])

const OF_ONE_CREDENTIAL: ReadonlyMap<string, Caller['credential']['kind']> = new Map([
  ['session.ended', 'session'],
  ['grant.revoked', 'grant'],
])

/** One open page of a user, as server-sent events. */
export class LiveConnection implements OpenBody {
  readonly userId: string
  readonly isAdministrator: boolean
  readonly #credential: Caller['credential']
  /** A user who still has to redeem a beta code is only sent a sign-out. */
  #isGated = true
  #lastSent = 0
  /** New events, while missed ones are still being sent. */
  #held: Event[] | undefined = []
  /** Pending until the response is open. */
  #early = ''
  #response: OpenResponse | undefined
  #isClosed = false
  #closed: () => void = () => undefined

  constructor({ user, credential }: Caller) {
    this.userId = user.id
    this.isAdministrator = user.role === 'administrator' && credential.kind === 'session'
    this.#credential = credential
  }

  opened(response: OpenResponse): undefined {
    response.write(this.#early)
    this.#early = ''
    if (this.#isClosed) response.end()
    else this.#response = response
  }

  closed(): void {
    this.#isClosed = true
    this.#response = undefined
    this.#closed()
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  onClose(closed: () => void): void {
    this.#closed = closed
  }

  /** Undefined for a session. */
  get tokenHash(): string | undefined {
    return this.#credential.kind === 'grant' ? this.#credential.tokenHash : undefined
  }

  beat(): void {
    this.#send(BEAT)
  }

  /** An event without an id: the browser resumes after the last event that had one. */
  write(name: string, data: object, id?: number): void {
    const line = id === undefined ? '' : `id: ${id}\n`
    this.#send(`${line}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
  }

  retryAfter(milliseconds: number): void {
    this.#send(`retry: ${milliseconds}\n\n`)
  }

  /** Feedback and what happens to users is for the administrator; all else is for its user, or for everyone. */
  isFor(event: Event): boolean {
    if (event.type === 'feedback.created') return this.isAdministrator
    return this.#isOwn(event) || (this.isAdministrator && isOfPeople(event))
  }

  #isOwn({ user_id }: Event): boolean {
    return user_id === null || user_id === this.userId
  }

  /**
   * Closes the connection after a change that can block the user: the page reconnects, and is refused if it is blocked.
   */
  deliver(event: Event): void {
    if (canBlock(event) || this.#canEndToken(event)) this.close()
    else if (this.#held) this.#held.push(event)
    else this.sendOnce(event)
  }

  /**
   * A token without `offline_access` ends with its session, and every token has only the scopes that its application
   * has now.
   */
  #canEndToken({ type, data }: Event): boolean {
    if (this.#credential.kind === 'session') return false
    if (type === 'settings.saved') return data.part === 'scopes'
    return type === 'session.ended' && data.id === this.#credential.sessionId
  }

  /** The caller is read after the connection began to receive events. */
  applyGate({ isGated }: Caller): void {
    this.#isGated = isGated
  }

  /** Events are sent as they happen from here on. */
  goOn(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const event of held) this.sendOnce(event)
  }

  /** Sends each event once, though it can reach a resuming page in two ways. */
  sendOnce(event: Event): void {
    const { type, data, position } = event
    if (position <= this.#lastSent || canBlock(event)) return
    this.#lastSent = position
    const name = NAMES.get(type)
    if (type === 'beta_code.bound') this.#isGated = false
    else if (name !== undefined) this.#writeUnlessGated(name, type === 'feedback.created' ? {} : data, position)
    else if (this.#isEndedBy(event)) this.#signOut(position)
    else if (this.isAdministrator && isOfPeople(event)) this.#writeUnlessGated('people', {}, position)
  }

  #isEndedBy({ type, user_id, data }: Event): boolean {
    const own = OF_ONE_CREDENTIAL.get(type)
    if (own === undefined) return ENDS.has(type) && user_id === this.userId
    return own === this.#credential.kind && data.id === this.#credential.id
  }

  #writeUnlessGated(name: string, data: object, position: number): void {
    if (!this.#isGated) this.write(name, data, position)
  }

  #signOut(position: number): void {
    this.write('signed_out', {}, position)
    this.close()
  }

  close(): void {
    this.#response?.end()
    this.closed()
  }

  #send(text: string): void {
    if (this.#isClosed) return
    if (!this.#response) this.#early += text
    else this.#response.write(text)
    if ((this.#response?.waitingBytes ?? this.#early.length) < MOST_WAITING_BYTES) return
    this.#response?.cut()
    this.closed()
  }
}

const isOfPeople = ({ type }: Event): boolean => OF_PEOPLE.has(type)

/** A second factor was removed, or the settings that can require one or close the beta gate were saved. */
function canBlock({ type, data }: Event): boolean {
  return type === 'factor.removed' || (type === 'settings.saved' && data.part === 'authentication')
}
