/** The limit for one check. The queue runs one fewer at a time than there are cores. */
export const MOST_MEMORY_BYTES = 128 * 1024 * 1024
/** Memory times passes: about two seconds of one core. */
export const MOST_WORK_BYTES = 1024 * 1024 * 1024

/** A password as another service stored it. */
export interface ForeignHash {
  verify(password: string, unseal: Unseal): Promise<boolean>
  /** The value that `verify` unseals. */
  readonly sealed?: string
}

/** Undefined if it has another form, or if a check would take too much memory or time. */
export type ReadForeign = (stored: string) => ForeignHash | undefined

/** Opens what was sealed when it was imported. Undefined if that was under another key. */
export type Unseal = (sealed: string) => string | undefined
