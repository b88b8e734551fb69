import { join, resolve } from 'node:path'
import { databaseUrl, Malformed, type Parser } from './parsers.ts'

export interface ShardAddress {
  readonly id: string
  readonly region: string
  /** `postgres://…` or a file. */
  readonly url: string
  readonly replicaUrls: readonly string[]
}

/** An address can have several hosts, so a comma separates shards only before `id:region=`. */
const BEFORE_SHARD = /,(?=\s*[a-z0-9-]{1,64}:[a-z0-9-]{1,64}=)/

/** `id:region=url[|replica-url…]`, several separated by commas. */
export const shards: Parser<readonly ShardAddress[]> = (value) => {
  const addresses = value
    .split(BEFORE_SHARD)
    .map((part) => part.replace(/[,\s]+$/, '').trim())
    .filter((part) => part !== '')
    .map(shard)
  if (addresses.length === 0) throw new Malformed('must name at least one shard')
  refuseDuplicates(
    addresses.map(({ id }) => id),
    'id',
  )
  refuseDuplicates(
    addresses.map(({ url }) => url),
    'place',
  )
  return addresses
}

export const shardId: Parser<string> = (value) => {
  if (/^[a-z0-9-]{1,64}$/.test(value)) return value
  throw new Malformed('must be ids of shards, such as apac-1,weur-1')
}

export function embeddedShards(dataDir: string): readonly ShardAddress[] {
  return ['apac', 'weur', 'oc'].map((region) => ({
    id: `${region}-1`,
    region,
    url: join(dataDir, `${region}-1.sqlite`),
    replicaUrls: [],
  }))
}

export function isPostgres(address: string): boolean {
  return /^postgres(ql)?:/.test(address)
}

const SHARD = /^(?<id>[a-z0-9-]{1,64}):(?<region>[a-z0-9-]{1,64})=(?<places>.+)$/

const shard: Parser<ShardAddress> = (value) => {
  const { id, region, places } = SHARD.exec(value)?.groups ?? {}
  if (id === undefined || region === undefined || places === undefined || id === 'meta')
    throw new Malformed('must look like apac-1:apac=postgres://host/database,weur-1:weur=/data/weur-1.sqlite')
  const [place = '', ...replicas] = places.split('|')
  if (replicas.length > 0 && !isPostgres(place))
    throw new Malformed('has a replica for a file; only PostgreSQL has replicas')
  return { id, region, url: shardPlace(place), replicaUrls: replicas.map(databaseUrl) }
}

function shardPlace(place: string): string {
  if (isPostgres(place)) return databaseUrl(place)
  if (place.includes('://') || place.includes(','))
    throw new Malformed('must have files or addresses that start with postgres://')
  return resolve(place)
}

function refuseDuplicates(values: readonly string[], what: string): void {
  const twice = values.find((value, i) => values.indexOf(value) !== i)
  if (twice !== undefined) throw new Malformed(`has the same ${what} twice`)
}
