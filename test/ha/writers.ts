import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import type { Balancer } from '../processes/balancer.ts'
import type { Person } from '../service/people.ts'

/** Acknowledged writes, by the store that has them. */
interface Acknowledged {
  readonly shard: ReadonlySet<string>
  readonly meta: ReadonlySet<string>
}

export interface Period {
  readonly acknowledged: number
  /** The longest time in which one of the writers got no acknowledgement, per store. */
  readonly secondsWithout: { readonly meta: number; readonly shard: number }
  /** The number of each other response. */
  readonly refused: Readonly<Record<string, number>>
}

const PATIENCE_MILLISECONDS = 20_000

/**
 * Writes without a pause until it is stopped, and keeps what was acknowledged: feedback in the shard, notifications
 * in the global store.
 */
export class Writers {
  readonly #acknowledged = { meta: new Set<string>(), shard: new Set<string>() }
  readonly #ticks = new EventEmitter()
  readonly #all: readonly Promise<void>[]
  readonly #times: { meta: number[][]; shard: number[][] } = { meta: [], shard: [] }
  #refused: Record<string, number> = {}
  #isOn = true

  constructor(administrator: Person, people: readonly Person[]) {
    this.#all = [
      ...people.map((person) =>
        this.#write('shard', () => person.post('/api/submit_feedback', { type: 'load', content: randomUUID() })),
      ),
      ...people.map((person) =>
        this.#write('meta', () =>
          administrator.post('/api/admin/create_notification', {
            title: 'Load',
            content: randomUUID(),
            target_user_id: person.id,
          }),
        ),
      ),
    ]
  }

  get acknowledged(): Acknowledged {
    return this.#acknowledged
  }

  async #write(store: 'meta' | 'shard', send: () => Promise<{ status: number; body: { id: string; code?: string } }>) {
    const times = [performance.now()]
    this.#times[store].push(times)
    while (this.#isOn) {
      // A connection of the proxy that breaks.
      const answer = await send().catch((error: unknown) => ({
        status: 0,
        body: { id: '', code: String(error) },
      }))
      if (answer.status === 200) {
        this.#acknowledged[store].add(answer.body.id)
        times.push(performance.now())
        this.#ticks.emit(store)
        this.#ticks.emit('any')
      } else {
        const name = `${answer.status} ${answer.body.code ?? ''}`
        this.#refused[name] = (this.#refused[name] ?? 0) + 1
      }
    }
  }

  begin(): void {
    for (const times of this.#allTimes()) times.splice(0, times.length, performance.now())
    this.#refused = {}
  }

  /** Resolves when both stores have acknowledged that many more writes. */
  async more(count: number): Promise<void> {
    await Promise.all(
      (['meta', 'shard'] as const).map(async (store) => {
        for (let i = 0; i < count; i++) await once(this.#ticks, store)
      }),
    )
  }

  /** Resolves with the first acknowledgement after so long: the length of a fault that stops only some of the writers. */
  async during(milliseconds: number): Promise<void> {
    const end = performance.now() + milliseconds
    while (performance.now() < end) await once(this.#ticks, 'any')
  }

  /** Resolves when neither store has acknowledged anything for so long. */
  async quiet(milliseconds: number): Promise<void> {
    let isQuiet = false
    while (!isQuiet)
      isQuiet = await once(this.#ticks, 'any', { signal: AbortSignal.timeout(milliseconds) }).then(
        () => false,
        () => true,
      )
  }

  period(): Period {
    const { meta, shard } = this.#times
    return {
      acknowledged: this.#allTimes().reduce((sum, times) => sum + times.length - 1, 0),
      secondsWithout: { meta: Math.max(...meta.map(longest)), shard: Math.max(...shard.map(longest)) },
      refused: { ...this.#refused },
    }
  }

  #allTimes(): readonly number[][] {
    return [...this.#times.meta, ...this.#times.shard]
  }

  async stop(): Promise<void> {
    this.#isOn = false
    await Promise.all(this.#all)
  }
}

/** Sends requests that give up after a while. */
export function impatient(url: string): Pick<Balancer, 'request'> {
  return {
    request: (path, init) =>
      fetch(url + path, {
        redirect: 'manual',
        signal: AbortSignal.timeout(PATIENCE_MILLISECONDS),
        ...init,
      }),
  }
}

function longest(times: readonly number[]): number {
  const gaps = times.map((time, i) => time - (times[i - 1] ?? time))
  return Math.round(Math.max(...gaps) / 100) / 10
}
