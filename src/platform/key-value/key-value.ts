import type { EventEmitter } from 'node:events'

interface Server {
  /** Host and port. */
  readonly at: string
  readonly failures: EventEmitter<{ failed: [Error] }>
}

/** Short-lived facts shared by all processes. */
export interface KeyValue {
  /** Undefined if it is a table of the global store. */
  readonly server?: Server
  /** True if the key was absent or expired and is now set. Atomic across processes. */
  setIfAbsent(key: string, value: string, lifetimeSeconds: number): Promise<boolean>
  get(key: string): Promise<{ readonly value: string; readonly expiresInSeconds: number } | undefined>
  delete(key: string): Promise<void>
  /** Adds and returns the new count; the lifetime starts at the first call. Atomic across processes. */
  increment(key: string, lifetimeSeconds: number, by?: number): Promise<number>
  ping(): Promise<void>
  close(): Promise<void>
}
