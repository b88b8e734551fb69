import { AsyncLocalStorage } from 'node:async_hooks'
import { networkOf, THIS_MACHINE } from '../../rules/networks.ts'
import { MINUTE_MILLISECONDS } from '../../rules/time.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Log } from './log.ts'
import { RepeatedFailure } from './repeated-failure.ts'

interface Refused {
  readonly code: string
  readonly address: string
  readonly path?: string
  /** Of a refused origin: the operator may have forgotten that it is one of theirs. */
  readonly origin?: string | undefined
}

/** What this process refuses, and whether it says that it can serve. */
export function openRefusals(log: Log, metrics: Metrics) {
  const readiness = { failed: 'this process is not ready', ended: 'this process is ready again' }
  return { refusals: new Refusals(log, metrics), readiness: new RepeatedFailure(log, readiness) }
}

type Line = Pick<Refused, 'code' | 'origin'> & { readonly network: string; count: number }

/** Strangers choose their networks, so further ones share a line for each code. */
const LINES_AT_MOST = 1_000
const OTHERS = 'others'

/**
 * Counts refused requests by code. Each is a line at `debug`; at `info` each code and network has one line a minute,
 * because an operator wants to see who tries, and how often.
 */
export class Refusals {
  readonly #log: Log
  readonly #metrics: Metrics
  readonly #lines = new Map<string, Line>()
  /** In no request: its lines are about all of them. */
  readonly #end = AsyncLocalStorage.bind(() => this.flush())
  #minute: NodeJS.Timeout | undefined

  constructor(log: Log, metrics: Metrics) {
    this.#log = log
    this.#metrics = metrics
    metrics.counter('refusals', 'code', ['INTERNAL_ERROR', 'STORE_UNAVAILABLE'])
  }

  note({ code, address, path, origin }: Refused): void {
    this.#metrics.count('refusals', code)
    const named = origin !== undefined && { origin }
    this.#log.debug({ code, address, path, ...named }, 'refused')
    const line = this.#lineOf(code, networkOf(address) ?? THIS_MACHINE)
    line.count++
    this.#lines.set(`${code} ${line.network}`, { ...line, ...named })
    this.#minute ??= setTimeout(this.#end, MINUTE_MILLISECONDS).unref()
  }

  /** Writes the lines of this minute, also at the end of the process. */
  flush(): void {
    clearTimeout(this.#minute)
    this.#minute = undefined
    for (const line of this.#lines.values()) this.#log.info({ ...line }, 'refused')
    this.#lines.clear()
  }

  #lineOf(code: string, network: string): Line {
    const known = this.#lines.get(`${code} ${network}`)
    if (known) return known
    const isFull = this.#lines.size >= LINES_AT_MOST && network !== OTHERS
    return isFull ? this.#lineOf(code, OTHERS) : { code, network, count: 0 }
  }
}
