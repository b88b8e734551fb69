import type { Config } from '../config/config.ts'
import { RecentlyUsed } from '../database/recently-used.ts'
import { closeStores, type Stores } from '../database/stores.ts'
import { version } from '../rules/version.ts'
import { BackgroundRunner } from './background.ts'
import { openBreaches } from './breaches/breaches.ts'
import { ExpiringMap } from './caches/expiring-map.ts'
import { VersionedCache } from './caches/versioned-cache.ts'
import { turnstileChallenge } from './challenge/challenge.ts'
import { Questions } from './endpoints/questions.ts'
import type { KeyValue } from './key-value/key-value.ts'
import { tableKeyValue } from './key-value/table.ts'
import { type Log, openLog } from './log/log.ts'
import { openRefusals } from './log/refusals.ts'
import { openMail } from './mail/open.ts'
import { type Metrics, openMetrics } from './metrics/metrics.ts'
import { openNames } from './names/names.ts'
import { unsealing } from './passwords/foreign/foreign.ts'
import { type Passwords, pbkdf2Passwords } from './passwords/passwords.ts'
import type { Platform } from './platform.ts'
import { aesSecretBox } from './secrets/secret-box.ts'
import type { Secrets } from './secrets/secrets.ts'
import { hmacSigner } from './secrets/signer.ts'
import { openSignals } from './signals/open.ts'
import { tracedKeyValue, tracedMail, tracedPasswords } from './traces/traced.ts'
import { currentSpan, inSpan, NO_TRACES, type Traces } from './traces/traces.ts'

/** About 100 bytes each. */
const TOKENS_REMEMBERED = 50_000

export interface OpenedPlatform extends Platform {
  readonly background: BackgroundRunner
  /** The process opens no new connections after this. */
  end(): void
}

/** The real outside world. The stores are already open and prepared. */
export async function openPlatform(
  config: Config,
  stores: Stores,
  secrets: Secrets,
  passwordIterations: number,
): Promise<OpenedPlatform> {
  const log = await openLog(config)
  const traces = await openTraces(config, log)
  const keyValue = tracedKeyValue(await openKeyValue(config, stores, Date.now), traces)
  const signals = await openSignals(config, stores.meta, log)
  const ending = new AbortController()
  const { names, questions } = openNetwork(config, log)
  const secretBox = aesSecretBox(secrets.configEncryptionKey)
  const passwords = pbkdf2Passwords({ iterations: passwordIterations, unseal: unsealing(secretBox, log) })
  const metrics = openProcessMetrics(passwords)
  const background = new BackgroundRunner(log, metrics, traces)
  return {
    config,
    ...stores,
    keyValue,
    mail: tracedMail(openMail(config, names, Date.now, ending.signal), traces),
    names,
    challenge: turnstileChallenge(config, log),
    questions,
    secretBox,
    signer: hmacSigner(secrets.authSecret),
    passwords: tracedPasswords(passwords, traces),
    breaches: openBreaches(config, log),
    versioned: new VersionedCache(),
    ...{ memory: new ExpiringMap(), actingInOrganizations: new RecentlyUsed(TOKENS_REMEMBERED) },
    background,
    signals,
    log,
    metrics,
    ...openRefusals(log, metrics),
    traces,
    ending: ending.signal,
    end: () => ending.abort(),
    now: Date.now,
    async close() {
      await signals.close()
      questions.close()
      await background.stop()
      await keyValue.close()
      await closeStores(stores)
      await traces.close()
    },
  }
}

function openNetwork(config: Config, log: Log): Pick<Platform, 'names' | 'questions'> {
  const names = openNames()
  return { names, questions: new Questions(config, names, log) }
}

function openProcessMetrics(passwords: Pick<Passwords, 'waiting'>): Metrics {
  const metrics = openMetrics('service-and-process')
  metrics.gauges('build_info', ['version'], () => [[{ version }, 1]])
  metrics.gauge('hash_queue', () => passwords.waiting)
  return metrics
}

/** The library is loaded only if traces are wanted. */
async function openTraces(config: Config, log: Log): Promise<Traces> {
  if (config.otlpEndpoint === undefined) return NO_TRACES
  const openTelemetry = await import('./traces/open-telemetry.ts')
  return openTelemetry.openTraces({ currentSpan, inSpan }, config.otlpEndpoint, config, log)
}

async function openKeyValue({ keyValueUrl }: Config, { meta }: Stores, now: () => number): Promise<KeyValue> {
  if (keyValueUrl === undefined) return tableKeyValue(meta, now)
  const { openRedisKeyValue } = await import('./key-value/redis.ts')
  return openRedisKeyValue(keyValueUrl)
}
