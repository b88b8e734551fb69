import type { Config } from '../../src/config/config.ts'
import type { MetaTables, ShardTables } from '../../src/database/schema/tables.ts'
import { SqliteEngine } from '../../src/database/sqlite/engine.ts'
import { Store } from '../../src/database/store.ts'
import type { Passwords } from '../../src/platform/passwords/passwords.ts'
import { enableProvider } from '../providers/journey.ts'
import { type PlainProvider, startPlainProvider } from '../providers/plain-provider.ts'
import { changeSettings } from '../service/change-settings.ts'
import { Person } from '../service/people.ts'
import { type Service, startService } from '../service/service.ts'
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

export interface Stage {
  readonly service: Service
  readonly scheduler: Scheduler
  readonly administrator: Person
  readonly forum: PlainProvider
  [Symbol.asyncDispose](): Promise<void>
}

/** One service on stores in memory, each statement of which can be made to wait. */
export async function openStage(): Promise<Stage> {
  await using opening = new AsyncDisposableStack()
  const scheduler = new Scheduler()
  const forum = opening.use(await startPlainProvider('community', {}))
  const service = opening.use(
    await startService({
      env: { COMMUNITY_AUTH_URL: forum.url, USER_LIMIT_FACTOR: '1000' },
      platform: { passwords: PLAIN_PASSWORDS },
      open: async (config) => scheduledStores(config, scheduler),
    }),
  )
  await changeSettings(service, 'email', { provider: 'smtp' })
  await changeSettings(service, 'authentication', { email_user_action_cooldown_seconds: 0 })
  await changeSettings(service, 'credits', { signup_reward_enabled: true, signup_reward_amount: 7 })
  await enableProvider(service, 'community')
  const administrator = new Person(service, service.administrator.email, service.administrator.password)
  await administrator.signIn()
  const opened = opening.move()
  return {
    service,
    scheduler,
    administrator,
    forum,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

function scheduledStores(config: Config, scheduler: Scheduler) {
  const engine = (name: string) => new ScheduledEngine(new SqliteEngine(name, ':memory:'), scheduler)
  return {
    meta: new Store<MetaTables>(engine('meta')),
    shards: new Map(config.shards.map(({ id }) => [id, new Store<ShardTables>(engine(id))])),
  }
}
