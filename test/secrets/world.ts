import type { Person } from '../service/people.ts'
import type { KnownSecrets } from './known-secrets.ts'
import type { Recorder } from './recorder.ts'

/** Everything a walk through all routes needs, of a service in this process or of one that runs by itself. */
export interface World {
  readonly recorder: Recorder
  readonly secrets: KnownSecrets
  /** Signed in. */
  readonly administrator: Person
  /** The address of this installation. */
  readonly origin: string
  readonly now: () => number
  /** Reads the newest letter to this address that has one. */
  readonly codeFor: (address: string) => Promise<string>
  readonly linkFor: (address: string) => Promise<string>
  /** The token of the link that takes an account back. */
  readonly ownersTokenFor: (address: string) => Promise<string>
  /** The path with its token. */
  readonly unsubscriptionFor: (address: string) => Promise<string>
  /** Fails if one of the secrets is in the stores now, or in one table of them. */
  readonly look: (when: string, table?: string) => Promise<void>
}
