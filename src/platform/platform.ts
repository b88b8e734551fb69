import type { Config } from '../config.ts'
import type { Background } from './background.ts'
import type { Challenge } from './challenge.ts'
import type { KeyValue } from './key-value.ts'
import type { Log } from './log.ts'
import type { Mail } from './mail.ts'
import type { Memory } from './memory.ts'
import type { Metrics } from './metrics.ts'
import type { Passwords } from './passwords.ts'
import type { Recent } from './recent.ts'
import type { SecretBox } from './secret-box.ts'
import type { Signer } from './signer.ts'
import type { Meta, Shard } from './store.ts'
import type { Versioned } from './versioned.ts'

/** The outside world, as small ports. Put together in `open.ts`, in tests in `test/service.ts`. */
export interface Platform {
  readonly config: Config
  readonly meta: Meta
  /** Every configured shard by id; their states are rows of the global store. */
  readonly shards: ReadonlyMap<string, Shard>
  readonly keyValue: KeyValue
  readonly mail: Mail
  readonly challenge: Challenge
  readonly secretBox: SecretBox
  readonly signer: Signer
  readonly passwords: Passwords
  readonly versioned: Versioned
  readonly recent: Recent
  readonly memory: Memory
  readonly background: Background
  readonly log: Log
  readonly metrics: Metrics
  /** Aborted when this process was told to stop. */
  readonly ending: AbortSignal
  /** Epoch milliseconds. */
  now(): number
  close(): Promise<void>
}
