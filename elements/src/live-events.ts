import { Failed } from './failed.ts'
import type { Requests } from './requests.ts'

export interface LiveEvent {
  /** Undefined for what only keeps the stream open. */
  readonly name: string | undefined
  readonly data: string
}

/** The server's events, each stream from where the last one ended. */
export class LiveEvents {
  readonly #requests: Requests
  #lastId: string | undefined

  constructor(requests: Requests) {
    this.#requests = requests
  }

  async *stream(signal: AbortSignal, account: Record<string, string>): AsyncGenerator<LiveEvent> {
    const since = this.#lastId === undefined ? {} : { 'last-event-id': this.#lastId }
    const headers = { accept: 'text/event-stream', ...since, ...account }
    const response = await this.#requests.send('/api/live', { headers, signal })
    if (!response.ok || !response.body) throw new Failed(response.status, 'LIVE')
    const reader = response.body.getReader()
    const decoder = new TextDecoder()
    let text = ''
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      text += decoder.decode(value, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) yield this.#read(block)
    }
  }

  #read(block: string): LiveEvent {
    const fields = new Map(block.split('\n').map((line) => [line.split(':')[0], line.replace(/^[^:]*: ?/, '')]))
    this.#lastId = fields.get('id') ?? this.#lastId
    return { name: fields.get('event'), data: fields.get('data') ?? '' }
  }
}
