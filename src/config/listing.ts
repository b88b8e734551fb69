import type { Config, Environment } from './config.ts'

export interface ListedValue {
  readonly name: Name
  /** The value in force, secrets masked; undefined if there is none. */
  readonly value: string | undefined
  readonly source: 'environment' | 'default' | 'generated'
}

/** Deployment values as `doctor` shows them. */
export function listValues(config: Config, environment: Environment): readonly ListedValue[] {
  return NAMES.map((name) => ({
    name,
    value: SHOWN[name](config) || undefined,
    source: environment[name] ? 'environment' : GENERATED.has(name) ? 'generated' : 'default',
  }))
}

const GENERATED: ReadonlySet<Name> = new Set(['AUTH_SECRET', 'CONFIG_ENCRYPTION_KEY'])
const MASK = '••••'

/** How each deployment value is shown. The names are the program's contract with its environment. */
const SHOWN = {
  APP_DOMAIN: (config) => config.appDomain,
  APP_NAME: (config) => config.appName,
  PUBLIC_URL: (config) => config.baseUrl,
  PORT: (config) => String(config.port),
  HOST: (config) => config.host,
  METRICS_PORT: (config) => config.metricsPort?.toString(),
  DRAIN_SECONDS: (config) => String(config.drainSeconds),
  DATA_DIR: (config) => config.dataDir,
  SYSTEM_EMAIL: (config) => config.systemEmail,
  DATABASE_URL: (config) => withoutPassword(config.databaseUrl),
  DATABASE_REPLICA_URLS: (config) => config.databaseReplicaUrls.map(withoutPassword).join(','),
  SHARDS: shownShards,
  SHARDS_WITHOUT: (config) => config.shardsWithout.join(','),
  KV_URL: (config) => withoutPassword(config.keyValueUrl),
  AUTH_SECRET: () => MASK,
  CONFIG_ENCRYPTION_KEY: () => MASK,
  SMTP_URL: (config) => withoutPassword(config.smtpUrl),
  EMAIL_API_URL: (config) => withoutPassword(config.emailApiUrl),
  CHALLENGE_SITE_KEY: (config) => config.challengeSiteKey,
  CHALLENGE_SECRET: (config) => masked(config.challengeSecret),
  CHALLENGE_VERIFY_URL: (config) => withoutPassword(config.challengeVerifyUrl),
  PROVIDER_A: (config) => config.providerA,
  PROVIDER_B: (config) => config.providerB,
  COMMUNITY_AUTH_URL: (config) => withoutPassword(config.communityAuthUrl),
  COMMUNITY_NAME: (config) => config.communityName,
  CONTINENT_HEADER: (config) => config.continentHeader,
  TRUSTED_PROXIES: (config) => config.trustedProxies.join(','),
  TRUSTED_ORIGINS: (config) => config.trustedOrigins.join(','),
  AUDIT_RETENTION_DAYS: (config) => String(config.auditRetentionDays),
  EVENT_RETENTION_DAYS: (config) => String(config.eventRetentionDays),
  BREACH_LIST: (config) => config.breachList,
  WEBHOOK_NETWORKS: (config) => config.webhookNetworks.join(','),
  USER_LIMIT_FACTOR: (config) => String(config.userLimitFactor),
  OTEL_EXPORTER_OTLP_ENDPOINT: (config) => withoutPassword(config.otlpEndpoint),
  OTEL_EXPORTER_OTLP_HEADERS: (config) =>
    Object.keys(config.otlpHeaders)
      .map((name) => `${name}=${MASK}`)
      .join(','),
  DOCS: (config) => config.docs,
  LOG_LEVEL: (config) => config.logLevel,
  LOG_FORMAT: (config) => config.logFormat,
} as const satisfies Readonly<Record<string, (config: Config) => string | undefined>>

export type Name = keyof typeof SHOWN

/** `Object.keys` forgets which keys an object has. */
export const NAMES = Object.keys(SHOWN) as readonly Name[]

/** The value of SHARDS, without passwords. */
export function shownShards({ shards }: Pick<Config, 'shards'>): string {
  return shards.map(shown).join(',')
}

function shown({ id, region, url, replicaUrls }: Config['shards'][number]): string {
  return `${id}:${region}=${[url, ...replicaUrls].map(withoutPassword).join('|')}`
}

function masked(secret: string | undefined): string | undefined {
  return secret === undefined ? undefined : MASK
}

/** A password in an address can be before the @ or in the query. */
export function withoutPassword(address: string | undefined): string | undefined {
  return address
    ?.replace(/^([a-z+-]+:\/\/[^/@]*?):[^/]*@/i, `$1:${MASK}@`)
    .replace(/([?&](?:\w*_)?(?:password|pass|token|secret)=)[^&|,]*/gi, `$1${MASK}`)
}
