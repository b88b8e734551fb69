import { copyFileSync, existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Config, type Environment, readConfig } from '../../config/config.ts'
import { needingRoom } from '../../platform/full-disk.ts'
import { secretsFile } from '../../platform/secrets/secrets.ts'
import { firstIn } from '../output-folder.ts'
import type { Look } from './looks/look.ts'

export interface Copy extends AsyncDisposable {
  /** What both programs get, beside a port. */
  readonly environment: Readonly<Record<string, string>>
  /** The same as this program reads it. */
  readonly config: Config
  /** Says whether nobody is in a transaction of it; undefined if two programs cannot serve it at once. */
  readonly isQuiet: (() => Promise<boolean>) | undefined
  look(store: string): Promise<Look>
  /** Measures a change, and how long a write to these tables waits for it. */
  timed(store: string, tables: readonly string[], change: () => Promise<unknown>): Promise<Times>
}

export interface Times {
  readonly ms: number
  readonly longest_lock_ms: number
}

export interface From {
  readonly config: Config
  readonly environment: Environment
  /** A backup; without one the stores are copied as they are now. */
  readonly archive: string | undefined
  /** The empty database for the copy of stores on PostgreSQL, as an address for each of its hosts. */
  readonly scratch: readonly string[] | undefined
  readonly ended: AbortSignal
  say(text: string): void
}

/** Where a program finds the copied stores. */
interface Places {
  readonly meta?: string
  shard(id: string): string
}

/** Makes a folder for this user alone, below that of temporary files, with the secrets. It goes with the stack. */
export async function copyFolder({ config }: From, made: AsyncDisposableStack): Promise<string> {
  const folder = await firstIn(tmpdir(), () => mkdtemp(join(tmpdir(), 'gatehouse-rehearsal-')))
  made.defer(() => rm(folder, { recursive: true, force: true }))
  const secrets = secretsFile(config.dataDir)
  if (existsSync(secrets)) await needingRoom(folder, async () => copyFileSync(secrets, secretsFile(folder)))
  return folder
}

/** Values of the installation that name nothing that is written to or sent to. */
const KEPT = [
  ...['APP_NAME', 'AUTH_SECRET', 'CONFIG_ENCRYPTION_KEY', 'AUDIT_RETENTION_DAYS', 'EVENT_RETENTION_DAYS'],
  ...['PROVIDER_A', 'PROVIDER_B', 'COMMUNITY_AUTH_URL', 'COMMUNITY_NAME'],
] as const

/** Nobody listens there. */
const NOWHERE = 'http://127.0.0.1:9'

export function configured({ config, environment }: From, folder: string, { meta, shard }: Places) {
  const kept = KEPT.flatMap((name) => (environment[name] ? [[name, environment[name]]] : []))
  const own = {
    ...Object.fromEntries(kept),
    ...(meta !== undefined && { DATABASE_URL: meta }),
    DATA_DIR: folder,
    SHARDS: config.shards.map(({ id, region }) => `${id}:${region}=${shard(id)}`).join(','),
    // Its people come from every continent, so that every region's shard has some.
    TRUSTED_PROXIES: '127.0.0.1,::1',
    EMAIL_API_URL: NOWHERE,
    CHALLENGE_VERIFY_URL: NOWHERE,
    USER_LIMIT_FACTOR: '1000',
    DRAIN_SECONDS: '0',
    LOG_FORMAT: 'json',
    LOG_LEVEL: 'error',
  }
  return { environment: own, config: readConfig(own) }
}
