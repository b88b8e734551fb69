import type { Config } from '../../src/config/config.ts'
import type { MetaTables, ShardTables } from '../../src/database/schema/tables.ts'
import { SqliteEngine } from '../../src/database/sqlite/engine.ts'
import { Store } from '../../src/database/store.ts'
import { ExpiringMap } from '../../src/platform/caches/expiring-map.ts'
import { VersionedCache } from '../../src/platform/caches/versioned-cache.ts'
import type { Passwords } from '../../src/platform/passwords/passwords.ts'
import { enableProvider } from '../providers/journey.ts'
import { type PlainProvider, startPlainProvider } from '../providers/plain-provider.ts'
import { changeSettings } from '../service/change-settings.ts'
import { Person } from '../service/people.ts'
import { type Service, startService } from '../service/service.ts'
import { RewindableHandle } from './rewindable-handle.ts'
import { ScheduledEngine } from './scheduled-engine.ts'
import { Scheduler } from './scheduler.ts'

/** Costs nothing and waits for nothing, so that an order depends on its seed alone. */
const PLAIN_PASSWORDS: Passwords = {
  hash: async (password) => plainHash(password),
  verify: async (password, stored) => stored === plainHash(password),
  refuseIfFull: () => undefined,
  isForeign: () => false,
  waiting: 0,
}

export function plainHash(password: string): string {
  return `plain:${password}`
}

/** One service, its administrator, and a provider to link with. */
export interface Stage {
  readonly service: Service
  readonly administrator: Person
  readonly forum: PlainProvider
  [Symbol.asyncDispose](): Promise<void>
}

/** On stores in memory, each statement of which can be made to wait. */
export interface ScheduledStage extends Stage {
  readonly scheduler: Scheduler
  /** Stores, clock, what the processes remember, and these maps will go back to what they are now. */
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
    return { versioned: new VersionedCache(values), memory: new ExpiringMap(10_000, numbers) }
  }
  const stage = await openStage({ open, ofEachProcess })
  const { service, administrator, forum } = stage
  // An act that waits for what another one loads would never be seen to wait.
  await service.requestElsewhere('/api/client_config')

  let restore = () => {}
  function keep(maps: readonly Map<string, string>[]): void {
    for (const handle of handles) handle.keep()
    const now = service.clock.now()
    const refills = [forum.codes, administrator.cookies, ...remembered, ...maps].map(refill)
    restore = () => {
      service.clock.advance({ milliseconds: now - service.clock.now() })
      for (const again of refills) again()
    }
  }
  function rewind(): void {
    for (const handle of handles) handle.rewind()
    restore()
  }
  return { ...stage, scheduler, keep, rewind }
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
  const opened = opening.move()
  return { service, administrator, forum, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}
