import type { Caller } from '../../rules/caller.ts'
import type { Event } from '../events/listing.ts'

const encoder = new TextEncoder()
const BEAT = encoder.encode(':\n\n')
/** A page that reads nothing for this long is disconnected; it reconnects and resumes. */
const MOST_WAITING_BYTES = 64 * 1024

const NAMES: ReadonlyMap<string, string> = new Map([
  ['feedback.created', 'feedback'],
  ['notification.published', 'notification'],
  ['notification.archived', 'notification_archived'],
])

/** One open page of a user, as server-sent events. */
export class LiveConnection {
  readonly userId: string
  readonly #isAdministrator: boolean
  readonly stream: ReadableStream<Uint8Array>
  readonly #sessionId: string
  /** A user who has still to redeem a beta code hears of a sign-out only. */
  #isGated: boolean
  #told = 0
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #closed: () => void = () => undefined

  constructor({ user, credential, isGated }: Caller) {
    this.userId = user.id
    this.#isAdministrator = user.role === 'administrator'
    this.#sessionId = credential.id
    this.#isGated = isGated
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        cancel: () => this.#end(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MOST_WAITING_BYTES }),
    )
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
    this.#send(encoder.encode(`${line}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`))
  }

  retryAfter(milliseconds: number): void {
    this.#send(encoder.encode(`retry: ${milliseconds}\n\n`))
  }

  /** What users write is for the administrator; all else is for its own user, or for everyone. */
  isMeantBy({ type, user_id }: Event): boolean {
    if (type === 'feedback.created') return this.#isAdministrator
    return user_id === null || user_id === this.userId
  }

  /** Sends each event once, though it can reach a resuming page in two ways. */
  tell({ type, data, position }: Event): void {
    if (position <= this.#told) return
    this.#told = position
    const name = NAMES.get(type)
    if (type === 'beta_code.bound') this.#isGated = false
    else if (name !== undefined)
      this.#writeUnlessGated(name, type === 'feedback.created' ? {} : data, position)
    else if (type !== 'session.ended' || data.id === this.#sessionId) this.#signOut(position)
  }

  #writeUnlessGated(name: string, data: object, position: number): void {
    if (!this.#isGated) this.write(name, data, position)
  }

  #signOut(position: number): void {
    this.write('signed_out', {}, position)
    this.close()
  }

  close(): void {
    this.#controller?.close()
    this.#end()
  }

  #send(bytes: Uint8Array): void {
    if (!this.#controller) return
    this.#controller.enqueue(bytes)
    if ((this.#controller.desiredSize ?? 0) <= 0) this.close()
  }

  #end(): void {
    this.#controller = undefined
    this.#closed()
  }
}
