/** A form in which another service stored its passwords. */
export interface ForeignHash {
  /** Checks its form and its cost: what would take too much memory or time is refused. */
  isOne(stored: string): boolean
  verify(password: string, stored: string, unseal: Unseal): Promise<boolean>
  /** What `verify` unseals. */
  sealedIn?(stored: string): string
}

/** Opens what was sealed when it was imported. Undefined if that was under another key. */
export type Unseal = (sealed: string) => string | undefined
