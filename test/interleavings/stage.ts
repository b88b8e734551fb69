import type { Config } from '../../src/config/config.ts'
import { RecentlyUsed } from '../../src/database/recently-used.ts'
import type { MetaTables, ShardTables } from '../../src/database/schema/tables.ts'
import { SqliteEngine } from '../../src/database/sqlite/engine.ts'
import { Store } from '../../src/database/store.ts'
import { ExpiringMap } from '../../src/platform/caches/expiring-map.ts'
import { VersionedCache } from '../../src/platform/caches/versioned-cache.ts'
import type { Passwords } from '../../src/platform/passwords/passwords.ts'
import { enableProvider } from '../providers/journey.ts'
import { type PlainProvider, startPlainProvider } from '../providers/plain-provider.ts'
import { type Registered, register } from '../service/applications.ts'
import { changeSettings } from '../service/change-settings.ts'
import { Person } from '../service/people.ts'
import { type Service, startService } from '../service/service.ts'
import { RewindableHandle } from './engines/rewindable-handle.ts'
import { ScheduledEngine } from './engines/scheduled-engine.ts'
import { Scheduler } from './engines/scheduler.ts'
import { disagreementsOf, Verified } from './verified.ts'

/** Costs nothing and waits for nothing, so that an order depends on its seed alone. */
const PLAIN_PASSWORDS: Passwords = {
  hash: async (password) => plainHash(password),
  verify: async (password, stored) => stored === plainHash(password),
  refuseIfFull: () => undefined,
  end: () => undefined,
  isForeign: () => false,
  waiting: 0,
}

export function plainHash(password: string): string {
  return `plain:${password}`
}

export const RESOURCE = 'https://server.example/mcp'

/** One service, its administrator, and a provider to link with. */
export interface Stage {
  readonly service: Service
  readonly administrator: Person
  readonly forum: PlainProvider
  /** The resource that users' tools get tokens for. */
  readonly server: Registered
  /** The findings of `shards verify`. */
  disagreements(): Promise<readonly string[]>
  [Symbol.asyncDispose](): Promise<void>
}

/** A stage on stores in memory, each statement of which can be made to wait. */
export interface ScheduledStage extends Stage {
  readonly scheduler: Scheduler
  /** Returns stores, clock and the memory of the processes to the moment before there was a subject. */
  startOver(): void
  /** They and these maps will be reset to this state. */
  keep(maps: readonly Map<string, string>[]): void
  rewind(): void
}

export async function openScheduledStage(): Promise<ScheduledStage> {
  const scheduler = new Scheduler()
  const handles: RewindableHandle[] = []
  const remembered: Map<string, unknown>[] = []
  const engine = (name: string) => {
    const handle = new RewindableHandle(name)
    handles.push(handle)
    return new ScheduledEngine(new SqliteEngine(name, ':memory:', handle), scheduler)
  }
  const open = async ({ shards }: Config) => ({
    meta: new Store<MetaTables>(engine('meta')),
    shards: new Map(shards.map(({ id }) => [id, new Store<ShardTables>(engine(id))])),
  })
  const ofEachProcess = () => {
    const values: ConstructorParameters<typeof VersionedCache>[0] = new Map()
    const numbers = new Map<string, number>()
    remembered.push(values, numbers)
    return {
      versioned: new VersionedCache(values),
      memory: new ExpiringMap(numbers),
      actingInOrganizations: new RecentlyUsed<'yes'>(0),
    }
  }
  const stage = await openStage({ open, ofEachProcess })
  await loadEverything(stage)

  const [meta, ...shards] = handles
  if (!meta) throw new Error('no store was opened')
  const verified = new Verified(stage.service.platform, { meta, shards })
  const momentOf = (maps: readonly Map<string, unknown>[]) => momentNow(stage, [...remembered, ...maps])
  for (const handle of handles) handle.keep('opened')
  const opened = momentOf([])
  let kept = opened
  return {
    ...stage,
    scheduler,
    disagreements: () => verified.disagreements(),
    startOver() {
      for (const handle of handles) handle.rewind('opened')
      opened()
    },
    keep(maps) {
      for (const handle of handles) handle.keep('kept')
      verified.keep()
      kept = momentOf(maps)
    },
    rewind() {
      for (const handle of handles) handle.rewind('kept')
      verified.rewind()
      kept()
    },
  }
}

/**
 * An act that loads a file is busy for a long time, and one that waits for a file another act loads is not
 * seen as waiting.
 */
async function loadEverything({ service }: Stage): Promise<void> {
  for (const request of [service.request, service.requestElsewhere])
    await new Person({ request }, `first-${request.name}@example.com`, 'a walk before the first one').signUp()
}

/** Returns what goes back to this moment. */
function momentNow({ service, administrator, forum }: Stage, maps: readonly Map<string, unknown>[]): () => void {
  const now = service.clock.now()
  const lines = service.log.lines.length
  const refills = [forum.codes, administrator.cookies, ...maps].map(refill)
  return () => {
    service.clock.advance({ milliseconds: now - service.clock.now() })
    service.log.lines.length = lines
    for (const again of refills) again()
  }
}

function refill(map: Map<string, unknown>): () => void {
  const entries = [...map]
  return () => {
    map.clear()
    for (const [key, value] of entries) map.set(key, value)
  }
}

export async function openStage(options: Parameters<typeof startService>[0]): Promise<Stage> {
  await using opening = new AsyncDisposableStack()
  const forum = opening.use(await startPlainProvider('community', {}))
  const service = opening.use(
    await startService({
      env: { COMMUNITY_AUTH_URL: forum.url, USER_LIMIT_FACTOR: '1000' },
      platform: { passwords: PLAIN_PASSWORDS },
      ...options,
    }),
  )
  await changeSettings(service, 'email', { provider: 'smtp' })
  await changeSettings(service, 'authentication', { email_user_action_cooldown_seconds: 0 })
  await changeSettings(service, 'credits', { signup_reward_enabled: true, signup_reward_amount: 7 })
  await enableProvider(service, 'community')
  const administrator = new Person(service, service.administrator.email, service.administrator.password)
  await administrator.signIn()
  const server = await register(administrator, { kind: 'service', name: 'Server', resource: RESOURCE })
  const opened = opening.move()
  return {
    service,
    administrator,
    forum,
    server,
    disagreements: () => disagreementsOf(service.platform),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
