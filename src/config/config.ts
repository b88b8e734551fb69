import { resolve } from 'node:path'
import { OperatorError } from '../rules/operator-error.ts'
import { withoutInjected } from './injected.ts'
import type { Name } from './listing.ts'
import { findMistakenName } from './names.ts'
import { network } from './networks.ts'
import * as parse from './parsers.ts'
import { type PublicAddress, publicAddress } from './public-address.ts'
import { embeddedShards, type ShardAddress, shardId, shards } from './shards.ts'

export const DEFAULT_APP_NAME = 'Gatehouse'
/** Good on this machine alone: no letter arrives there. */
export const DEFAULT_SYSTEM_EMAIL = 'admin@example.com'

/** The values that are set at deployment. */
export interface Config extends PublicAddress {
  readonly appName: string
  readonly host: string
  readonly port: number
  readonly metricsPort: number | undefined
  readonly dataDir: string
  readonly systemEmail: string
  readonly databaseUrl: string | undefined
  readonly databaseReplicaUrls: readonly string[]
  readonly shards: readonly ShardAddress[]
  /** Shards with users in them that this process starts without. */
  readonly shardsWithout: readonly string[]
  readonly keyValueUrl: string | undefined
  readonly authSecret: string | undefined
  readonly configEncryptionKey: string | undefined
  readonly smtpUrl: string | undefined
  readonly emailApiUrl: string
  readonly challengeSiteKey: string | undefined
  readonly challengeSecret: string | undefined
  readonly challengeVerifyUrl: string
  readonly providerA: string
  readonly providerB: string
  readonly communityAuthUrl: string | undefined
  readonly communityName: string
  readonly continentHeader: string
  readonly trustedProxies: readonly string[]
  readonly trustedOrigins: readonly string[]
  readonly auditRetentionDays: number
  readonly eventRetentionDays: number
  /** A file of stolen passwords that `gatehouse breaches build` has made. */
  readonly breachList: string | undefined
  /** Private networks that webhooks can reach. */
  readonly webhookNetworks: readonly string[]
  /** Multiplies the rate limits of each signed-in user. */
  readonly userLimitFactor: number
  /** Seconds it keeps serving after the stop signal, so that load balancers notice. */
  readonly drainSeconds: number
  /** The trace collector; without one no traces are made. */
  readonly otlpEndpoint: string | undefined
  readonly otlpHeaders: Readonly<Record<string, string>>
  /** Whether the documents are served at `/docs`. */
  readonly docs: 'on' | 'off'
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error'
  readonly logFormat: 'pretty' | 'json'
}

export type Environment = Readonly<Record<string, string | undefined>>

/** One line that names the value and says what is wrong. */
export class ConfigError extends OperatorError {}

export function environment(): Environment {
  return process.env
}

/** Call it before anything uses Node's thread pool. A size that the operator has set is kept. */
export function sizeThreadPool(threads: number): void {
  process.env.UV_THREADPOOL_SIZE ??= String(threads)
}

export function configFromEnvironment(): Config {
  return readConfig(process.env, process.stderr)
}

/** An empty value counts as absent. */
export function readConfig(given: Environment, terminal: { readonly isTTY?: boolean } = {}): Config {
  const env = withoutInjected(given)
  refuseMistakenNames(env)
  const address = readPublicAddress(env)
  const config = {
    ...address,
    ...readListening(env, address),
    ...readStores(env),
    ...readMailAndChallenge(env, address),
    ...readProviders(env),
    continentHeader: read(env, 'CONTINENT_HEADER', parse.headerName) ?? 'cf-ipcontinent',
    trustedProxies: read(env, 'TRUSTED_PROXIES', parse.list(network)) ?? [],
    trustedOrigins: read(env, 'TRUSTED_ORIGINS', parse.list(parse.origin)) ?? [],
    auditRetentionDays: read(env, 'AUDIT_RETENTION_DAYS', parse.days) ?? 365,
    eventRetentionDays: read(env, 'EVENT_RETENTION_DAYS', parse.days) ?? 30,
    breachList: env.BREACH_LIST ? resolve(env.BREACH_LIST) : undefined,
    webhookNetworks: read(env, 'WEBHOOK_NETWORKS', parse.list(network)) ?? [],
    userLimitFactor: read(env, 'USER_LIMIT_FACTOR', parse.factor) ?? 1,
    otlpEndpoint: read(env, 'OTEL_EXPORTER_OTLP_ENDPOINT', parse.webUrl),
    otlpHeaders: read(env, 'OTEL_EXPORTER_OTLP_HEADERS', parse.headers) ?? {},
    docs: read(env, 'DOCS', parse.oneOf('on', 'off')) ?? 'on',
    logLevel: read(env, 'LOG_LEVEL', parse.oneOf('debug', 'info', 'warn', 'error')) ?? 'info',
    logFormat: read(env, 'LOG_FORMAT', parse.oneOf('pretty', 'json')) ?? (terminal.isTTY ? 'pretty' : 'json'),
  } satisfies Config
  refuseHalves(config)
  return config
}

