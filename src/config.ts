/** What is decided at deployment. */
export interface Config {
  readonly appDomain: string
  readonly appName: string
  readonly baseUrl: string
  readonly isLocal: boolean
  readonly host: string
  readonly port: number
  readonly metricsPort: number | undefined
  readonly dataDir: string
  readonly systemEmail: string
  readonly databaseUrl: string | undefined
  readonly databaseReplicaUrls: readonly string[]
  readonly shards: readonly ShardAddress[]
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
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error'
  readonly logFormat: 'pretty' | 'json'
}

export interface ShardAddress {
  readonly id: string
  readonly region: string
  /** `postgres://…` or a file. */
  readonly url: string
  readonly replicaUrls: readonly string[]
}
