import type { Connection } from './connection.ts'
import { make } from './element.ts'
import type { Texts } from './texts.ts'

/** A notification about a call that waits. */
export interface Asking {
  readonly id: string
  readonly title: string
  readonly content: string
  readonly data: { readonly expires_at?: unknown }
}

interface Waiting {
  readonly id: string
  readonly input: unknown
}

interface Decided {
  readonly status: string
  readonly result?: { readonly status: number }
}

/** The calls that wait, and what became of those decided here. A page may only ask if its origin is trusted. */
export class Approvals {
  #waiting: ReadonlyMap<string, Waiting> | undefined
  readonly #outcomes = new Map<string, keyof Texts['outcomes']>()

  /** Undefined inputs leave the decision to the page that the notification leads to. */
  async load(connection: Connection): Promise<void> {
    this.#waiting = undefined
    if (connection.isByToken) return
    try {
      const { items } = await connection.call<{ items: Waiting[] }>('/api/list_approvals', { page_size: 50 })
      this.#waiting = new Map(items.map((item) => [item.id, item]))
    } catch {
      // This origin is not trusted with it: the link leads to the page that is.
    }
  }

  inputOf(id: string): unknown {
    return this.#waiting?.get(id)?.input
  }

  /** True while somebody can decide. */
  isOpen({ id, data }: Asking): boolean {
    if (this.#outcomes.has(id) || Number(data.expires_at) <= Date.now()) return false
    return this.#waiting?.has(id) ?? true
  }

  outcomeOf(id: string): keyof Texts['outcomes'] {
    return this.#outcomes.get(id) ?? 'over'
  }

  async decide(connection: Connection, id: string, approve: boolean): Promise<void> {
    const { status, result } = await connection.call<Decided>('/api/decide_approval', { id, approve })
    this.#outcomes.set(id, status === 'denied' ? 'denied' : (result?.status ?? 0) < 400 ? 'approved' : 'refused')
  }
}

/** What the call sends, each text as it would be read. */
export function sentWith(input: unknown): readonly Node[] {
  const fields = typeof input === 'object' && input !== null ? Object.entries(input) : []
  if (fields.length === 0) return []
  const shown = fields.map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return make('p', { dir: 'auto' }, make('span', { class: 'soft' }, `${name}: `), text)
  })
  return [make('div', { class: 'sent' }, ...shown)]
}

export function timeLeft(until: unknown): string {
  const seconds = Math.max(0, Math.ceil((Number(until) - Date.now()) / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
