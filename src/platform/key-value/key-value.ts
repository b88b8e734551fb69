import type { EventEmitter } from 'node:events'

interface Server {
  /** Host and port. */
  readonly at: string
  readonly failures: EventEmitter<{ failed: [Error] }>
}

export interface Entry {
  readonly value: string
  readonly expiresInSeconds: number
}

/** Sets a key that is absent or expired, or adds to its count, whose lifetime starts with the first use. */
export type Write = {
  readonly key: string
  readonly lifetimeSeconds: number
  /** Left out unless each of these counts is below its bound by then. */
  readonly while?: readonly Bound[]
} & ({ readonly add: number } | { readonly value: string })

export interface Bound {
  readonly key: string
  readonly below: number
}

export interface Together {
  readonly found: ReadonlyMap<string, Entry>
  /** One for each write; undefined if it was left out, or the key was set already. */
  readonly written: readonly (Entry | undefined)[]
}

/** Short-lived facts shared by all processes. Each write is atomic across them. */
export interface KeyValue {
  /** Undefined if it is a table of the global store. */
  readonly server?: Server
  /**
   * One round trip: reads the keys, then does the writes in this order. Callers that share two keys write them in the
   * same order, because a table locks each as it is written.
   */
  together(reads: readonly string[], writes: readonly Write[]): Promise<Together>
  /** True if the key was absent or expired and is now set. */
  setIfAbsent(key: string, value: string, lifetimeSeconds: number): Promise<boolean>
  get(key: string): Promise<Entry | undefined>
  delete(...keys: readonly string[]): Promise<void>
  /** Adds and returns the new count; the lifetime starts at the first call. */
  increment(key: string, lifetimeSeconds: number, by?: number): Promise<number>
  ping(): Promise<void>
  close(): Promise<void>
}

/** A single read or write is one round trip too. */
export function singles(together: KeyValue['together']): Pick<KeyValue, 'setIfAbsent' | 'get' | 'increment'> {
  return {
    async setIfAbsent(key, value, lifetimeSeconds) {
      const { written } = await together([], [{ key, value, lifetimeSeconds }])
      return written[0] !== undefined
    },

    async get(key) {
      return (await together([key], [])).found.get(key)
    },

    async increment(key, lifetimeSeconds, by = 1) {
      const { written } = await together([], [{ key, lifetimeSeconds, add: by }])
      return Number(written[0]?.value)
    },
  }
}