function readPublicAddress(env: Environment) {
  const port = read(env, 'PORT', parse.port) ?? 5173
  const publicUrl = read(env, 'PUBLIC_URL', parse.publicUrl)
  return { port, ...publicAddress({ publicUrl, appDomain: read(env, 'APP_DOMAIN', parse.domain), port }) }
}

function readListening(env: Environment, { isLocal }: PublicAddress) {
  return {
    appName: read(env, 'APP_NAME', parse.text(64)) ?? DEFAULT_APP_NAME,
    host: read(env, 'HOST', parse.host) ?? (isLocal ? '127.0.0.1' : '0.0.0.0'),
    metricsPort: read(env, 'METRICS_PORT', parse.port),
    drainSeconds: read(env, 'DRAIN_SECONDS', parse.drainSeconds) ?? (isLocal ? 0 : 2),
    systemEmail: read(env, 'SYSTEM_EMAIL', parse.email) ?? DEFAULT_SYSTEM_EMAIL,
  }
}

function readStores(env: Environment) {
  const dataDir = resolve(env.DATA_DIR || './data')
  return {
    dataDir,
    databaseUrl: read(env, 'DATABASE_URL', parse.databaseUrl),
    databaseReplicaUrls: read(env, 'DATABASE_REPLICA_URLS', parse.list(parse.databaseUrl)) ?? [],
    shards: read(env, 'SHARDS', shards) ?? embeddedShards(dataDir),
    shardsWithout: read(env, 'SHARDS_WITHOUT', parse.list(shardId)) ?? [],
    keyValueUrl: read(env, 'KV_URL', parse.keyValueUrl),
    authSecret: read(env, 'AUTH_SECRET', parse.secret),
    configEncryptionKey: read(env, 'CONFIG_ENCRYPTION_KEY', parse.encryptionKey),
  }
}

function readMailAndChallenge(env: Environment, { isLocal }: PublicAddress) {
  const isOwnPair = Boolean(env.CHALLENGE_SITE_KEY || env.CHALLENGE_SECRET)
  const published = isLocal && !isOwnPair ? PUBLISHED_TEST_PAIR : undefined
  return {
    smtpUrl: read(env, 'SMTP_URL', parse.url('smtp', 'smtps')),
    emailApiUrl: read(env, 'EMAIL_API_URL', parse.webUrl) ?? 'https://api.resend.com',
    challengeSiteKey: read(env, 'CHALLENGE_SITE_KEY', parse.text(128)) ?? published?.siteKey,
    challengeSecret: read(env, 'CHALLENGE_SECRET', parse.text(128)) ?? published?.secret,
    challengeVerifyUrl: read(env, 'CHALLENGE_VERIFY_URL', parse.url('https', 'http')) ?? TURNSTILE_VERIFY_URL,
  }
}

const PUBLISHED_TEST_PAIR = {
  siteKey: '1x00000000000000000000AA',
  secret: '1x0000000000000000000000000000000AA',
}
const TURNSTILE_VERIFY_URL = 'https://challenges.cloudflare.com/turnstile/v0/siteverify'

function readProviders(env: Environment) {
  return {
    providerA: read(env, 'PROVIDER_A', parse.providerPreset) ?? 'google',
    providerB: read(env, 'PROVIDER_B', parse.providerPreset) ?? 'github',
    communityAuthUrl: read(env, 'COMMUNITY_AUTH_URL', parse.webUrl),
    communityName: read(env, 'COMMUNITY_NAME', parse.text(64)) ?? 'Community',
  }
}

function read<T>(env: Environment, name: Name, parser: parse.Parser<T>): T | undefined {
  const value = env[name]
  if (value === undefined || value === '') return undefined
  try {
    return parser(value)
  } catch (error) {
    if (!(error instanceof parse.Malformed)) throw error
    throw new ConfigError(`${name} ${error.message}`)
  }
}

function refuseMistakenNames(env: Environment): void {
  const set = Object.keys(env).filter((name) => env[name])
  const mistaken = findMistakenName(set)
  if (mistaken) throw new ConfigError(`${mistaken.name} is not a known value; did you mean ${mistaken.meant}?`)
}

/** Refuses values that are valid alone but not together. */
function refuseHalves(config: Config): void {
  if (config.databaseReplicaUrls.length > 0 && !config.databaseUrl)
    throw new ConfigError('DATABASE_REPLICA_URLS is set without DATABASE_URL')
  if (config.shards.some(({ url }) => url === config.databaseUrl))
    throw new ConfigError('SHARDS names DATABASE_URL itself; give the shard a database or a schema of its own')
  const both = config.shards.find(({ id }) => config.shardsWithout.includes(id))
  if (both) throw new ConfigError(`SHARDS_WITHOUT names ${both.id}, which is in SHARDS; take it out of one of them`)
  if (config.challengeSiteKey && !config.challengeSecret)
    throw new ConfigError('CHALLENGE_SITE_KEY is set without CHALLENGE_SECRET')
  if (config.challengeSecret && !config.challengeSiteKey)
    throw new ConfigError('CHALLENGE_SECRET is set without CHALLENGE_SITE_KEY')
  if (config.metricsPort === config.port)
    throw new ConfigError(`METRICS_PORT is ${config.port}, and so is PORT; they need two different ports`)
}
