import type { Config } from '../config/config.ts'
import type { RecentlyUsed } from '../database/recently-used.ts'
import type { Meta, Shard } from '../database/store.ts'
import type { Background } from './background.ts'
import type { Breaches } from './breaches/breaches.ts'
import type { ExpiringMap } from './caches/expiring-map.ts'
import type { VersionedCache } from './caches/versioned-cache.ts'
import type { Challenge } from './challenge/challenge.ts'
import type { Questions } from './endpoints/questions.ts'
import type { KeyValue } from './key-value/key-value.ts'
import type { Log } from './log/log.ts'
import type { Refusals } from './log/refusals.ts'
import type { RepeatedFailure } from './log/repeated-failure.ts'
import type { Mail } from './mail/mail.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { Names } from './names/names.ts'
import type { Passwords } from './passwords/passwords.ts'
import type { SecretBox } from './secrets/secret-box.ts'
import type { Signer } from './secrets/signer.ts'
import type { Signals } from './signals/signals.ts'
import type { Traces } from './traces/traces.ts'

/** The outside world, as small ports. `open.ts` puts them together; for tests, `test/service/service.ts` does. */
export interface Platform {
  readonly config: Config
  readonly meta: Meta
  /** Every configured shard by id; their states are rows of the global store. */
  readonly shards: ReadonlyMap<string, Shard>
  readonly keyValue: KeyValue
  readonly mail: Mail
  readonly names: Names
  readonly challenge: Challenge
  readonly questions: Questions
  readonly secretBox: SecretBox
  readonly signer: Signer
  readonly passwords: Passwords
  readonly breaches: Breaches
  readonly versioned: VersionedCache
  readonly memory: ExpiringMap
  /** The digests of tokens that were last used in an organisation. */
  readonly actingInOrganizations: RecentlyUsed<'yes'>
  readonly background: Background
  readonly signals: Signals
  readonly log: Log
  readonly metrics: Metrics
  readonly refusals: Refusals
  /** What `/readyz` last said, so that a failing one is logged. */
  readonly readiness: RepeatedFailure
  readonly traces: Traces
  /** Aborts when this process gets the signal to stop. */
  readonly ending: AbortSignal
  /** Epoch milliseconds. */
  now(): number
  close(): Promise<void>
}
