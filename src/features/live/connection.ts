import type { OpenBody, OpenResponse } from '../../http/answers/open-response.ts'
import type { Caller } from '../../rules/caller.ts'
import type { Event } from '../events/listing.ts'

const BEAT = ':\n\n'
/** A page that reads nothing for this long is disconnected; it reconnects and resumes. */
const MOST_WAITING_BYTES = 64 * 1024

const NAMES: ReadonlyMap<string, string> = new Map([
  ['feedback.created', 'feedback'],
  ['notification.published', 'notification'],
  ['notification.archived', 'notification_archived'],
])

const ENDS: ReadonlySet<string> = new Set(['session.ended', 'user.suspended', 'user.deleted'])

/** One open page of a user, as server-sent events. */
export class LiveConnection implements OpenBody {
  readonly userId: string
  readonly #isAdministrator: boolean
  readonly #sessionId: string
  /** A user who still has to redeem a beta code is only sent a sign-out. */
  #isGated = true
  #lastSent = 0
  /** New events, while missed ones are still being sent. */
  #held: Event[] | undefined = []
  /** Until the response is open. */
  #early = ''
  #response: OpenResponse | undefined
  #isClosed = false
  #closed: () => void = () => undefined

  constructor({ user, credential }: Caller) {
    this.userId = user.id
    this.#isAdministrator = user.role === 'administrator'
    this.#sessionId = credential.id
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

  beat(): void {
    this.#send(BEAT)
  }

  /** Without an id the browser resumes after the last event that had one. */
  write(name: string, data: object, id?: number): void {
    const line = id === undefined ? '' : `id: ${id}\n`
    this.#send(`${line}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
  }

  retryAfter(milliseconds: number): void {
    this.#send(`retry: ${milliseconds}\n\n`)
  }

  /** Feedback is for the administrator; all other events are for their user, or for everyone. */
  isFor({ type, user_id }: Event): boolean {
    if (type === 'feedback.created') return this.#isAdministrator
    return user_id === null || user_id === this.userId
  }

  /**
   * After a change that can block the user the connection is closed: the page reconnects, and is refused if
   * the user is blocked.
   */
  deliver(event: Event): void {
    if (canBlock(event)) this.close()
    else if (this.#held) this.#held.push(event)
    else this.sendOnce(event)
  }

  /** With a caller who was read after the connection began to receive events. */
  applyGate({ isGated }: Caller): void {
    this.#isGated = isGated
  }

  /** From now on, events are sent as they happen. */
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
    else if (name !== undefined)
      this.#writeUnlessGated(name, type === 'feedback.created' ? {} : data, position)
    else if (ENDS.has(type) && (type !== 'session.ended' || data.id === this.#sessionId))
      this.#signOut(position)
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

/** A second factor was removed, or the settings that can require one or close the beta gate were saved. */
function canBlock({ type, data }: Event): boolean {
  return type === 'factor.removed' || (type === 'settings.saved' && data.part === 'authentication')
}
